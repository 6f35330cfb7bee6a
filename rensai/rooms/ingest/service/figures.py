"""How the queue stands: depth, lag, rate, and what goes wrong."""

from datetime import datetime, timedelta

import msgspec

from rensai.kit.clock import Clock
from rensai.kit.db import Reads
from rensai.rooms.ingest.model import CHAPTERS, STORIES
from rensai.rooms.ingest.store import figures as store
from rensai.rooms.ingest.store.endings import Total
from rensai.rooms.ingest.store.figures import Failing, Queue, Recent

LATELY = timedelta(minutes=1)


class Figures(msgspec.Struct, frozen=True):
    """The whole queue at one moment."""

    at: datetime
    queues: list[Queue]
    recent: list[Recent]
    failing: list[Failing]
    totals: list[Total]


async def figures(reads: Reads, clock: Clock) -> Figures:
    """Everything that is known about the queue; it reads the whole queue, so not too often."""
    now = clock.now()
    queues = {queue.job_type: queue for queue in await store.queues(reads, now)}
    recent = {one.job_type: one for one in await store.recent(reads, now - LATELY)}
    types = (STORIES, CHAPTERS)
    return Figures(
        at=now,
        queues=[queues.get(one, Queue(one, 0, 0, 0, 0, 0, 0.0)) for one in types],
        recent=[recent.get(one, Recent(one, 0, 0.0)) for one in types],
        failing=await store.failing(reads),
        totals=await store.totals(reads),
    )
