"""Erasing what accounts that are gone have read and kept."""

from collections.abc import Iterable

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Tx
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.shelf.service.history import BATCH, in_batches
from rensai.rooms.shelf.store import forgetting as store
from rensai.rooms.shelf.store import history


async def forget_reading(db: Database, clock: Clock, user_ids: Iterable[int]) -> None:
    """Erase progress, history and bookmarks; twice is once."""
    for user_id in user_ids:
        await _forget(db, clock, user_id)


async def _forget(db: Database, clock: Clock, user_id: int) -> None:
    async def take_down(tx: Tx) -> int:
        stories = await store.bookmarks(tx, user_id, BATCH)
        await catalogue.touch_recounts_later(tx, clock, stories)
        return len(stories)

    await in_batches(db, lambda tx: history.forget_some(tx, user_id, BATCH))
    await in_batches(db, lambda tx: store.progress(tx, user_id, BATCH))
    await in_batches(db, take_down)
