"""What other floors and rooms may know of search."""

from rensai.rooms.search.service.index import Index
from rensai.rooms.search.service.unmuted import UnmutedLists

__all__ = ["Index", "UnmutedLists"]
