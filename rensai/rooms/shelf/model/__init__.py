"""The words of the room: reading, and what is on the shelf."""

from datetime import datetime
from enum import Enum, IntEnum

import msgspec

KEY_TYPES = (datetime, int)
"""The types of every key of the room: a time, and the id that breaks ties."""

Key = tuple[datetime, int]


class Status(IntEnum):
    """Why a story is on somebody's shelf."""

    FOLLOWING = 0
    FAVORITE = 1
    PLAN_TO_READ = 2
    DROPPED = 3
    COMPLETED = 4
    ON_HOLD = 5

    @property
    def novel(self) -> int:
        """The same for the novel API, which knows the first four."""
        return self if self <= Status.DROPPED else Status.FOLLOWING


FOLLOWS = (Status.FOLLOWING, Status.FAVORITE, Status.COMPLETED, Status.ON_HOLD)
"""What counts as following a story: all that the novel API shows as following or favorite."""


class Part(Enum):
    """Which stories a list of the library is about."""

    READING = "reading"
    BOOKMARKS = "bookmarks"
    ALL = "all"


class Step(msgspec.Struct, frozen=True, gc=False):
    """That somebody was at that place of a chapter at that time."""

    user_id: int
    story_id: int
    chapter_id: int
    chapter_no: float
    scroll_position: float | None
    page_number: int | None
    completed: bool | None
    """None when nothing was said: what was said before stays."""

    at: datetime


class Progress(msgspec.Struct, frozen=True):
    """Where somebody is in a story."""

    story_id: int
    chapter_id: int
    chapter_no: float
    scroll_position: float | None
    page_number: int | None
    updated_at: datetime


class Bookmark(msgspec.Struct, frozen=True):
    """That a story is on somebody's shelf."""

    story_id: int
    status: int
    notify_new_chapter: bool
    created_at: datetime
    updated_at: datetime


class ReadChapter(msgspec.Struct, frozen=True):
    """What is known of somebody's reading of a chapter."""

    chapter_id: int
    story_id: int
    page_number: int | None
    completed: bool | None
    scroll_position: float | None
    read_at: datetime | None
    """None when it is so long ago that it is no longer told."""

    updated_at: datetime

    @property
    def recent(self) -> Key:
        """Where it stands in the history; for what is in it."""
        return self.read_at or self.updated_at, self.chapter_id

    @property
    def latest(self) -> Key:
        """Where it stands among what was read of its story."""
        return self.updated_at, self.chapter_id


class Shelved(msgspec.Struct, frozen=True):
    """A story of somebody's library: being read, on the shelf, or both."""

    moment: datetime
    """When it came to its place in the list."""

    story_id: int
    chapter_id: int | None
    chapter_no: float | None
    scroll_position: float | None
    page_number: int | None
    read_at: datetime | None
    status: int | None
    notify_new_chapter: bool | None
    created_at: datetime | None
    changed_at: datetime | None

    @property
    def key(self) -> Key:
        """Where it stands in the list."""
        return self.moment, self.story_id

    @property
    def progress(self) -> Progress | None:
        """Where somebody is in it, if it is being read."""
        if self.chapter_id is None or self.chapter_no is None or self.read_at is None:
            return None
        return Progress(
            self.story_id,
            self.chapter_id,
            self.chapter_no,
            self.scroll_position,
            self.page_number,
            self.read_at,
        )

    @property
    def bookmark(self) -> Bookmark | None:
        """How it stands on the shelf, if it does."""
        if self.status is None or self.created_at is None or self.changed_at is None:
            return None
        return Bookmark(
            self.story_id,
            self.status,
            bool(self.notify_new_chapter),
            self.created_at,
            self.changed_at,
        )
