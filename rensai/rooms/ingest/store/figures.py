"""SQL of how the queue stands."""

from datetime import datetime

import msgspec

from rensai.kit.db import Query, Reads
from rensai.rooms.ingest.store.endings import Total


class Queue(msgspec.Struct, frozen=True):
    """The jobs of one type that are not done."""

    job_type: str
    due: int
    later: int
    running: int
    failed: int
    dead: int
    lag_seconds: float
    """How long the oldest that is due has waited."""


class Failing(msgspec.Struct, frozen=True):
    """How many jobs of a type are failing, or have failed, with one code."""

    job_type: str
    code: str
    retrying: int
    failed: int


class Recent(msgspec.Struct, frozen=True):
    """How many jobs of a type were done lately, and how long they took from their acceptance."""

    job_type: str
    done: int
    slowest_seconds: float


_QUEUES = Query(
    """
    SELECT job_type,
        count(*) FILTER (WHERE status = 0 AND next_run_at <= $1) AS due,
        count(*) FILTER (WHERE status = 0 AND next_run_at > $1) AS later,
        count(*) FILTER (WHERE status = 1) AS running,
        count(*) FILTER (WHERE status = 3) AS failed,
        count(*) FILTER (WHERE status = 4) AS dead,
        greatest(0, coalesce(extract(epoch FROM max($1::timestamptz - next_run_at) FILTER (
            WHERE status = 0 AND next_run_at <= $1
        )), 0))::double precision AS lag_seconds
    FROM ingest_jobs
    GROUP BY job_type
    ORDER BY job_type
    """,
    Queue,
)
_FAILING = Query(
    """
    SELECT job_type, error_code AS code,
        count(*) FILTER (WHERE status IN (0, 1)) AS retrying,
        count(*) FILTER (WHERE status IN (3, 4)) AS failed
    FROM ingest_jobs
    WHERE error_code IS NOT NULL
    GROUP BY job_type, error_code
    ORDER BY job_type, error_code
    """,
    Failing,
)
_RECENT = Query(
    """
    SELECT job_type, count(*) AS done,
        extract(epoch FROM max(completed_at - created_at))::double precision AS slowest_seconds
    FROM ingest_jobs_completed
    WHERE completed_at > $1
    GROUP BY job_type
    ORDER BY job_type
    """,
    Recent,
)
_TOTALS = Query(
    """
    SELECT job_type, outcome, code, count FROM ingest_totals ORDER BY job_type, outcome, code
    """,
    Total,
)


async def queues(reads: Reads, now: datetime) -> list[Queue]:
    return await reads.all(_QUEUES, now)


async def failing(reads: Reads) -> list[Failing]:
    return await reads.all(_FAILING)


async def recent(reads: Reads, since: datetime) -> list[Recent]:
    return await reads.all(_RECENT, since)


async def totals(reads: Reads) -> list[Total]:
    return await reads.all(_TOTALS)
