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
from rensai.rooms.catalogue.service import count_public

__all__ = [
    "BodySource",
    "Counts",
    "IncomingChapter",
    "IncomingStory",
    "Outcome",
    "PackedBody",
    "PreparedBody",
    "Result",
    "count_public",
    "prepare_body",
    "unpack_body",
]
