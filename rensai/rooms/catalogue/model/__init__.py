"""The words of the room: stories, how lists are sorted, and what comes in from sources."""

from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Protocol
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from rensai.kit.db import Tx

LOCAL = "local"
"""The source of what is uploaded here."""

STATUSES = ("draft", "ongoing", "completed", "hiatus", "dropped")
"""A story's status is kept as its place in this list."""

AGE_RATINGS = ("everyone", "teen", "mature", "explicit")
"""Whom a story is for, from the mildest."""


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


def public_slug(source: str, slug: str) -> str:
    """How `/api/v1` and addresses name a story: bare when local, else with its source."""
    return slug if source == LOCAL else f"{source}:{slug}"


class ListedStory(msgspec.Struct, frozen=True):
    """A story as a row of a list."""

    id: int
    uid: UUID
    kind: str
    source: str
    source_story_id: str
    slug: str
    title: str
    title_original: str | None
    author_name: str | None
    authors: list[str]
    status: int
    is_nsfw: bool
    age_rating: str | None
    cover_url: str | None
    language: str
    original_language: str | None
    chapter_count: int
    word_count: int
    last_chapter_no: Decimal | None
    view_count: int
    follower_count: int
    rating_avg: Decimal | None
    rating_count: int
    popularity_score: Decimal
    published_at: datetime | None
    updated_at_source: datetime | None
    created_at: datetime
    updated_at: datetime
    warnings: list[list[str]]
    """Slug and name of each thing that readers are warned of."""

    @property
    def public_slug(self) -> str:
        """Its slug for `/api/v1` and addresses."""
        return public_slug(self.source, self.slug)

    @property
    def tint(self) -> int:
        """Which of the eight colours its placeholder cover has, always the same one."""
        return self.uid.int % 8

    def key(self, sort: Sort) -> SortKey:
        """Where this row stands in a list of that order."""
        if sort is Sort.POPULAR:
            return self.popularity_score, self.id
        newest = self.published_at or self.created_at
        return (newest if sort is Sort.NEWEST else self.updated_at), self.id


class Counts(msgspec.Struct, frozen=True):
    """How much there is to read."""

    stories: int
    chapters: int


class Genre(msgspec.Struct, frozen=True):
    """A genre, as stories are shown and searched by it."""

    slug: str
    name: str


class Term(msgspec.Struct, frozen=True):
    """One entry of a taxonomy, such as the fandom that a story belongs to."""

    taxonomy: str
    slug: str
    name: str


class Taxonomy(msgspec.Struct, frozen=True):
    """Something that stories are sorted by."""

    slug: str
    name: str
    is_multiple: bool
    """Whether a story may have several of its terms."""

    is_builtin: bool
    """Every instance has it, and nobody can remove it."""


class TermInUse(msgspec.Struct, frozen=True):
    """A term, and how many stories have it."""

    slug: str
    name: str
    stories: int


class Policy(msgspec.Struct, frozen=True):
    """Whether a source is open to everybody, and on whose rights that rests."""

    source: str
    is_public: bool
    rights: str
    updated_at: datetime | None
    """None when nobody has said anything about the source: it is open then."""

    stories: int | None
    """How many stories it has; counted for sources that have a policy of their own."""

    unlike: int | None
    """How many of them the policy has not been written onto: it was interrupted."""


class Description(msgspec.Struct, frozen=True):
    """What an operator says of a story. UNSET leaves what is known, None and nothing empty it."""

    age_rating: str | UnsetType | None = UNSET
    tags: list[str] | UnsetType = UNSET
    hidden_tags: list[str] | UnsetType = UNSET


class PlainFacts(msgspec.Struct, frozen=True):
    """What a story says of itself in plain values."""

    id: int
    uid: UUID
    kind: str
    source: str
    source_story_id: str
    slug: str
    title: str
    title_original: str | None
    aliases: list[str]
    authors: list[str]
    artists: list[str]
    tags: list[str]
    hidden_tags: list[str]
    status: int
    is_nsfw: bool
    age_rating: str | None
    cover_url: str | None
    summary: str
    language: str
    original_language: str | None
    translation_group: UUID | None
    translation_count: int
    """How many other stories of its group can be read."""

    chapter_count: int
    word_count: int
    last_chapter_no: Decimal | None
    popularity_score: Decimal
    rating_avg: Decimal | None
    rating_count: int
    view_count: int
    follower_count: int
    published_at: datetime | None
    updated_at_source: datetime | None
    created_at: datetime
    updated_at: datetime
    cache_version: int
    is_visible: bool
    """Whether everybody may read it: not deleted, no draft, and of a source that is open."""


class StoryFacts(PlainFacts, frozen=True):
    """Everything about a story that can be searched, sorted by or shown on a card."""

    genres: list[Genre]
    terms: list[Term]


class TranslationOf(msgspec.Struct, frozen=True):
    """A story of a group of translations."""

    group: UUID
    story_id: int
    is_visible: bool
    language: str


class IncomingStory(msgspec.Struct, frozen=True):
    """What a source says of a story. UNSET leaves what is known, None empties it."""

    job_id: int
    source_story_id: str
    updated_at_source: datetime
    slug: str = ""
    """Like the title, not empty unless `deleted`."""

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


class IncomingChapter(msgspec.Struct, frozen=True):
    """What a source says of a chapter, and what is known of its body without reading it."""

    job_id: int
    source_story_id: str
    updated_at_source: datetime
    source_chapter_id: str | None = None
    chapter_no: Decimal | None = None
    """None only when `deleted` and with a `source_chapter_id`."""

    slug: str = ""
    title: str = ""
    published_at: datetime | UnsetType | None = UNSET
    is_published: bool | UnsetType = UNSET
    deleted: bool = False
    content_hash: bytes | None = None
    """As in `PreparedBody`, like the two below; None only when `deleted`."""

    content_size: int = 0
    word_count: int = 0


class PackedBody(msgspec.Struct, frozen=True):
    """The bytes of one incoming chapter, as `prepare_body` made them."""

    job_id: int
    raw: bytes
    html: bytes | None
    encoding: str


class BodySource(Protocol):
    """Where the catalogue gets the bodies that it has not got yet."""

    async def packed(self, tx: Tx, job_ids: list[int]) -> list[PackedBody]:
        """The bodies of these jobs, in any order."""
        ...


class Result(Enum):
    """What became of an item."""

    CREATED = "created"
    UPDATED = "updated"
    DELETED = "deleted"
    RESTORED = "restored"
    UNCHANGED = "unchanged"
    STALE = "stale"
    FAILED = "failed"


class Outcome(msgspec.Struct, frozen=True):
    """What became of one item, and why it failed if it did."""

    job_id: int
    result: Result
    code: str | None = None
    message: str | None = None
    retryable: bool = False
    """Whether the same item may succeed later, when others have come."""


class Ratings(msgspec.Struct, frozen=True):
    """What readers think of a story, and how many follow it."""

    story_id: int
    average: Decimal | None
    count: int
    followers: int
