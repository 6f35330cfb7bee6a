"""What `/api/v1` tells of somebody's library and reading."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from rensai.rooms.catalogue.door import STATUSES, ChapterCard, ListedStory, public_slug
from rensai.rooms.shelf.model import Bookmark, Progress, Status
from rensai.rooms.shelf.service.history import WasRead
from rensai.rooms.shelf.service.library import Held

WORDS = {
    "reading": Status.FOLLOWING,
    "favorite": Status.FAVORITE,
    "plan_to_read": Status.PLAN_TO_READ,
    "dropped": Status.DROPPED,
    "completed": Status.COMPLETED,
    "on_hold": Status.ON_HOLD,
}
NAMES = {status: word for word, status in WORDS.items()}


class HeldSeries(Struct, frozen=True, rename="camel"):
    """A series, in short."""

    id: UUID
    slug: str
    title: str
    content_type: str
    status: str
    source: str
    language: str
    authors: list[str]
    cover_url: str | None
    is_nsfw: bool
    chapter_count: int
    last_chapter: float | None
    updated_at: datetime

    @classmethod
    def of(cls, story: ListedStory) -> "HeldSeries":
        return cls(
            id=story.uid,
            slug=story.public_slug,
            title=story.title,
            content_type=story.kind,
            status=STATUSES[story.status],
            source=story.source,
            language=story.language,
            authors=story.authors,
            cover_url=story.cover_url,
            is_nsfw=story.is_nsfw,
            chapter_count=story.chapter_count,
            last_chapter=None if story.last_chapter_no is None else float(story.last_chapter_no),
            updated_at=story.updated_at,
        )


class PlaceInSeries(Struct, frozen=True, rename="camel"):
    """Where a reader is in a series; without `chapterId` that chapter is gone."""

    chapter_id: UUID | None
    chapter_slug: str | None
    chapter_title: str | None
    sort_order: float
    page_number: int | None
    scroll_position: float | None
    updated_at: datetime

    @classmethod
    def of(cls, at: Progress | None, chapter: ChapterCard | None) -> "PlaceInSeries | None":
        if at is None:
            return None
        return cls(
            chapter_id=chapter and chapter.uid,
            chapter_slug=chapter and chapter.slug,
            chapter_title=(chapter and chapter.title) or None,
            sort_order=at.chapter_no if chapter is None else chapter.chapter_no,
            page_number=at.page_number,
            scroll_position=at.scroll_position,
            updated_at=at.updated_at,
        )


class OnShelf(Struct, frozen=True, rename="camel"):
    """How a series stands on the shelf."""

    series_id: UUID
    status: str
    notify_new_chapter: bool
    added_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, series_id: UUID, one: Bookmark) -> "OnShelf":
        status = NAMES[Status(one.status)]
        return cls(series_id, status, one.notify_new_chapter, one.created_at, one.updated_at)


class InLibrary(Struct, frozen=True, rename="camel"):
    """A series of the library."""

    series_id: UUID
    status: str
    notify_new_chapter: bool
    added_at: datetime
    updated_at: datetime
    series: HeldSeries
    progress: PlaceInSeries | None

    @classmethod
    def of(cls, held: Held, bookmark: Bookmark) -> "InLibrary":
        return cls(
            series_id=held.story.uid,
            status=NAMES[Status(bookmark.status)],
            notify_new_chapter=bookmark.notify_new_chapter,
            added_at=bookmark.created_at,
            updated_at=bookmark.updated_at,
            series=HeldSeries.of(held.story),
            progress=PlaceInSeries.of(held.row.progress, held.chapter),
        )


class ReadingOfChapter(Struct, frozen=True, rename="camel"):
    """How far a chapter has been read; `updatedAt` is null when it has not been opened yet."""

    chapter_id: UUID
    series_id: UUID
    page_number: int
    completed: bool
    scroll_position: float | None
    updated_at: datetime | None


class ReadInSeries(Struct, frozen=True, rename="camel"):
    """A chapter of a series that was read."""

    chapter_id: UUID
    slug: str
    title: str | None
    sort_order: float
    language: str
    page_number: int
    completed: bool
    scroll_position: float | None
    updated_at: datetime

    @classmethod
    def of(cls, read: WasRead) -> "ReadInSeries":
        row, chapter = read.row, read.chapter
        return cls(
            chapter_id=chapter.uid,
            slug=chapter.slug,
            title=chapter.title or None,
            sort_order=chapter.chapter_no,
            language=chapter.language,
            page_number=row.page_number or 1,
            completed=bool(row.completed),
            scroll_position=row.scroll_position,
            updated_at=row.updated_at,
        )


class ReadingOfSeries(Struct, frozen=True, rename="camel"):
    """Where a reader is in a series, and a page of the chapters that were read, latest first."""

    series_id: UUID
    current: PlaceInSeries | None
    items: list[ReadInSeries]
    next_cursor: str | None
    has_more: bool


class WasReadLately(Struct, frozen=True, rename="camel"):
    """A chapter of the history."""

    chapter_id: UUID
    chapter_slug: str
    chapter_title: str | None
    sort_order: float
    series_id: UUID
    series_slug: str
    series_title: str
    read_at: datetime

    @classmethod
    def of(cls, read: WasRead) -> "WasReadLately":
        chapter = read.chapter
        return cls(
            chapter_id=chapter.uid,
            chapter_slug=chapter.slug,
            chapter_title=chapter.title or None,
            sort_order=chapter.chapter_no,
            series_id=chapter.story_uid,
            series_slug=public_slug(chapter.source, chapter.story_slug),
            series_title=chapter.story_title,
            read_at=read.row.recent[0],
        )
