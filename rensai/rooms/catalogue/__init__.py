"""Catalogue: the stories and comics of this instance, whichever way they came in.

Owns the tables `stories`, `story_aliases`, `genres`, `story_genres`, `taxonomies`, `terms`,
`story_terms`, `source_policies`, `groups`, `group_members`, `chapters`, `chapter_bodies`,
`recount_queue` and `view_flushes`. Lists are keyset-paginated, each on an index of its own.
"""
