"""What other floors and rooms may know of search."""

from rensai.rooms.search.service.index import Index

__all__ = ["Index"]
