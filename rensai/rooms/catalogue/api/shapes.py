"""What `/api/v1` tells of stories and chapters."""

from datetime import datetime
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType

from rensai.rooms.catalogue.model import STATUSES, ListedStory, Term, public_slug
from rensai.rooms.catalogue.model.reading import (
    ChapterDetail,
    ChapterEnd,
    ChapterRow,
    ListedChapter,
    StoryDetail,
    StoryRow,
)


class Warned(Struct, frozen=True):
    """What readers are warned of."""

    slug: str
    name: str


class Series(Struct, frozen=True, rename="camel"):
    """A story as a row of a list."""

    id: UUID
    slug: str
    title: str
    content_type: str
    status: str
    source: str
    language: str
    original_language: str | None
    authors: list[str]
    cover_url: str | None
    is_nsfw: bool
    age_rating: str | None
    warnings: list[Warned]
    chapter_count: int
    last_chapter: float | None
    follower_count: int
    rating: float | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, story: ListedStory) -> "Series":
        return cls(
            id=story.uid,
            slug=story.public_slug,
            title=story.title,
            content_type=story.kind,
            status=STATUSES[story.status],
            source=story.source,
            language=story.language,
            original_language=story.original_language,
            authors=story.authors,
            cover_url=story.cover_url,
            is_nsfw=story.is_nsfw,
            age_rating=story.age_rating,
            warnings=[Warned(slug, name) for slug, name in story.warnings],
            chapter_count=story.chapter_count,
            last_chapter=None if story.last_chapter_no is None else float(story.last_chapter_no),
            follower_count=story.follower_count,
            rating=None if story.rating_avg is None else float(story.rating_avg),
            created_at=story.created_at,
            updated_at=story.updated_at,
        )


class ChapterPlace(Struct, frozen=True, rename="camel"):
    """Where to go on: another chapter."""

    id: UUID
    sort_order: float
    slug: str
    title: str | None

    @classmethod
    def of(
        cls, uid: UUID | None, number: float | None, slug: str | None, title: str | None
    ) -> "ChapterPlace | None":
        if uid is None or number is None or slug is None:
            return None
        return cls(uid, number, slug, title or None)

    @classmethod
    def of_end(cls, end: ChapterEnd | None) -> "ChapterPlace | None":
        return None if end is None else cls(end.uid, end.chapter_no, end.slug, end.title or None)


class ContentWarning(Struct, frozen=True, rename="camel"):
    """What to ask readers before they are shown a story for adults."""

    is_nsfw: bool
    age_rating: str | None
    warnings: list[Warned]

    @classmethod
    def of(cls, told: StoryRow | ChapterRow, *, warns: bool) -> "ContentWarning | None":
        if not (warns and told.is_adult):
            return None
        return cls(told.is_nsfw, told.age_rating, _warnings(told))


def _warnings(told: StoryRow | ChapterRow) -> list[Warned]:
    return [Warned(slug, name) for slug, name in told.warnings]


class SeriesDetail(Struct, frozen=True, rename="camel"):
    """All that is told of a story."""

    id: UUID
    slug: str
    title: str
    original_title: str | None
    alternative_titles: list[str]
    description: str
    content_type: str
    reading_direction: str
    status: str
    source: str
    language: str
    original_language: str | None
    translation_group: UUID | None
    is_nsfw: bool
    age_rating: str | None
    warnings: list[Warned]
    content_warning: ContentWarning | None
    authors: list[str]
    artists: list[str]
    tags: list[str]
    genres: list[str]
    genre_slugs: list[str]
    terms: list[Term]
    year: int | None
    cover_url: str | None
    chapter_count: int
    word_count: int
    last_chapter: float | None
    first_chapter: ChapterPlace | None
    latest_chapter: ChapterPlace | None
    follower_count: int
    view_count: int
    rating: float | None
    rating_count: int
    published_at: datetime | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, detail: StoryDetail, *, warns: bool = False) -> "SeriesDetail":
        story = detail.story
        return cls(
            id=story.uid,
            slug=public_slug(story.source, story.slug),
            title=story.title,
            original_title=story.title_original,
            alternative_titles=story.aliases,
            description=story.summary,
            content_type=story.kind,
            reading_direction=story.reading_direction,
            status=STATUSES[story.status],
            source=story.source,
            language=story.language,
            original_language=story.original_language,
            translation_group=story.translation_group,
            is_nsfw=story.is_nsfw,
            age_rating=story.age_rating,
            warnings=_warnings(story),
            content_warning=ContentWarning.of(story, warns=warns),
            authors=story.authors,
            artists=story.artists,
            tags=story.tags,
            genres=[name for _, name in story.genres],
            genre_slugs=[slug for slug, _ in story.genres],
            terms=[Term(*term) for term in story.terms],
            year=story.year,
            cover_url=story.cover_url,
            chapter_count=story.chapter_count,
            word_count=story.word_count,
            last_chapter=story.last_chapter_no,
            first_chapter=ChapterPlace.of_end(detail.first),
            latest_chapter=ChapterPlace.of_end(detail.latest),
            follower_count=story.follower_count,
            view_count=story.view_count,
            rating=story.rating_avg,
            rating_count=story.rating_count,
            published_at=story.published_at,
            created_at=story.created_at,
            updated_at=story.updated_at,
        )


