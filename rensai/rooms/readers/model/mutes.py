"""What a reader does not want to see."""

from datetime import datetime
from enum import Enum

from msgspec import Struct

MOST_MUTES = 500
LONGEST_VALUE = 300


class MuteKind(Enum):
    """What can be muted; a warning is a term of a taxonomy, named `taxonomy:slug`."""

    TAG = "tag"
    GENRE = "genre"
    AUTHOR = "author"
    WARNING = "warning"


class Mutes(Struct, frozen=True):
    """All that a reader has muted, for the queries that leave it out.

    `version` changes with every change; together with the account it may stand in the key of
    what is kept for this reader alone.
    """

    version: int
    tags: list[str]
    genres: list[str]
    """Slugs."""
    authors: list[str]
    terms: list[str]
    """`taxonomy:slug`."""
    hide_adult: bool


class MutesOf(Struct, frozen=True):
    """The mutes of one account, as they are looked up."""

    user_id: int
    version: int
    tags: list[str]
    genres: list[str]
    authors: list[str]
    terms: list[str]
    hide_adult: bool


class Muted(Struct, frozen=True):
    """One thing that is muted."""

    kind: str
    value: str
    created_at: datetime
