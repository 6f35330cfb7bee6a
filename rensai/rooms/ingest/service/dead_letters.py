"""Jobs that have failed for good: trying them again, and forgetting them."""

from datetime import datetime, timedelta

from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.rooms.ingest.service.logs import log
from rensai.rooms.ingest.store import dead as store
from rensai.rooms.ingest.store.queue import announce

COMPLETED_KEPT = timedelta(days=7)
DEAD_KEPT = timedelta(days=30)
_AT_ONCE = 5_000


async def replay(
    db: Database, clock: Clock, job_type: str, since: datetime, *, operator: str
) -> int:
    """Try again, from the beginning, what has failed for good since then; how many items."""
    now = clock.now()
    total = 0
    async with db.transaction(timedelta(minutes=1)) as tx:
        while found := await store.replay(tx, job_type, since, now, _AT_ONCE):
            await store.uncount(tx, found, now)
            total += sum(one.jobs for one in found)
        await announce(tx, job_type)
        await log(
            tx,
            "dead_letter_replay",
            f"{operator} had {total} items tried again.",
            now=now,
            reference_id=job_type,
            context={"job_type": job_type, "since": since.isoformat(), "items": total},
            security=True,
        )
    return total


async def clear_away(
    db: Database,
    clock: Clock,
    *,
    completed_kept: timedelta = COMPLETED_KEPT,
    dead_kept: timedelta = DEAD_KEPT,
) -> int:
    """Forget what was done or failed long ago, a few thousand rows in each transaction."""
    now = clock.now()
    total = 0
    for clear, before in (
        (store.forget_completed, now - completed_kept),
        (store.forget_dead, now - dead_kept),
        (store.forget_blobs, now),
        (store.forget_requests, now - dead_kept),
    ):
        rows = _AT_ONCE
        while rows >= _AT_ONCE:
            async with db.transaction(timedelta(minutes=1)) as tx:
                rows = await clear(tx, before, _AT_ONCE)
            total += rows
    return total
