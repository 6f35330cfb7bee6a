"""What readers get to see of one story and of one chapter."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from datetime import datetime
from decimal import Decimal
from uuid import UUID

import msgspec

WARNING = "warning"
"""The taxonomy of what readers are warned of."""


def is_for_adults(*, is_nsfw: bool, age_rating: str | None) -> bool:
    """Whether a story is for adults, as `store.visible.is_adult` says it of a row."""
    return is_nsfw or age_rating == "explicit"


class SeenStory(msgspec.Struct, frozen=True):
    """A story that can be read, and how it stands at this moment."""

    id: int
    cache_version: int
    view_count: int
    follower_count: int
    rating_count: int
    updated_at_source: datetime | None

    @property
    def version(self) -> str:
        """Changes whenever the story or one of its chapters does."""
        return f"{self.id}-{self.cache_version}"

    @property
    def full_version(self) -> str:
        """Changes also with what is told of it and is no change: views, a source's "still so"."""
        counts = f"{self.view_count}-{self.follower_count}-{self.rating_count}"
        return f"{self.version}-{counts}-{_stamp(self.updated_at_source)}"

    def is_covered_by(self, chapters: "Sequence[ListedChapter]") -> bool:
        """Whether these rows were read no earlier than the story was seen; none tell nothing."""
        return bool(chapters) and (chapters[0].story_version or 0) >= self.cache_version


class SeenChapter(msgspec.Struct, frozen=True):
    """A chapter that can be read, and how it and its story stand at this moment."""

    id: int
    story_id: int
    cache_version: int
    read_count: int
    updated_at_source: datetime | None
    chapter_no: float
    story_uid: UUID
    is_adult: bool

    @property
    def version(self) -> str:
        """Changes with what is told of it, of its story and of its neighbours."""
        story = f"{self.story_id}-{self.cache_version}"
        return f"{self.id}-{story}-{self.read_count}-{_stamp(self.updated_at_source)}"


def _stamp(moment: datetime | None) -> int:
    return 0 if moment is None else int(moment.timestamp() * 1000)


class StoryRow(msgspec.Struct, frozen=True):
    """All that is told of a story."""

    id: int
    uid: UUID
    cache_version: int
    kind: str
    source: str
    source_story_id: str
    slug: str
    title: str
    title_original: str | None
    author_name: str | None
    authors: list[str]
    artists: list[str]
    tags: list[str]
    year: int | None
    status: int
    reading_direction: str
    is_nsfw: bool
    age_rating: str | None
    cover_url: str | None
    summary: str
    language: str
    original_language: str | None
    translation_group: UUID | None
    chapter_count: int
    word_count: int
    last_chapter_no: float | None
    popularity_score: float
    rating_avg: float | None
    rating_count: int
    view_count: int
    follower_count: int
    published_at: datetime | None
    updated_at_source: datetime | None
    created_at: datetime
    updated_at: datetime
    aliases: list[str]
    genres: list[list[str]]
    """Slug and name of each."""

    terms: list[list[str]]
    """Taxonomy, slug and name of each."""

    @property
    def warnings(self) -> list[list[str]]:
        """Slug and name of each thing that readers are warned of."""
        return [named for taxonomy, *named in self.terms if taxonomy == WARNING]

    @property
    def is_adult(self) -> bool:
        return is_for_adults(is_nsfw=self.is_nsfw, age_rating=self.age_rating)


class ChapterEnd(msgspec.Struct, frozen=True):
    """The first or the last chapter of a story, in the order of reading."""

    id: int
    uid: UUID
    chapter_no: float
    slug: str
    title: str
    word_count: int
    published_at: datetime | None


class StoryDetail(msgspec.Struct, frozen=True):
    """A story with where to begin reading and where it has got to."""

    story: StoryRow
    first: ChapterEnd | None
    latest: ChapterEnd | None


class ChapterSpan(msgspec.Struct, frozen=True):
    """Which chapters of a story are asked for: numbers, both included, and a language."""

    least: Decimal | None = None
    most: Decimal | None = None
    language: str | None = None
    backwards: bool = False


CHAPTER_KEY_TYPES = (Decimal, int)
"""The types of what `ListedChapter.key` gives."""


class ListedChapter(msgspec.Struct, frozen=True):
    """A chapter as a row of a list, with nothing that changes without a new version."""

    id: int
    uid: UUID
    story_version: int | None
    source_chapter_id: str | None
    chapter_no: Decimal
    number_label: str | None
    volume_label: str | None
    slug: str
    title: str
    language: str
    page_count: int
    word_count: int
    group_id: UUID | None
    group_slug: str | None
    group_name: str | None
    published_at: datetime | None
    created_at: datetime
    updated_at: datetime

    @property
    def key(self) -> tuple[Decimal, int]:
        """Where it stands in the order of reading."""
        return self.chapter_no, self.id


class ChapterCard(msgspec.Struct, frozen=True):
    """A chapter as other rooms show it, with the names of its story."""

    id: int
    uid: UUID
    story_id: int
    story_uid: UUID
    source: str
    story_slug: str
    story_title: str
    chapter_no: float
    number_label: str | None
    slug: str
    title: str
    language: str


class ReadMarks(ABC):
    """Whoever knows what somebody has read; handlers get it by the name `read_marks`."""

    @abstractmethod
    async def read_of(self, user_id: int, chapter_ids: Sequence[int]) -> Collection[int]:
        """Those of the chapters that this account has read."""


class ChapterRow(msgspec.Struct, frozen=True):
    """All that is told of a chapter, its body as it is stored, and its neighbours."""

    id: int
    uid: UUID
    story_id: int
    cache_version: int
    story_uid: UUID
    kind: str
    source: str
    story_slug: str
    story_title: str
    is_nsfw: bool
    age_rating: str | None
    warnings: list[list[str]]
    """Slug and name of each thing that the story warns of."""

    source_chapter_id: str | None
    chapter_no: float
    number_label: str | None
    volume_label: str | None
    slug: str
    title: str
    language: str
    page_count: int
    word_count: int
    read_count: int
    group_id: UUID | None
    group_slug: str | None
    group_name: str | None
    published_at: datetime | None
    updated_at_source: datetime | None
    created_at: datetime
    updated_at: datetime
    content_raw: bytes | None
    content_html: bytes | None
    content_hash: bytes | None
    content_size: int | None
    content_encoding: str | None
    previous_id: int | None
    previous_uid: UUID | None
    previous_no: float | None
    previous_slug: str | None
    previous_title: str | None
    next_id: int | None
    next_uid: UUID | None
    next_no: float | None
    next_slug: str | None
    next_title: str | None

    @property
    def is_adult(self) -> bool:
        return is_for_adults(is_nsfw=self.is_nsfw, age_rating=self.age_rating)


class Content(msgspec.Struct, frozen=True):
    """The text of a chapter."""

    raw: str
    html: str
    hash: str | None
    size: int


class ChapterDetail(msgspec.Struct, frozen=True):
    """A chapter, with its text if that was asked for and there is one."""

    chapter: ChapterRow
    content: Content | None
