"""What other floors and rooms may know of search."""

from rensai.rooms.search.service.belongings import BELONGINGS
from rensai.rooms.search.service.index import Index
from rensai.rooms.search.service.unmuted import UnmutedLists

__all__ = ["BELONGINGS", "Index", "UnmutedLists"]
