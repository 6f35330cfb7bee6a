"""Shelf: what a reader reads, keeps and thinks of it.

Owns the tables `ratings`, `rating_summaries`, `reading_lists` and `reading_list_entries`.
"""
