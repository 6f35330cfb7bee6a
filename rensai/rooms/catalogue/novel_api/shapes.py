"""What the novel API tells of stories and chapters."""

from datetime import datetime
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType

from rensai.rooms.catalogue.model import Genre, Term
from rensai.rooms.catalogue.model.reading import (
    ChapterDetail,
    ChapterEnd,
    ChapterRow,
    ListedChapter,
    StoryDetail,
    StoryRow,
)


class NovelChapterEnd(Struct, frozen=True):
    """The first or the latest chapter of a story."""

    id: int
    chapter_no: float
    slug: str
    title: str
    word_count: int
    published_at: datetime | None

    @classmethod
    def of(cls, end: ChapterEnd | None) -> "NovelChapterEnd | None":
        if end is None:
            return None
        return cls(end.id, end.chapter_no, end.slug, end.title, end.word_count, end.published_at)


class NovelChapterStats(Struct, frozen=True):
    """How much there is to read, as the last recount found it, and where to begin."""

    chapter_count: int
    word_count: int
    last_chapter_no: float | None
    first_chapter: NovelChapterEnd | None


class NovelWarning(Struct, frozen=True):
    """What readers are warned of."""

    slug: str
    name: str


class NovelContentWarning(Struct, frozen=True):
    """What to ask readers before they are shown a story for adults."""

    is_nsfw: bool
    age_rating: str | None
    warnings: list[NovelWarning]

    @classmethod
    def of(cls, told: StoryRow | ChapterRow, *, warns: bool) -> "NovelContentWarning | None":
        if not (warns and told.is_adult):
            return None
        return cls(told.is_nsfw, told.age_rating, _warnings(told))


def _warnings(told: StoryRow | ChapterRow) -> list[NovelWarning]:
    return [NovelWarning(slug, name) for slug, name in told.warnings]


class NovelStory(Struct, frozen=True):
    """All that is told of a story."""

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
    cover_url: str | None
    summary: str
    language: str
    original_language: str | None
    is_nsfw: bool
    age_rating: str | None
    warnings: list[NovelWarning]
    content_warning: NovelContentWarning | None
    year: int | None
    chapter_count: int
    word_count: int
    last_chapter_no: float | None
    popularity_score: float
    rating_avg: float | None
    rating_count: int
    view_count: int
    follower_count: int
    cache_version: int
    published_at: datetime | None
    updated_at_source: datetime | None
    created_at: datetime
    updated_at: datetime
    aliases: list[str]
    genres: list[Genre]
    tags: list[str]
    terms: list[Term]
    chapter_stats: NovelChapterStats
    latest_chapter: NovelChapterEnd | None
    translation_group: UUID | None

    @classmethod
    def of(cls, detail: StoryDetail, *, warns: bool = False) -> "NovelStory":
        story = detail.story
        return cls(
            id=story.id,
            uid=story.uid,
            kind=story.kind,
            source=story.source,
            source_story_id=story.source_story_id,
            slug=story.slug,
            title=story.title,
            title_original=story.title_original,
            author_name=story.author_name,
            authors=story.authors,
            status=story.status,
            cover_url=story.cover_url,
            summary=story.summary,
            language=story.language,
            original_language=story.original_language,
            is_nsfw=story.is_nsfw,
            age_rating=story.age_rating,
            warnings=_warnings(story),
            content_warning=NovelContentWarning.of(story, warns=warns),
            year=story.year,
            chapter_count=story.chapter_count,
            word_count=story.word_count,
            last_chapter_no=story.last_chapter_no,
            popularity_score=story.popularity_score,
            rating_avg=story.rating_avg,
            rating_count=story.rating_count,
            view_count=story.view_count,
            follower_count=story.follower_count,
            cache_version=story.cache_version,
            published_at=story.published_at,
            updated_at_source=story.updated_at_source,
            created_at=story.created_at,
            updated_at=story.updated_at,
            aliases=story.aliases,
            genres=[Genre(*genre) for genre in story.genres],
            tags=story.tags,
            terms=[Term(*term) for term in story.terms],
            chapter_stats=NovelChapterStats(
                story.chapter_count,
                story.word_count,
                story.last_chapter_no,
                NovelChapterEnd.of(detail.first),
            ),
            latest_chapter=NovelChapterEnd.of(detail.latest),
            translation_group=story.translation_group,
        )


class NovelChapter(Struct, frozen=True):
    """A chapter as a row of a list; `is_read` only for somebody who has signed in."""

    id: int
    source_chapter_id: str | None
    chapter_no: float
    slug: str
    title: str
    language: str
    word_count: int
    page_count: int
    published_at: datetime | None
    created_at: datetime
    updated_at: datetime
    is_read: bool | UnsetType = UNSET

    @classmethod
    def of(cls, row: ListedChapter, *, is_read: bool | UnsetType = UNSET) -> "NovelChapter":
        return cls(
            id=row.id,
            source_chapter_id=row.source_chapter_id,
            chapter_no=float(row.chapter_no),
            slug=row.slug,
            title=row.title,
            language=row.language,
            word_count=row.word_count,
            page_count=row.page_count,
            published_at=row.published_at,
            created_at=row.created_at,
            updated_at=row.updated_at,
            is_read=is_read,
        )


class NovelChapterPlace(Struct, frozen=True):
    """Where to go on: another chapter."""

    id: int
    chapter_no: float
    slug: str
    title: str

    @classmethod
    def of(
        cls, id_: int | None, number: float | None, slug: str | None, title: str | None
    ) -> "NovelChapterPlace | None":
        if id_ is None or number is None or slug is None or title is None:
            return None
        return cls(id_, number, slug, title)


class NovelChapterStory(Struct, frozen=True):
    """The story of a chapter."""

    id: int
    source: str
    slug: str
    title: str


class NovelReadableChapter(Struct, frozen=True):
    """A chapter with its text."""

    id: int
    uid: UUID
    story_id: int
    source_chapter_id: str | None
    chapter_no: float
    slug: str
    title: str
    language: str
    word_count: int
    page_count: int
    read_count: int
    published_at: datetime | None
    updated_at_source: datetime | None
    created_at: datetime
    updated_at: datetime
    content_warning: NovelContentWarning | None
    story: NovelChapterStory
    prev_chapter: NovelChapterPlace | None
    next_chapter: NovelChapterPlace | None
    content_raw: str | None
    content_html: str | None
    content_hash: str | None
    content_size: int | None

    @classmethod
    def of(cls, detail: ChapterDetail, *, warns: bool = False) -> "NovelReadableChapter":
        row, content = detail.chapter, detail.content
        return cls(
            id=row.id,
            uid=row.uid,
            story_id=row.story_id,
            source_chapter_id=row.source_chapter_id,
            chapter_no=row.chapter_no,
            slug=row.slug,
            title=row.title,
            language=row.language,
            word_count=row.word_count,
            page_count=row.page_count,
            read_count=row.read_count,
            published_at=row.published_at,
            updated_at_source=row.updated_at_source,
            created_at=row.created_at,
            updated_at=row.updated_at,
            content_warning=NovelContentWarning.of(row, warns=warns),
            story=NovelChapterStory(row.story_id, row.source, row.story_slug, row.story_title),
            prev_chapter=NovelChapterPlace.of(
                row.previous_id, row.previous_no, row.previous_slug, row.previous_title
            ),
            next_chapter=NovelChapterPlace.of(
                row.next_id, row.next_no, row.next_slug, row.next_title
            ),
            content_raw=content and content.raw,
            content_html=content and content.html,
            content_hash=content and content.hash,
            content_size=content and content.size,
        )
