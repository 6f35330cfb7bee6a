"""Who works on which job: taking, keeping, giving back, and taking from those who fell silent."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.rooms.ingest.service.endings import log_failures
from rensai.rooms.ingest.service.logs import OTHERS_KEPT
from rensai.rooms.ingest.store import endings
from rensai.rooms.ingest.store import queue as store
from rensai.rooms.ingest.store.endings import Progress
from rensai.rooms.ingest.store.queue import Job

SILENCE = timedelta(seconds=120)
"""A worker that gives no sign of life for so long has ended, whatever it says later."""

BEAT = SILENCE / 4
_AT_ONCE = 1000


async def claim(
    db: Database, clock: Clock, job_type: str, worker: str, limit: int, *, suspect: bool = False
) -> list[Job]:
    """Take jobs that are due. Each counts as an attempt from this moment on.

    A job whose workers keep ending is a suspect: it is had alone, so that it harms no other.
    """
    now = clock.now()
    async with db.transaction() as tx:
        await store.relax(tx)
        jobs = await store.claim(tx, job_type, worker, now, limit, suspect=suspect)
        if jobs:
            await store.begin_requests(tx, {job.request_id for job in jobs}, now)
    return jobs


async def keep(db: Database, clock: Clock, jobs: Sequence[Job], worker: str) -> None:
    """Give a sign of life; jobs that are being written at this moment need none."""
    async with db.transaction() as tx:
        await store.relax(tx)
        await store.beat(tx, [job.id for job in jobs], worker, clock.now())


async def still_ours(db: Database, jobs: Sequence[Job], worker: str) -> list[Job]:
    """Those of the jobs that nobody has taken from us."""
    async with db.transaction() as tx:
        ours = set(await store.still_ours(tx, [job.id for job in jobs], worker))
    return [job for job in jobs if job.id in ours]


async def give_back(db: Database, clock: Clock, jobs: Sequence[Job], worker: str) -> int:
    """Let others begin these anew; the attempt does not count."""
    if not jobs:
        return 0
    async with db.transaction() as tx:
        return await store.give_back(tx, [job.id for job in jobs], worker, clock.now())


async def reap(db: Database, clock: Clock, *, log_kept: timedelta = OTHERS_KEPT) -> int:
    """Take jobs from workers that fell silent; those that were tried often enough are dead."""
    now = clock.now()
    async with db.transaction() as tx:
        silent = await store.silent(tx, now - SILENCE, _AT_ONCE)
        dead = [job for job in silent if job.attempts > job.max_attempts]
        alive = [job.id for job in silent if job.attempts <= job.max_attempts]
        if alive:
            await store.requeue(tx, alive, now)
        if dead:
            await endings.bury(tx, [job.id for job in dead], now)
            lost = Counter(job.request_id for job in dead)
            message = "Each worker that had this item ended."
            await endings.count(
                tx, [Progress(request, 0, n, message) for request, n in lost.items()], now
            )
            told = [(job.source, job.request_id, store.WORKER_LOST) for job in dead]
            await log_failures(tx, told, now, log_kept)
    return len(silent)
