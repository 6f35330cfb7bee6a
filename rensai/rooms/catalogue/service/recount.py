"""Counting stories anew: chapters, words, the last number, and how popular that makes them."""

from collections.abc import Sequence

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Tx
from rensai.kit.errors import RensaiError
from rensai.kit.log import get_logger
from rensai.rooms.catalogue.store import recounts as store

BATCH = 500

_log = get_logger("rensai.catalogue.recount")


async def recount_due(db: Database, clock: Clock, worker: str, limit: int = BATCH) -> int:
    """Count what is due, the most urgent stories first; how many stories that were.

    A batch that fails is done again story by story, so that one bad story waits alone.
    """
    async with db.transaction() as tx:
        claimed = await store.claim(tx, worker, clock.now(), limit)
    ids = sorted(one.story_id for one in claimed)
    if not ids:
        return 0
    try:
        await _count(db, clock, ids)
    except RensaiError as error:
        _log.warning("a recount failed", stories=len(ids), error=error.private or error.message)
        for story_id in ids:
            await _count_alone(db, clock, worker, story_id)
    return len(ids)


async def recount_story(tx: Tx, story_id: int) -> bool:
    """Count one story now; False when there is no such story."""
    if not await store.lock_stories(tx, [story_id]):
        return False
    await store.recount(tx, [story_id])
    return True


async def give_back_recounts(db: Database, worker: str) -> None:
    """Let others have what this worker has taken on and will not do."""
    async with db.transaction() as tx:
        await store.release(tx, worker)


async def _count_alone(db: Database, clock: Clock, worker: str, story_id: int) -> None:
    try:
        await _count(db, clock, [story_id])
    except RensaiError as error:
        _log.warning("a recount failed", story=story_id, error=error.private or error.message)
        async with db.transaction() as tx:
            await store.fail(tx, worker, [story_id], clock.now())


async def _count(db: Database, clock: Clock, story_ids: Sequence[int]) -> None:
    """Whoever writes to a story touches it while holding its row. So once we hold the row, what
    we count includes every touch that we see, and a later touch changes the number of touches."""
    ids = list(story_ids)
    async with db.transaction() as tx:
        await store.lock_stories(tx, ids)
        touched = await store.touches(tx, ids)
        await store.recount(tx, ids)
        await store.finish(tx, touched)
        await store.reopen(tx, ids, clock.now())
