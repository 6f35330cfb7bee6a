"""Working through claimed jobs: together when it goes well, apart when something is wrong.

All jobs of one source are written in one transaction that also ends them, so whatever interrupts
it, they are either done or still to be done. When the database refuses a batch it is halved, until
the one item that cannot be written fails by itself. When others are writing the same stories it
is tried again; when the database is away nothing is concluded from that.
"""

import asyncio
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta

from rensai.kit.clock import Clock
from rensai.kit.db import Contended, Database, TooSlow, Tx
from rensai.kit.errors import Conflict, Invalid, RensaiError, Unavailable
from rensai.kit.log import get_logger
from rensai.rooms.catalogue.door import Outcome, Result
from rensai.rooms.ingest.service.claims import still_ours
from rensai.rooms.ingest.service.endings import Overtaken, Tally, settle
from rensai.rooms.ingest.service.logs import OTHERS_KEPT
from rensai.rooms.ingest.service.receiving import RECEIVE
from rensai.rooms.ingest.store import queue as store
from rensai.rooms.ingest.store.queue import Job

_log = get_logger("rensai.ingest")

_LONGEST_STATEMENT = timedelta(seconds=30)
_TRIES_AGAINST_OTHERS = 6


class Bench:
    """What a worker needs for its work."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        job_type: str,
        worker: str,
        stopping: Callable[[], bool],
        *,
        log_kept: timedelta = OTHERS_KEPT,
    ) -> None:
        self.db = db
        self.clock = clock
        self.job_type = job_type
        self.worker = worker
        self.stopping = stopping
        self.log_kept = log_kept
        self.tally = Tally()


async def process(bench: Bench, jobs: Sequence[Job]) -> list[Job]:
    """Work through the jobs; those that are left are untouched, because the worker is to stop."""
    by_source: defaultdict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        by_source[job.source].append(job)
    waiting = list(by_source.values())
    tries = 0
    while waiting and not bench.stopping():
        part = waiting.pop()
        try:
            bench.tally.add(await _write(bench, part))
        except Overtaken:
            part = await still_ours(bench.db, part, bench.worker)
            waiting += [part] if part else []
        except Contended as error:
            tries += 1
            await asyncio.sleep(random.uniform(0.01, 0.05) * tries)  # noqa: S311 - not a secret
            if tries > _TRIES_AGAINST_OTHERS:
                waiting += await _apart(bench, part, error)
                tries = 0
            else:
                waiting.append(part)
        except Unavailable as error:
            if not isinstance(error, TooSlow):
                raise
            waiting += await _apart(bench, part, error)
        except Exception as error:  # noqa: BLE001 - one item may be wrong in any way
            waiting += await _apart(bench, part, error)
        else:
            tries = 0
    return [job for part in waiting for job in part]


async def _write(bench: Bench, jobs: Sequence[Job]) -> Tally:
    """Write jobs of one source and end them, all in one transaction."""
    async with bench.db.transaction(_LONGEST_STATEMENT) as tx:
        await store.relax(tx)
        outcomes = await RECEIVE[bench.job_type](tx, bench.clock, jobs[0].source, jobs)
        return await _settle(bench, tx, jobs, outcomes)


async def _settle(bench: Bench, tx: Tx, jobs: Sequence[Job], outcomes: list[Outcome]) -> Tally:
    now = bench.clock.now()
    return await settle(tx, jobs, outcomes, bench.worker, now, log_kept=bench.log_kept)


async def _apart(bench: Bench, jobs: list[Job], error: Exception) -> list[list[Job]]:
    """The halves of what could not be written; a single job fails by itself."""
    if len(jobs) > 1:
        return _halves(jobs)
    outcome = _failed(jobs[0], error)
    _log.warning(
        "an item could not be written",
        job=jobs[0].id,
        request_id=str(jobs[0].request_id),
        code=outcome.code,
        error=error.private if isinstance(error, RensaiError) else type(error).__name__,
        attempt=jobs[0].attempts,
    )
    try:
        async with bench.db.transaction() as tx:
            bench.tally.add(await _settle(bench, tx, jobs, [outcome]))
    except Overtaken:
        _log.warning("another worker took over an item", job=jobs[0].id)
    return []


def _halves(jobs: list[Job]) -> list[list[Job]]:
    middle = len(jobs) // 2
    return [part for part in (jobs[middle:], jobs[:middle]) if part]


def _failed(job: Job, error: Exception) -> Outcome:
    """What the sender is told; our own sentences hold no data."""
    if isinstance(error, Invalid):
        return Outcome(job.id, Result.FAILED, "invalid_item", "The item cannot be stored.")
    if isinstance(error, Conflict):
        message = "The item clashes with what is already there."
        return Outcome(job.id, Result.FAILED, "conflict", message, retryable=True)
    if isinstance(error, Contended):
        message = "Others were writing the same story all the time."
        return Outcome(job.id, Result.FAILED, "busy", message, retryable=True)
    if isinstance(error, TooSlow):
        message = "Writing the item took too long."
        return Outcome(job.id, Result.FAILED, "too_slow", message, retryable=True)
    message = "The item could not be written."
    return Outcome(job.id, Result.FAILED, "internal_error", message, retryable=True)
