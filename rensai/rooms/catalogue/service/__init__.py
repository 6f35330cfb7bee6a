"""What can be asked of the catalogue: one module for each verb."""

from rensai.rooms.catalogue.service.holdings import count_held, touch_source
from rensai.rooms.catalogue.service.lists import count_public, list_stories
from rensai.rooms.catalogue.service.receive_chapters import receive_chapters
from rensai.rooms.catalogue.service.receive_stories import receive_stories
from rensai.rooms.catalogue.service.recount import (
    give_back_recounts,
    recount_due,
    recount_story,
    touch_recounts,
)
from rensai.rooms.catalogue.service.recount_work import RecountWorker

__all__ = [
    "RecountWorker",
    "count_held",
    "count_public",
    "give_back_recounts",
    "list_stories",
    "receive_chapters",
    "receive_stories",
    "recount_due",
    "recount_story",
    "touch_recounts",
    "touch_source",
]
