"""Comments: where they stand, how they are listed, and what is told of one."""

from datetime import datetime, timedelta
from enum import Enum
from uuid import UUID

import msgspec

from rensai.rooms.readers.door import Person

LONGEST_COMMENT = 2000
"""Characters."""

EDIT_WINDOW = timedelta(minutes=15)
"""How long its author may change a comment."""

FIRST_REPLIES = 3
"""How many replies are shown with a comment; the rest has a list of its own."""

COUNT_AFTER = timedelta(seconds=2)
"""How long likes and replies gather before they are counted."""


class Order(Enum):
    """The orders of a thread; pinned comments come first in each."""

    NEWEST = "newest"
    OLDEST = "oldest"
    TOP = "top"

    @property
    def key_types(self) -> tuple[type, ...]:
        """The types in a `Key` of this order."""
        return (bool, int, datetime, int) if self is Order.TOP else (bool, datetime, int)


Key = tuple[object, ...]
"""Where a comment stands in its list: whether it is pinned, what is sorted by, and the id."""


class Place(msgspec.Struct, frozen=True):
    """What a thread is about: a story, or one of its chapters."""

    story_id: int
    chapter_id: int | None = None


class Comment(msgspec.Struct, frozen=True):
    """A comment as it is stored."""

    id: int
    uid: UUID
    story_id: int
    chapter_id: int | None
    parent_id: int | None
    parent_uid: UUID | None
    parent_is_hidden: bool
    user_id: int | None
    content: str
    likes_count: int
    reply_count: int
    is_pinned: bool
    is_hidden: bool
    is_local: bool
    actor_uri: str | None
    author_display_name: str
    author_avatar_url: str | None
    created_at: datetime
    updated_at: datetime
    edited_at: datetime | None
    deleted_at: datetime | None

    @property
    def place(self) -> Place:
        return Place(self.story_id, self.chapter_id)

    @property
    def is_withdrawn(self) -> bool:
        """Whether nobody but a moderator gets to see it: alone, or with the thread it is in."""
        return self.is_hidden or self.parent_is_hidden

    @property
    def stands(self) -> bool:
        """Whether something of it is there, if only a blank above its replies."""
        return self.deleted_at is None or self.reply_count > 0

    @property
    def time_key(self) -> Key:
        """Where it stands among replies, and in what somebody has written."""
        return self.created_at, self.id

    def key(self, order: Order) -> Key:
        """Where it stands in a thread."""
        likes = (self.likes_count,) if order is Order.TOP else ()
        return self.is_pinned, *likes, self.created_at, self.id


TIME_KEY_TYPES = (datetime, int)
"""The types of what `Comment.time_key` gives."""


class Draft(msgspec.Struct, frozen=True):
    """A comment about to be written."""

    uid: UUID
    place: Place
    parent_id: int | None
    author: Person
    content: str
    written_at: datetime


class Said(msgspec.Struct, frozen=True):
    """A comment as one reader sees it."""

    comment: Comment
    author: Person | None
    """Nobody when the account is gone, the comment was deleted, or it came from elsewhere."""

    is_own: bool
    is_liked: bool
    replies: "list[Said]"

    @property
    def is_deleted(self) -> bool:
        """Whether only a blank is left of it."""
        return self.comment.deleted_at is not None

    @property
    def content(self) -> str:
        return "" if self.is_deleted else self.comment.content
