"""The words of the room: entries, facets, questions and what is found."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from enum import Enum
from uuid import UUID

import msgspec

LAYOUT = 2
"""Raised when a release has another idea of what an entry is: the index is then built anew."""

LONGEST_SUMMARY = 2000
"""How much of a summary is kept to be shown."""

LONGEST_INDEXED = 20_000
"""How much of a summary is searched."""

LONGEST_SAVED = 4000
"""How long the address of a search may be that is kept."""

LONGEST_NAME = 100
MOST_SAVED = 100
"""So many searches a reader may keep."""

LOCAL = "local"
"""The source of what is uploaded here."""

STATUSES = ("draft", "ongoing", "completed", "hiatus", "dropped")
KINDS = ("novel", "manga", "manhwa", "manhua")
AGES = ("everyone", "teen", "mature", "explicit")

CUSTOM = "custom:"
"""What the names of facets that operators have defined begin with."""


def facet_name(taxonomy: str) -> str:
    """The facet of a taxonomy that operators have defined."""
    return CUSTOM + taxonomy


class Shelf(Enum):
    """Readers see one of them while the other is built anew."""

    A = "search_a"
    B = "search_b"

    @property
    def other(self) -> "Shelf":
        return Shelf.B if self is Shelf.A else Shelf.A


class State(msgspec.Struct, frozen=True):
    """How the index stands: the row that every writer holds."""

    live: str
    generation: int
    layout: int
    last_change: int
    building: str | None
    building_layout: int | None
    building_frozen: int | None
    built_to: int | None
    built_count: int
    builder: str | None
    builder_seen_at: datetime | None


class News(msgspec.Struct, frozen=True):
    """The state as a reader needs it, and one change of the journal, or none."""

    live: str
    generation: int
    last_change: int
    taxonomies_version: int
    number: int | None
    story_id: int | None
    lost: list[int] | None
    gained: list[int] | None


class Change(msgspec.Struct, frozen=True):
    """An entry of the live shelf is new, another or gone, and which facet values that moved."""

    story_id: int
    lost: list[int]
    gained: list[int]


class Card(msgspec.Struct, frozen=True):
    """A story as it is shown among what was found: everything, so that nothing else is asked."""

    story_id: int
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
    status: int
    is_nsfw: bool
    age_rating: str | None
    cover_url: str | None
    summary: str
    language: str
    original_language: str | None
    genre_slugs: list[str]
    genre_names: list[str]
    tags: list[str]
    translation_group: UUID | None
    translation_count: int
    chapter_count: int
    word_count: int
    last_chapter_no: Decimal | None
    popularity_score: Decimal
    rating_avg: Decimal | None
    rating_count: int
    follower_count: int
    published_at: datetime | None
    created_at: datetime
    updated_at: datetime

    @property
    def public_slug(self) -> str:
        """The slug for `/api/v1` and addresses: bare when local, else with its source."""
        return self.slug if self.source == LOCAL else f"{self.source}:{self.slug}"


class FacetValue(msgspec.Struct, frozen=True):
    """One value of one facet, as it is compared and as it is shown."""

    facet: str
    value: str
    label: str


class Entry(msgspec.Struct, frozen=True):
    """All that search knows of one story: a row of search_index, and what lies beside it."""

    card: Card
    title_length: int
    facets: list[FacetValue]
    words: str
    """The text of a tsvector."""

    vocabulary: list[str]
    digest: bytes
    words_digest: bytes


class Taxonomy(msgspec.Struct, frozen=True):
    """A facet that operators have defined, or may call otherwise than we do."""

    facet_type: str
    label: str
    is_multiple: bool


class Sort(Enum):
    """The orders in which stories are found, the largest first."""

    RELEVANCE = "relevance"
    UPDATED = "updated"
    POPULAR = "popular"
    NEWEST = "newest"
    RATING = "rating"
    CHAPTERS = "chapters"
    WORDS = "words"


class Filters(msgspec.Struct, frozen=True):
    """What a reader wants and does not want, by facet."""

    include: Mapping[str, tuple[str, ...]] = {}
    exclude: Mapping[str, tuple[str, ...]] = {}
    match_all: bool = False
    updated_after: datetime | None = None


class LeftOut(msgspec.Struct, frozen=True):
    """What one reader does not want to be told of."""

    values: tuple[tuple[str, str], ...] = ()
    """Facets and values: stories with any of them are left out."""

    adult: bool = False
    """Whether stories for adults are."""

    def __bool__(self) -> bool:
        return bool(self.values) or self.adult


NOTHING = LeftOut()


class Question(msgspec.Struct, frozen=True):
    """What a reader asks."""

    text: str = ""
    filters: Filters = Filters()
    sort: Sort | None = None
    after: tuple[int, int] | None = None
    limit: int = 20
    counts: bool = False
    values: int = 30
    """How many values of a facet are counted out."""

    in_names: bool = False
    """Whether a text is looked for in titles, authors and tags alone, if they have it."""

    left_out: LeftOut = NOTHING


class Hit(msgspec.Struct, frozen=True):
    """A story that was found."""

    card: Card
    key: int
    """Where it stands in the order; with the id of the story, after which to go on."""

    highlights: dict[str, str]
    """What matched, by field, as HTML with `mark` elements and nothing else."""

    warnings: list[FacetValue]
    view_count: int = 0
    """Asked of the catalogue for each answer, since it changes without anything else."""


class CountedValue(msgspec.Struct, frozen=True):
    """A facet value, and how many stories there would be with it."""

    value: str
    label: str
    count: int
    selected: bool = False


class CountedFacet(msgspec.Struct, frozen=True):
    """A facet with its values, those that most stories have first."""

    label: str
    is_multiple: bool
    values: list[CountedValue]
    more: int
    """How many further values there are."""


class Found(msgspec.Struct, frozen=True):
    """The answer to a question."""

    hits: list[Hit]
    has_more: bool
    total: int
    sort: Sort
    facets: dict[str, CountedFacet]
    following: tuple[int, int] | None = None
    """The place to go on from when there is more; a story at it may be gone by now."""

    corrected: str | None = None
    """What the text would be without its misspellings, when it was found that way."""


class Suggestion(msgspec.Struct, frozen=True):
    """What somebody who is typing may mean."""

    kind: str
    text: str
    slug: str
    highlighted: str


class SavedSearch(msgspec.Struct, frozen=True):
    """A search that a reader keeps."""

    id: UUID
    user_id: int
    name: str
    query: str
    """As it stands in an address, in the one spelling in which it is kept."""

    created_at: datetime
    updated_at: datetime

    @property
    def key(self) -> tuple[datetime, UUID]:
        """Where it stands among the searches of its owner."""
        return self.created_at, self.id
