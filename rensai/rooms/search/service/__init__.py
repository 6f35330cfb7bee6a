"""What can be asked of search: one module for each verb."""

from rensai.rooms.search.service.finding import find
from rensai.rooms.search.service.index import Index
from rensai.rooms.search.service.rebuild import Rebuild
from rensai.rooms.search.service.refresh import refresh_stories
from rensai.rooms.search.service.upkeep import keep_whole
from rensai.rooms.search.service.walks import refresh_source, refresh_taxonomy

__all__ = [
    "Index",
    "Rebuild",
    "find",
    "keep_whole",
    "refresh_source",
    "refresh_stories",
    "refresh_taxonomy",
]
