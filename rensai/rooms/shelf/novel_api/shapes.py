"""What the novel API tells of somebody's shelf, and takes."""

from datetime import datetime
from typing import Annotated

from litestar.params import PathParameter, QueryParameter
from msgspec import Meta, Struct

from rensai.rooms.catalogue.door import ChapterCard, ListedStory
from rensai.rooms.shelf.model import Bookmark, Progress, Status, Step
from rensai.rooms.shelf.service.history import WasRead
from rensai.rooms.shelf.service.library import Held
from rensai.rooms.shelf.service.track import Sent

LARGEST_ID = 2**63 - 1
READ = {"scope": "library:read"}
WRITE = {"scope": "library:write"}

Id = Annotated[int, Meta(ge=1, le=2**53 - 1)]
"""In a body no larger than what every reader of JSON keeps exactly; none here will ever be."""

StoryId = Annotated[int, PathParameter(ge=1, le=LARGEST_ID, description="The `id` of the story.")]
OneStory = Annotated[
    int | None, QueryParameter(ge=1, le=LARGEST_ID, description="Only this story, by its `id`.")
]
ChapterNo = Annotated[float, Meta(ge=-99_999_999.99, le=99_999_999.99)]
Scroll = Annotated[float, Meta(ge=0, le=1)]
Moment = Annotated[datetime, Meta(tz=True)]


class NovelPlace(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a reader is in a story."""

    chapter_id: Id
    chapter_no: ChapterNo
    scroll_position: Scroll | None = None
    updated_at: Moment | None = None
    """When it was, for devices that were offline; a time to come counts as now."""

    def sent(self, story_id: int) -> Sent:
        return Sent(story_id, self.chapter_id, self.scroll_position, at=self.updated_at)


class NovelPlaceInStory(Struct, frozen=True, forbid_unknown_fields=True):
    """The same, with the story."""

    story_id: Id
    chapter_id: Id
    chapter_no: ChapterNo
    scroll_position: Scroll | None = None
    updated_at: Moment | None = None

    def sent(self) -> Sent:
        return Sent(self.story_id, self.chapter_id, self.scroll_position, at=self.updated_at)


class NovelPlaces(Struct, frozen=True, forbid_unknown_fields=True):
    """What a device has gathered."""

    items: Annotated[list[NovelPlaceInStory], Meta(min_length=1, max_length=50)]


class NovelProgress(Struct, frozen=True):
    """Where a reader is in a story, as it was accepted."""

    story_id: int
    chapter_id: int
    chapter_no: float
    scroll_position: float | None
    updated_at: datetime

    @classmethod
    def of(cls, step: Step) -> "NovelProgress":
        return cls(step.story_id, step.chapter_id, step.chapter_no, step.scroll_position, step.at)


class NovelMissing(Struct, frozen=True):
    """What a device has gathered about something that is not here."""

    story_id: int
    chapter_id: int


class NovelProgressOfMany(Struct, frozen=True):
    """What was accepted of what a device has gathered."""

    updated_count: int
    items: list[NovelProgress]
    not_found: list[NovelMissing]


class NovelKeep(Struct, frozen=True, forbid_unknown_fields=True):
    """How a story is to stand on the shelf: 0 following, 1 favorite, 2 plan to read, 3 dropped."""

    status: Annotated[int, Meta(ge=0, le=3)] = 0
    notify_new_chapter: bool = True


class NovelBookmark(Struct, frozen=True):
    """How a story stands on the shelf."""

    story_id: int
    status: int
    notify_new_chapter: bool
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, one: Bookmark) -> "NovelBookmark":
        return cls(
            one.story_id,
            Status(one.status).novel,
            one.notify_new_chapter,
            one.created_at,
            one.updated_at,
        )


class NovelHeldStory(Struct, frozen=True):
    """A story, in short."""

    id: int
    source: str
    slug: str
    title: str
    author_name: str | None
    cover_url: str | None
    status: int
    language: str
    is_nsfw: bool
    chapter_count: int
    last_chapter_no: float | None
    updated_at: datetime

    @classmethod
    def of(cls, story: ListedStory) -> "NovelHeldStory":
        return cls(
            id=story.id,
            source=story.source,
            slug=story.slug,
            title=story.title,
            author_name=story.author_name,
            cover_url=story.cover_url,
            status=story.status,
            language=story.language,
            is_nsfw=story.is_nsfw,
            chapter_count=story.chapter_count,
            last_chapter_no=None if story.last_chapter_no is None else float(story.last_chapter_no),
            updated_at=story.updated_at,
        )


class NovelPlaceNow(Struct, frozen=True):
    """Where a reader is in a story; without `chapter_id` that chapter is gone."""

    chapter_id: int | None
    chapter_no: float
    chapter_slug: str | None
    chapter_title: str | None
    scroll_position: float | None
    updated_at: datetime

    @classmethod
    def of(cls, at: Progress | None, chapter: ChapterCard | None) -> "NovelPlaceNow | None":
        if at is None:
            return None
        return cls(
            chapter_id=chapter and chapter.id,
            chapter_no=at.chapter_no if chapter is None else chapter.chapter_no,
            chapter_slug=chapter and chapter.slug,
            chapter_title=chapter and chapter.title,
            scroll_position=at.scroll_position,
            updated_at=at.updated_at,
        )


class NovelStanding(Struct, frozen=True):
    """How a story stands on the shelf."""

    status: int
    notify_new_chapter: bool
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, one: Bookmark | None) -> "NovelStanding | None":
        if one is None:
            return None
        status = Status(one.status).novel
        return cls(status, one.notify_new_chapter, one.created_at, one.updated_at)


class NovelHeld(Struct, frozen=True):
    """A story of the library."""

    story: NovelHeldStory
    progress: NovelPlaceNow | None
    bookmark: NovelStanding | None
    updated_at: datetime
    """What the list is ordered by: when it was read or changed last."""

    @classmethod
    def of(cls, held: Held) -> "NovelHeld":
        row = held.row
        return cls(
            NovelHeldStory.of(held.story),
            NovelPlaceNow.of(row.progress, held.chapter),
            NovelStanding.of(row.bookmark),
            row.moment,
        )


class NovelWasRead(Struct, frozen=True):
    """A chapter that was read."""

    story_id: int
    story_title: str
    story_source: str
    story_slug: str
    chapter_id: int
    chapter_title: str
    chapter_no: float
    chapter_slug: str
    read_at: datetime

    @classmethod
    def of(cls, read: WasRead) -> "NovelWasRead":
        chapter = read.chapter
        return cls(
            story_id=chapter.story_id,
            story_title=chapter.story_title,
            story_source=chapter.source,
            story_slug=chapter.story_slug,
            chapter_id=chapter.id,
            chapter_title=chapter.title,
            chapter_no=chapter.chapter_no,
            chapter_slug=chapter.slug,
            read_at=read.row.recent[0],
        )
