"""What is really in the tables of the shelf."""

from datetime import datetime

import msgspec

from rensai.kit.db import Command, Query
from tests.rooms.shelf.desk import Desk, Named, Reader


class ProgressRow(msgspec.Struct, frozen=True):
    story_id: int
    chapter_id: int
    chapter_no: float
    scroll_position: float | None
    page_number: int | None
    updated_at: datetime


class HistoryRow(msgspec.Struct, frozen=True):
    chapter_id: int
    story_id: int
    page_number: int | None
    completed: bool | None
    scroll_position: float | None
    read_at: datetime | None
    updated_at: datetime


class BookmarkRow(msgspec.Struct, frozen=True):
    story_id: int
    status: int
    notify_new_chapter: bool
    created_at: datetime
    updated_at: datetime


class Rows(msgspec.Struct, frozen=True):
    """All of one reader's."""

    progress: list[ProgressRow]
    history: list[HistoryRow]
    bookmarks: list[BookmarkRow]


_PROGRESS = Query(
    """
    SELECT story_id, chapter_id, chapter_no::float8 AS chapter_no, scroll_position, page_number,
        updated_at
    FROM reading_progress WHERE user_id = $1 ORDER BY story_id
    """,
    ProgressRow,
)
_HISTORY = Query(
    """
    SELECT chapter_id, story_id, page_number, completed, scroll_position, read_at, updated_at
    FROM reading_history WHERE user_id = $1 ORDER BY chapter_id
    """,
    HistoryRow,
)
_BOOKMARKS = Query(
    """
    SELECT story_id, status, notify_new_chapter, created_at, updated_at
    FROM bookmarks WHERE user_id = $1 ORDER BY story_id
    """,
    BookmarkRow,
)
_WAITS = Query("SELECT count(*) AS waits FROM recount_queue WHERE story_id = $1", int)
_COUNTED = Command("DELETE FROM recount_queue")


async def all_of(desk: Desk, reader: Reader) -> Rows:
    """What is written of a reader; what waits in memory is not."""
    return await rows_of(desk, reader.id)


async def rows_of(desk: Desk, user_id: int) -> Rows:
    reads = desk.rig.db.primary
    return Rows(
        await reads.all(_PROGRESS, user_id),
        await reads.all(_HISTORY, user_id),
        await reads.all(_BOOKMARKS, user_id),
    )


async def recount_waits(desk: Desk, story: Named) -> bool:
    """Whether the story is to be counted anew."""
    return bool(await desk.rig.db.primary.first(_WAITS, story.id))


async def nothing_waits(desk: Desk) -> None:
    """As if every story had been counted."""
    async with desk.rig.db.transaction() as tx:
        await tx.run(_COUNTED)
