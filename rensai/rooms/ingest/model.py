"""The words of the room: what a job carries, and how requests and jobs stand."""

from datetime import datetime
from decimal import Decimal
from enum import IntEnum
from uuid import UUID

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
    title_original: str | None | UnsetType = UNSET
    author_name: str | None | UnsetType = UNSET
    status: int | UnsetType = UNSET
    cover_url: str | None | UnsetType = UNSET
    summary: str | None | UnsetType = UNSET
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
    published_at: datetime | None | UnsetType = UNSET
    is_published: bool | UnsetType = UNSET
    deleted: bool = False
