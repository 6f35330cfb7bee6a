"""What a reader takes along from the shelf.

Stories that nobody may read at the moment are left out: their names would tell of them.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from rensai.kit.db import Reads
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.readers.door import Belongings
from rensai.rooms.shelf.model import Status
from rensai.rooms.shelf.model.belongings import STATUS_WORDS, OwnBookmark, OwnProgress, OwnRead
from rensai.rooms.shelf.service.restoring import (
    restore_bookmarks,
    restore_history,
    restore_progress,
)
from rensai.rooms.shelf.store import belongings as store

PORTION = 500

R = TypeVar("R")


async def progress_rows(reads: Reads, user_id: int) -> AsyncIterator[OwnProgress]:
    """Where a reader is in stories."""
    async for rows in _portions(reads, user_id, store.progress, lambda row: row.story_id):
        chapters = await catalogue.chapter_cards(reads, {row.chapter_id for row in rows})
        for row in rows:
            if (chapter := chapters.get(row.chapter_id)) is not None:
                yield OwnProgress(
                    source=chapter.source,
                    slug=chapter.story_slug,
                    title=chapter.story_title,
                    number=chapter.chapter_no,
                    language=chapter.language,
                    scroll_position=row.scroll_position,
                    page_number=row.page_number,
                    updated_at=row.updated_at,
                )


async def history_rows(reads: Reads, user_id: int) -> AsyncIterator[OwnRead]:
    """Which chapters a reader has read."""
    async for rows in _portions(reads, user_id, store.history, lambda row: row.chapter_id):
        chapters = await catalogue.chapter_cards(reads, {row.chapter_id for row in rows})
        for row in rows:
            if (chapter := chapters.get(row.chapter_id)) is not None:
                yield OwnRead(
                    source=chapter.source,
                    slug=chapter.story_slug,
                    title=chapter.story_title,
                    number=chapter.chapter_no,
                    language=chapter.language,
                    read_at=row.read_at,
                    completed=row.completed,
                    scroll_position=row.scroll_position,
                    page_number=row.page_number,
                    updated_at=row.updated_at,
                )


async def bookmark_rows(reads: Reads, user_id: int) -> AsyncIterator[OwnBookmark]:
    """What a reader has on the shelf."""
    async for rows in _portions(reads, user_id, store.bookmarks, lambda row: row.story_id):
        stories = await catalogue.story_cards(reads, {row.story_id for row in rows})
        for row in rows:
            if (story := stories.get(row.story_id)) is not None:
                yield OwnBookmark(
                    source=story.source,
                    slug=story.slug,
                    title=story.title,
                    status=STATUS_WORDS[Status(row.status)],
                    notify_new_chapter=row.notify_new_chapter,
                    added_at=row.created_at,
                    updated_at=row.updated_at,
                )


async def _portions(
    reads: Reads,
    user_id: int,
    read: Callable[[Reads, int, int, int], Awaitable[list[R]]],
    key: Callable[[R], int],
) -> AsyncIterator[list[R]]:
    after = 0
    while rows := await read(reads, user_id, after, PORTION):
        yield rows
        after = key(rows[-1])


BELONGINGS = (
    Belongings("progress", progress_rows, restore_progress),
    Belongings("bookmarks", bookmark_rows, restore_bookmarks),
    Belongings("history", history_rows, restore_history),
)
"""The files of an archive that are of this room."""