class ChapterGroup(Struct, frozen=True, rename="camel"):
    """Who brought a chapter into this language."""

    id: UUID
    slug: str
    name: str

    @classmethod
    def of(cls, id_: UUID | None, slug: str | None, name: str | None) -> "ChapterGroup | None":
        return None if id_ is None or slug is None or name is None else cls(id_, slug, name)


def _number(label: str | None, number: float) -> str:
    """A chapter's number as people write it: as its uploader did, else without idle zeros."""
    return label or f"{number:.2f}".rstrip("0").rstrip(".")


class Chapter(Struct, frozen=True, rename="camel"):
    """A chapter as a row of a list; `isRead` only for somebody who has signed in."""

    id: UUID
    slug: str
    chapter_number: str
    sort_order: float
    volume_number: str | None
    title: str | None
    language: str
    page_count: int
    word_count: int
    group: ChapterGroup | None
    published_at: datetime | None
    created_at: datetime
    updated_at: datetime
    is_read: bool | UnsetType = UNSET

    @classmethod
    def of(cls, row: ListedChapter, *, is_read: bool | UnsetType = UNSET) -> "Chapter":
        number = float(row.chapter_no)
        return cls(
            id=row.uid,
            slug=row.slug,
            chapter_number=_number(row.number_label, number),
            sort_order=number,
            volume_number=row.volume_label,
            title=row.title or None,
            language=row.language,
            page_count=row.page_count,
            word_count=row.word_count,
            group=ChapterGroup.of(row.group_id, row.group_slug, row.group_name),
            published_at=row.published_at,
            created_at=row.created_at,
            updated_at=row.updated_at,
            is_read=is_read,
        )


class ChapterSeries(Struct, frozen=True, rename="camel"):
    """The series of a chapter."""

    id: UUID
    slug: str
    title: str
    content_type: str


class ReadableChapter(Struct, frozen=True, rename="camel"):
    """A chapter to be read: its text, unless it consists of pages."""

    id: UUID
    slug: str
    chapter_number: str
    sort_order: float
    volume_number: str | None
    title: str | None
    language: str
    page_count: int
    word_count: int
    group: ChapterGroup | None
    series: ChapterSeries
    content_warning: ContentWarning | None
    content_html: str | None
    prev: ChapterPlace | None
    next: ChapterPlace | None
    published_at: datetime | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, detail: ChapterDetail, *, warns: bool = False) -> "ReadableChapter":
        row = detail.chapter
        slug = public_slug(row.source, row.story_slug)
        return cls(
            id=row.uid,
            slug=row.slug,
            chapter_number=_number(row.number_label, row.chapter_no),
            sort_order=row.chapter_no,
            volume_number=row.volume_label,
            title=row.title or None,
            language=row.language,
            page_count=row.page_count,
            word_count=row.word_count,
            group=ChapterGroup.of(row.group_id, row.group_slug, row.group_name),
            series=ChapterSeries(row.story_uid, slug, row.story_title, row.kind),
            content_warning=ContentWarning.of(row, warns=warns),
            content_html=None if detail.content is None else detail.content.html,
            prev=ChapterPlace.of(
                row.previous_uid, row.previous_no, row.previous_slug, row.previous_title
            ),
            next=ChapterPlace.of(row.next_uid, row.next_no, row.next_slug, row.next_title),
            published_at=row.published_at,
            created_at=row.created_at,
            updated_at=row.updated_at,
        )
