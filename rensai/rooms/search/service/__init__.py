"""What can be asked of search: one module for each verb."""

from rensai.rooms.search.service.explain import Explained, explain
from rensai.rooms.search.service.finding import find, following
from rensai.rooms.search.service.index import Index
from rensai.rooms.search.service.rebuild import Rebuild
from rensai.rooms.search.service.refresh import refresh_stories
from rensai.rooms.search.service.suggest import suggest
from rensai.rooms.search.service.upkeep import keep_whole
from rensai.rooms.search.service.verify import Drift, verify
from rensai.rooms.search.service.walks import refresh_source, refresh_taxonomy

__all__ = [
    "Drift",
    "Explained",
    "Index",
    "Rebuild",
    "explain",
    "find",
    "following",
    "keep_whole",
    "refresh_source",
    "refresh_stories",
    "refresh_taxonomy",
    "suggest",
    "verify",
]
