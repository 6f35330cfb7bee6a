"""What can be asked of the catalogue: one module for each verb."""

from rensai.rooms.catalogue.service.assign_terms import assign_terms
from rensai.rooms.catalogue.service.cards import (
    chapter_cards,
    find_chapters,
    find_stories,
    story_cards,
)
from rensai.rooms.catalogue.service.describe import describe_story, story_at
from rensai.rooms.catalogue.service.facts import (
    facts_of,
    story_ids_of_source,
    story_ids_of_taxonomy,
    term_names,
    translations_of,
    versions_of,
    visible_story_ids,
)
from rensai.rooms.catalogue.service.holdings import count_held, touch_source
from rensai.rooms.catalogue.service.lists import count_public, list_stories, list_unmuted
from rensai.rooms.catalogue.service.policies import clear_policy, list_policies, set_policy
from rensai.rooms.catalogue.service.reading import (
    see_chapter,
    see_chapter_of_uid,
    see_chapters,
    see_series,
    see_story,
    see_story_at,
    see_story_of_uid,
)
from rensai.rooms.catalogue.service.receive_chapters import receive_chapters
from rensai.rooms.catalogue.service.receive_stories import receive_stories
from rensai.rooms.catalogue.service.recount import (
    give_back_recounts,
    record_ratings,
    recount_due,
    recount_story,
    touch_recount,
    touch_recounts,
    touch_recounts_later,
)
from rensai.rooms.catalogue.service.recount_work import RecountWorker
from rensai.rooms.catalogue.service.taxonomies import (
    define_taxonomy,
    list_taxonomies,
    remove_taxonomy,
    rename_taxonomy,
)
from rensai.rooms.catalogue.service.terms import add_term, list_terms, remove_term, rename_term
from rensai.rooms.catalogue.service.translations import link_translations, unlink_translation
from rensai.rooms.catalogue.service.view_flushes import Flusher
from rensai.rooms.catalogue.service.views import SAME_VISIT, Views, views_of

__all__ = [
    "SAME_VISIT",
    "Flusher",
    "RecountWorker",
    "Views",
    "add_term",
    "assign_terms",
    "chapter_cards",
    "clear_policy",
    "count_held",
    "count_public",
    "define_taxonomy",
    "describe_story",
    "facts_of",
    "find_chapters",
    "find_stories",
    "give_back_recounts",
    "link_translations",
    "list_policies",
    "list_stories",
    "list_taxonomies",
    "list_terms",
    "list_unmuted",
    "receive_chapters",
    "receive_stories",
    "record_ratings",
    "recount_due",
    "recount_story",
    "remove_taxonomy",
    "remove_term",
    "rename_taxonomy",
    "rename_term",
    "see_chapter",
    "see_chapter_of_uid",
    "see_chapters",
    "see_series",
    "see_story",
    "see_story_at",
    "see_story_of_uid",
    "set_policy",
    "story_at",
    "story_cards",
    "story_ids_of_source",
    "story_ids_of_taxonomy",
    "term_names",
    "touch_recount",
    "touch_recounts",
    "touch_recounts_later",
    "touch_source",
    "translations_of",
    "unlink_translation",
    "versions_of",
    "views_of",
    "visible_story_ids",
]
