"""What a reader takes along: lines that another server understands.

Every field has bounds, because what is taken in was written by anybody.
"""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from rensai.rooms.shelf.model import Status

StatusWord = Literal["following", "favorite", "plan_to_read", "dropped", "completed", "on_hold"]
Moment = Annotated[datetime, Meta(tz=True)]
Name = Annotated[str, Meta(min_length=1, max_length=191, pattern=r"^[^\x00-\x1f]+$")]
Number = Annotated[float, Meta(ge=-99_999_999, le=99_999_999)]
Scroll = Annotated[float, Meta(ge=0, le=1)]
Page = Annotated[int, Meta(ge=1, le=100_000)]
Text = Annotated[str, Meta(max_length=1000)]


class OwnProgress(Struct, frozen=True):
    """Where somebody is in a story."""

    source: Name
    slug: Name
    number: Number
    language: Name
    updated_at: Moment
    title: Text = ""
    scroll_position: Scroll | None = None
    page_number: Page | None = None


class OwnRead(Struct, frozen=True):
    """A chapter that somebody has read; `read_at` is null when it was long ago."""

    source: Name
    slug: Name
    number: Number
    language: Name
    updated_at: Moment
    title: Text = ""
    read_at: Moment | None = None
    completed: bool | None = None
    scroll_position: Scroll | None = None
    page_number: Page | None = None


class OwnBookmark(Struct, frozen=True):
    """A story on somebody's shelf."""

    source: Name
    slug: Name
    status: StatusWord
    added_at: Moment
    updated_at: Moment
    title: Text = ""
    notify_new_chapter: bool = True


STATUS_WORDS: dict[Status, StatusWord] = {
    Status.FOLLOWING: "following",
    Status.FAVORITE: "favorite",
    Status.PLAN_TO_READ: "plan_to_read",
    Status.DROPPED: "dropped",
    Status.COMPLETED: "completed",
    Status.ON_HOLD: "on_hold",
}
STATUS_OF = {word: status for status, word in STATUS_WORDS.items()}
