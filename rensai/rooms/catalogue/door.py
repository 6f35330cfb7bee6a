"""What other rooms may know of the catalogue."""

from rensai.rooms.catalogue.adapters.bodies import PreparedBody, prepare_body, unpack_body
from rensai.rooms.catalogue.events import (
    ChapterChanged,
    ChapterDeleted,
    ChapterPublished,
    SourcePolicyChanged,
    StoryChanged,
    StoryDeleted,
    StoryRecounted,
    TaxonomyChanged,
)
from rensai.rooms.catalogue.model import (
    BodySource,
    Counts,
    Genre,
    IncomingChapter,
    IncomingStory,
    ListedStory,
    Outcome,
    PackedBody,
    Result,
<<<<<<< HEAD
    StoryFacts,
    Taxonomy,
    Term,
    TranslationOf,
=======
    Sort,
    SortKey,
>>>>>>> r4
)
from rensai.rooms.catalogue.service import (
    RecountWorker,
    count_held,
    count_public,
    facts_of,
    give_back_recounts,
<<<<<<< HEAD
    list_taxonomies,
=======
    list_stories,
>>>>>>> r4
    receive_chapters,
    receive_stories,
    recount_due,
    recount_story,
    story_ids_of_source,
    story_ids_of_taxonomy,
    term_names,
    touch_recounts,
    touch_source,
    translations_of,
    visible_story_ids,
)

__all__ = [
    "BodySource",
    "ChapterChanged",
    "ChapterDeleted",
    "ChapterPublished",
    "Counts",
    "Genre",
    "IncomingChapter",
    "IncomingStory",
    "ListedStory",
    "Outcome",
    "PackedBody",
    "PreparedBody",
    "RecountWorker",
    "Result",
<<<<<<< HEAD
    "SourcePolicyChanged",
    "StoryChanged",
    "StoryDeleted",
    "StoryFacts",
    "StoryRecounted",
    "Taxonomy",
    "TaxonomyChanged",
    "Term",
    "TranslationOf",
=======
    "Sort",
    "SortKey",
>>>>>>> r4
    "count_held",
    "count_public",
    "facts_of",
    "give_back_recounts",
<<<<<<< HEAD
    "list_taxonomies",
=======
    "list_stories",
>>>>>>> r4
    "prepare_body",
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
    "unpack_body",
    "visible_story_ids",
]
