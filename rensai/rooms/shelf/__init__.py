"""Shelf: what a reader reads, keeps and thinks of it."""
