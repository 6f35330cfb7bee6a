"""What was read, and forgetting it."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import msgspec

from rensai.kit.db import Database, Tx
from rensai.kit.errors import NotFound
from rensai.kit.services import Services
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import ChapterCard
from rensai.rooms.shelf.model import Key, ReadChapter
from rensai.rooms.shelf.service.buffer import ProgressBuffer
from rensai.rooms.shelf.service.pages import shown
from rensai.rooms.shelf.store import history as store
from rensai.rooms.shelf.store import progress as progress_store

BATCH = 2_000
"""Rows that one transaction forgets: others wait no longer than for that."""


class WasRead(msgspec.Struct, frozen=True):
    """A chapter that somebody has read, as it is shown."""

    row: ReadChapter
    chapter: ChapterCard


async def list_history(
    services: Services,
    progress: ProgressBuffer,
    user_id: int,
    *,
    after: Key | None,
    limit: int,
) -> list[WasRead]:
    """What was read lately, latest first; one more than `limit` if there is more."""
    await progress.settle(user_id)
    reads = services.db.primary
    return await _shown(
        services,
        lambda place, portion: store.recent(reads, user_id, place, portion),
        lambda row: row.recent,
        after=after,
        limit=limit,
    )


async def list_read_of_story(
    services: Services,
    progress: ProgressBuffer,
    user_id: int,
    story_id: int,
    *,
    after: Key | None,
    limit: int,
) -> list[WasRead]:
    """What was read of a story, latest first; one more than `limit` if there is more."""
    await progress.settle(user_id)
    reads = services.db.primary
    return await _shown(
        services,
        lambda place, portion: store.of_story(reads, user_id, place, portion, story_id),
        lambda row: row.latest,
        after=after,
        limit=limit,
    )


async def forget_history(db: Database, progress: ProgressBuffer, user_id: int) -> None:
    """Forget everything that somebody has read; where they are in stories stays."""
    await progress.settle(user_id)
    await in_batches(db, lambda tx: store.forget_some(tx, user_id, BATCH))


async def forget_history_of(
    db: Database, progress: ProgressBuffer, user_id: int, story_id: int
) -> None:
    """Forget what somebody has read of a story."""
    await progress.settle(user_id)
    await in_batches(db, lambda tx: store.forget_story(tx, user_id, BATCH, story_id))


async def forget_place(db: Database, progress: ProgressBuffer, user_id: int, story_id: int) -> None:
    """Forget where somebody is in a story."""
    await progress.settle(user_id)
    async with db.transaction() as tx:
        if not await progress_store.forget(tx, user_id, story_id):
            raise NotFound("You have not begun to read this story.")


async def forget_when(db: Database, before: datetime) -> int:
    """Forget when chapters were read, and not that they were; how many those are."""
    return await in_batches(db, lambda tx: store.forget_when(tx, before, BATCH))


async def in_batches(db: Database, some: Callable[[Tx], Awaitable[int]]) -> int:
    """Do something in a transaction after the other until one finds less than a whole batch."""
    total = 0
    while True:
        async with db.transaction(timedelta(seconds=60)) as tx:
            count = await some(tx)
        total += count
        if count < BATCH:
            return total


async def _shown(
    services: Services,
    read: Callable[[Key, int], Awaitable[list[ReadChapter]]],
    key: Callable[[ReadChapter], Key],
    *,
    after: Key | None,
    limit: int,
) -> list[WasRead]:
    found = await shown(
        read,
        key,
        lambda row: row.chapter_id,
        lambda ids: catalogue.chapter_cards(services.db.replica, ids),
        after=after,
        limit=limit,
    )
    return [WasRead(row, chapter) for row, chapter in found]
