"""The words of the room: what a job carries, and how requests and jobs stand."""

from datetime import datetime
from decimal import Decimal
from enum import IntEnum, StrEnum

import msgspec
from msgspec import UNSET, UnsetType

STORIES = "stories_bulk"
CHAPTERS = "chapters_bulk"
STATS = "rebuild_stats"

EVERY_SOURCE = "*"
"""The source of a request that is about all of them."""

INLINE_BYTES = 64 * 1024
"""A packed payload that is larger lives in a blob."""


class RequestStatus(IntEnum):
    """How a request stands; `name.lower()` is what its sender is told."""

    QUEUED = 0
    PROCESSING = 1
    COMPLETED = 2
    PARTIALLY_FAILED = 3
    FAILED = 4


class JobStatus(IntEnum):
    """How a job stands; `name.lower()` is what operators are told."""

    QUEUED = 0
    PROCESSING = 1
    COMPLETED = 2
    FAILED = 3
    DEAD_LETTER = 4


class StoryPayload(msgspec.Struct, frozen=True, omit_defaults=True):
    """A story as its job carries it: checked, and with only what was sent.

    A field that was not sent is UNSET, and leaves what is known; null empties it. A deletion
    has nothing but the identity and the time.
    """

    source_story_id: str
    updated_at_source: datetime
    slug: str = ""
    title: str = ""
    title_original: str | UnsetType | None = UNSET
    author_name: str | UnsetType | None = UNSET
    status: int | UnsetType = UNSET
    cover_url: str | UnsetType | None = UNSET
    summary: str | UnsetType | None = UNSET
    language: str | UnsetType = UNSET
    aliases: list[str] | UnsetType = UNSET
    genres: list[str] | UnsetType = UNSET
    deleted: bool = False


class ChapterPayload(msgspec.Struct, frozen=True, omit_defaults=True):
    """A chapter as its job carries it, without its body, which the job has in columns."""

    source_story_id: str
    updated_at_source: datetime
    source_chapter_id: str | None = None
    chapter_no: Decimal | None = None
    """None only for a deletion by `source_chapter_id`."""
    slug: str = ""
    title: str = ""
    published_at: datetime | UnsetType | None = UNSET
    is_published: bool | UnsetType = UNSET
    deleted: bool = False


class Permission(StrEnum):
    """What a key may be used for."""

    STORIES = "ingest:stories"
    CHAPTERS = "ingest:chapters"
    STATS = "ingest:stats"


REQUESTS_PER_MINUTE = 60
BYTES_PER_MINUTE = 50 * 1024 * 1024


class Key(msgspec.Struct, frozen=True):
    """A key as its operator sees it; the secret is not among it."""

    key_id: str
    key_name: str
    permissions: list[str]
    sources: list[str]
    networks: list[str]
    requests_per_minute: int
    bytes_per_minute: int
    is_active: bool
    previous_expires_at: datetime | None
    last_used_at: datetime | None
    created_at: datetime

    def may_write(self, source: str) -> bool:
        """Whether the key may touch that source."""
        return not self.sources or source in self.sources


class NewKey(msgspec.Struct, frozen=True):
    """A key with the only sight of its secret."""

    key_id: str
    secret: str


class ItemError(msgspec.Struct, frozen=True):
    """Why an item was not accepted; the first thing that is wrong with it."""

    index: int
    code: str
    message: str


class NewJob(msgspec.Struct, frozen=True):
    """An accepted item, ready to be queued; only chapters have a body."""

    external_ref: str
    item_index: int
    updated_at_source: datetime
    payload: bytes
    payload_hash: bytes
    body: bytes | None = None
    body_html: bytes | None = None
    body_hash: bytes | None = None
    body_size: int = 0
    words: int = 0
    encoding: str = "none"

    @property
    def is_large(self) -> bool:
        """Whether it belongs into a blob."""
        return len(self.body or b"") + len(self.body_html or b"") + len(self.payload) > INLINE_BYTES


class Batch(msgspec.Struct, frozen=True):
    """The items of a request, sorted into jobs and errors.

    Of several versions of one item the newest has the job; the others count as accepted and as
    processed, since a later one has taken their place.
    """

    total: int
    jobs: list[NewJob]
    errors: list[ItemError]

    @property
    def rejected(self) -> int:
        return len(self.errors)

    @property
    def accepted(self) -> int:
        return self.total - self.rejected

    @property
    def superseded(self) -> int:
        return self.accepted - len(self.jobs)
