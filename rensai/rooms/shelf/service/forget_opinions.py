"""Erasing what accounts that are gone have thought."""

from collections.abc import Iterable

from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.shelf.store import lists as list_store
from rensai.rooms.shelf.store import ratings as rating_store

RATINGS_AT_ONCE = 500
LISTS_AT_ONCE = 10


async def forget_opinions(db: Database, clock: Clock, user_ids: Iterable[int]) -> None:
    """Erase ratings, reviews and reading lists; twice is once."""
    for user_id in user_ids:
        while await _forget_ratings(db, clock, user_id):
            pass
        while await _forget_lists(db, user_id):
            pass


async def _forget_ratings(db: Database, clock: Clock, user_id: int) -> bool:
    """Whether there may be more."""
    async with db.transaction() as tx:
        stories = await rating_store.forget(tx, user_id, RATINGS_AT_ONCE)
        await catalogue.touch_recounts_later(tx, clock, stories)
    return len(stories) == RATINGS_AT_ONCE


async def _forget_lists(db: Database, user_id: int) -> bool:
    async with db.transaction() as tx:
        return await list_store.forget(tx, user_id, LISTS_AT_ONCE) == LISTS_AT_ONCE
