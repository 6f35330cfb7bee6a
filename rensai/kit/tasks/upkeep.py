"""The queue's own housekeeping: it keeps what an operator may still want, and no more."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta

import msgspec

from rensai.kit.db import Database, Query
from rensai.kit.tasks import upkeep_store as store
from rensai.kit.tasks.declare import AnyTask, TaskContext, task

COMPLETED_AGE, COMPLETED_COUNT = timedelta(hours=1), 1_000
FAILED_AGE, FAILED_COUNT = timedelta(days=7), 5_000
UNKNOWN_AGE = timedelta(hours=1)

_SLICE = 5_000
_FAILURES, _ROUTINE = True, False


class Upkeep(msgspec.Struct):
    """Nothing to say: it is always the whole queue."""


def upkeep(known: Callable[[], Sequence[AnyTask]]) -> AnyTask:
    """The housekeeping task for a table of tasks, of which it is itself a part."""

    @task(name="tasks.upkeep", queue="upkeep", schedule="* * * * *", dedupe=lambda _: "")
    async def run(context: TaskContext, args: Upkeep) -> None:
        del args
        await prune(context.db)
        await bury_unknown(context.db, [one.name for one in known()])

    return run


async def prune(db: Database) -> None:
    """Remove completed tasks after an hour, dead ones after a week, and their lines in the log."""
    await _drain(db, store.PRUNE_DEAD, FAILED_AGE, FAILED_COUNT, _SLICE)
    await _drain(db, store.PRUNE_LOG, _FAILURES, FAILED_AGE, FAILED_COUNT, _SLICE)
    await _drain(db, store.PRUNE_LOG, _ROUTINE, COMPLETED_AGE, COMPLETED_COUNT, _SLICE)
    await _drain(db, store.PRUNE_STATISTICS, FAILED_AGE)
    await _drain(db, store.PRUNE_SCHEDULES, FAILED_AGE)


async def bury_unknown(db: Database, known: Sequence[str]) -> None:
    """Give up tasks that no worker has known for an hour."""
    await _drain(db, store.BURY_UNKNOWN, known, UNKNOWN_AGE, _SLICE)


async def _drain(db: Database, query: Query[int], *args: object) -> None:
    """Repeat a deletion while it still finds a whole slice."""
    while True:
        async with db.queue.transaction() as tx:
            removed = await tx.all(query, *args)
        if len(removed) < _SLICE:
            return
        await asyncio.sleep(0)
