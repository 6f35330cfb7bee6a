"""Shelf: what a reader reads, keeps and thinks of it.

Owns the tables `reading_progress`, `reading_history` and `bookmarks`. What is read is
accepted into memory and written in batches; whatever a reader asks for includes what that process
has not written yet.
"""
