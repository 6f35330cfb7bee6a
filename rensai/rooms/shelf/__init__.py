"""Shelf: what a reader reads, keeps and thinks of it.

Owns the tables `reading_progress`, `reading_history`, `bookmarks`, `ratings`, `rating_summaries`,
`reading_lists` and `reading_list_entries`. What is read is accepted into memory and written in
batches; whatever a reader asks for includes what that process has not written yet.
"""
