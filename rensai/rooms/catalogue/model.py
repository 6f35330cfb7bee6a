"""The words of the room: stories, how they stand and how lists are sorted."""

from datetime import datetime
from decimal import Decimal
from enum import Enum
from uuid import UUID

import msgspec

LOCAL = "local"
"""The source of what is uploaded here."""

STATUSES = ("draft", "ongoing", "completed", "hiatus", "dropped")
"""A story's status is kept as its place in this list."""


class Sort(Enum):
    """The orders in which stories are listed, the largest value first."""

    UPDATED = "updated"
    POPULAR = "popular"
    NEWEST = "newest"

    @property
    def key_types(self) -> tuple[type, ...]:
        """The types in a `SortKey` of this order."""
        return (Decimal if self is Sort.POPULAR else datetime), int


SortKey = tuple[object, ...]
"""Where a row stands in its list: the sorted value, and the id that breaks ties."""


class ListedStory(msgspec.Struct, frozen=True):
    """A story as a row of a list."""

    id: int
    uid: UUID
    kind: str
    source: str
    slug: str
    title: str
    authors: list[str]
    status: int
    is_nsfw: bool
    cover_url: str | None
    language: str
    original_language: str | None
    chapter_count: int
    last_chapter_no: Decimal | None
    follower_count: int
    rating_avg: Decimal | None
    popularity_score: Decimal
    newest_at: datetime
    created_at: datetime
    updated_at: datetime

    @property
    def public_slug(self) -> str:
        """The slug for `/api/v1` and addresses: bare when local, else with its source."""
        return self.slug if self.source == LOCAL else f"{self.source}:{self.slug}"

    @property
    def tint(self) -> int:
        """Which of the eight colours its placeholder cover has, always the same one."""
        return self.uid.int % 8

    def key(self, sort: Sort) -> SortKey:
        """Where this row stands in a list of that order."""
        if sort is Sort.POPULAR:
            return self.popularity_score, self.id
        return (self.newest_at if sort is Sort.NEWEST else self.updated_at), self.id


class Counts(msgspec.Struct, frozen=True):
    """How much there is to read."""

    stories: int
    chapters: int
