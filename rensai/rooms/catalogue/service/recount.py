"""Counting stories anew: chapters, words, the last number, and how popular that makes them."""

from collections import Counter
from collections.abc import Sequence

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Tx
from rensai.kit.errors import RensaiError
from rensai.kit.events import emit
from rensai.kit.log import get_logger
from rensai.rooms.catalogue.events import StoriesCounted, StoryRecounted
from rensai.rooms.catalogue.model import Ratings
from rensai.rooms.catalogue.store import recounts as store

BATCH = 500

_log = get_logger("rensai.catalogue.recount")


async def recount_due(db: Database, clock: Clock, worker: str, limit: int = BATCH) -> int:
    """Count what is due, the most urgent stories first; how many stories that were.

    A batch that fails is done again story by story, so that one bad story waits alone.
    """
    async with db.transaction() as tx:
        ids = sorted(await store.claim(tx, worker, clock.now(), limit))
    if not ids:
        return 0
    try:
        await _count(db, ids)
    except RensaiError as error:
        _log.warning("a recount failed", stories=len(ids), error=error.private or error.message)
        for story_id in ids:
            await _count_alone(db, clock, worker, story_id)
    return len(ids)


async def touch_recounts(
    tx: Tx, clock: Clock, story_ids: Sequence[int], *, sources: Sequence[str] = ()
) -> list[int]:
    """Have these stories counted anew as soon as may be; the answer is which of them there are.

    With `sources`, only the stories of those.
    """
    return await store.ask(tx, list(story_ids), list(sources), clock.now())


async def recount_story(tx: Tx, story_id: int) -> bool:
    """Count one story now; False when there is no such story."""
    if not await store.lock_stories(tx, [story_id]):
        return False
    await _write_figures(tx, [story_id])
    return True


async def touch_recount(tx: Tx, clock: Clock, story_id: int) -> None:
    """Have a story counted anew when the window is over, since something it counts has changed.

    Its row is not held: whoever counts sees what has been committed until then, and a touch that
    comes later waits for the next count.
    """
    await store.touch(tx, {story_id: 1}, clock.now())


async def touch_recounts_later(tx: Tx, clock: Clock, story_ids: Sequence[int]) -> None:
    """The same for many stories; one that is named several times was touched as often."""
    if story_ids:
        await store.touch(tx, Counter(story_ids), clock.now())


async def record_ratings(tx: Tx, figures: Sequence[Ratings]) -> None:
    """Write what readers think of stories; part of `StoriesCounted` and of nothing else."""
    changed = await store.record_ratings(tx, figures)
    await emit(tx, *(StoryRecounted(story_id=story_id) for story_id in sorted(changed)))


async def give_back_recounts(db: Database, worker: str) -> None:
    """Let others have what this worker has taken on and will not do."""
    async with db.transaction() as tx:
        await store.release(tx, worker)


async def _count_alone(db: Database, clock: Clock, worker: str, story_id: int) -> None:
    try:
        await _count(db, [story_id])
    except RensaiError as error:
        _log.warning("a recount failed", story=story_id, error=error.private or error.message)
        async with db.transaction() as tx:
            await store.fail(tx, worker, [story_id], clock.now())


async def _count(db: Database, story_ids: list[int]) -> None:
    """Count, and take out of the queue what was counted.

    Whoever writes to a story touches it while holding its row. Once we hold the rows and the
    queue, what we count includes every touch that we take out; the next one comes after us.
    """
    async with db.transaction() as tx:
        await store.lock_stories(tx, story_ids)
        touched = await store.lock_queue(tx, story_ids)
        await _write_figures(tx, story_ids)
        await store.finish(tx, touched)


async def _write_figures(tx: Tx, story_ids: list[int]) -> None:
    await emit(tx, StoriesCounted(story_ids))
    changed = await store.recount(tx, story_ids)
    await emit(tx, *(StoryRecounted(story_id=story_id) for story_id in sorted(changed)))
