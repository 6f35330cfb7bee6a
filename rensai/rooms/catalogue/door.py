"""What other rooms may know of the catalogue."""

from rensai.rooms.catalogue.adapters.bodies import PreparedBody, prepare_body, unpack_body
from rensai.rooms.catalogue.model import (
    BodySource,
    Counts,
    IncomingChapter,
    IncomingStory,
    Outcome,
    PackedBody,
    Result,
)
from rensai.rooms.catalogue.service import (
    RecountWorker,
    count_held,
    count_public,
    give_back_recounts,
    receive_chapters,
    receive_stories,
    recount_due,
    recount_story,
    touch_recounts,
    touch_source,
)

__all__ = [
    "BodySource",
    "Counts",
    "IncomingChapter",
    "IncomingStory",
    "Outcome",
    "PackedBody",
    "PreparedBody",
    "RecountWorker",
    "Result",
    "count_held",
    "count_public",
    "give_back_recounts",
    "prepare_body",
    "receive_chapters",
    "receive_stories",
    "recount_due",
    "recount_story",
    "touch_recounts",
    "touch_source",
    "unpack_body",
]
