"""Search: finding stories by text and by what they are sorted by, with counts.

Owns the tables `search_index`, `facet_values`, `filter_map`, `search_words` and
`search_vocabulary`, each on two shelves (the schemas `search_a` and `search_b`), and
`search_state`, `search_journal`, `search_taxonomies` and `saved_searches`. It learns of the
catalogue's changes by its events alone, and the catalogue does not know it.
"""
