"""What can be asked of the catalogue: one module for each verb."""

from rensai.rooms.catalogue.service.facts import (
    facts_of,
    story_ids_of_source,
    story_ids_of_taxonomy,
    term_names,
    translations_of,
    visible_story_ids,
)
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
from rensai.rooms.catalogue.service.taxonomies import list_taxonomies

__all__ = [
    "RecountWorker",
    "count_held",
    "count_public",
    "facts_of",
    "give_back_recounts",
    "list_stories",
    "list_taxonomies",
    "receive_chapters",
    "receive_stories",
    "recount_due",
    "recount_story",
    "story_ids_of_source",
    "story_ids_of_taxonomy",
    "term_names",
    "touch_recounts",
    "touch_source",
    "translations_of",
    "visible_story_ids",
]
