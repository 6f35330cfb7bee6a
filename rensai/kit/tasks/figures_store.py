"""How the queue is doing, for metrics and readiness."""

import msgspec

from rensai.kit.db import Query, Reads


class Waiting(msgspec.Struct, frozen=True):
    """The tasks of one name that have not ended."""

    task: str
    due: int
    later: int
    running: int
    oldest_seconds: float


class Ended(msgspec.Struct, frozen=True):
    """How often the attempts at one task ended in one way, since the beginning."""

    task: str
    outcome: str
    count: int
    seconds: float


class Figures(msgspec.Struct, frozen=True):
    """The whole queue at one moment."""

    waiting: list[Waiting]
    ended: list[Ended]
    dead: int


_WAITING = Query(
    """
select
    entrypoint as task,
    count(*) filter (where status = 'queued' and execute_after <= now()) as due,
    count(*) filter (where status = 'queued' and execute_after > now()) as later,
    count(*) filter (where status = 'picked') as running,
    coalesce(extract(epoch from max(now() - execute_after) filter (
        where status = 'queued' and execute_after <= now()
    )), 0)::double precision as oldest_seconds
from tasks.pgqueuer
group by entrypoint
order by entrypoint
""",
    Waiting,
)

_ENDED = Query(
    "select task, outcome, count, seconds from tasks.totals order by task, outcome",
    Ended,
)

_DEAD = Query("select count(*) as dead from tasks.dead", int)

_ANSWERS = Query("select exists (select from tasks.pgqueuer_schedules) as answers", bool)


async def figures(reads: Reads) -> Figures:
    """Everything that is known about the queue; it reads the whole queue, so not too often."""
    return Figures(
        waiting=await reads.all(_WAITING),
        ended=await reads.all(_ENDED),
        dead=await reads.first(_DEAD) or 0,
    )


async def check_queue(reads: Reads) -> None:
    """Return if the queue can be read, raise if not."""
    await reads.first(_ANSWERS)
