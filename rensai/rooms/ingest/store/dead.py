"""SQL of jobs that have failed for good, and of forgetting what is long over."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from rensai.kit.db import Command, Query, Tx


class Replayed(msgspec.Struct, frozen=True):
    """How many jobs of a request are tried again."""

    request_id: UUID
    jobs: int


_REPLAY = Query(
    """
    WITH chosen AS (
        SELECT id FROM ingest_jobs
        WHERE job_type = $1 AND status IN (3, 4) AND updated_at >= $2
        ORDER BY id
        LIMIT $4
        FOR UPDATE SKIP LOCKED
    ), queued AS (
        UPDATE ingest_jobs SET
            status = 0, attempts = 0, next_run_at = $3, updated_at = $3,
            error_code = NULL, last_error = NULL
        FROM chosen WHERE ingest_jobs.id = chosen.id
        RETURNING request_id
    )
    SELECT request_id, count(*) AS jobs FROM queued GROUP BY request_id
    """,
    Replayed,
)
_UNCOUNT = Command(
    """
    UPDATE ingest_requests SET
        failed_items = failed_items - held.jobs, status = 1, updated_at = $3
    FROM (
        SELECT id, jobs
        FROM ingest_requests
        JOIN unnest($1::uuid [], $2::bigint []) AS told (request_id, jobs) USING (request_id)
        ORDER BY id
        FOR NO KEY UPDATE OF ingest_requests
    ) AS held
    WHERE ingest_requests.id = held.id
    """
)
_FORGET_COMPLETED = Command(
    """
    DELETE FROM ingest_jobs_completed WHERE id IN (
        SELECT id FROM ingest_jobs_completed WHERE completed_at < $1 LIMIT $2
    )
    """
)
_FORGET_DEAD = Command(
    """
    DELETE FROM ingest_jobs WHERE id IN (
        SELECT id FROM ingest_jobs WHERE status IN (3, 4) AND updated_at < $1
        LIMIT $2
        FOR UPDATE SKIP LOCKED
    )
    """
)
# A job may outlive the time that its blob was given: what still waits is never lost.
_FORGET_BLOBS = Command(
    """
    DELETE FROM ingest_payload_blobs WHERE id IN (
        SELECT id FROM ingest_payload_blobs
        WHERE expires_at < $1 AND NOT EXISTS (
            SELECT FROM ingest_jobs WHERE payload_blob_id = ingest_payload_blobs.id
        )
        LIMIT $2
    )
    """
)
_FORGET_REQUESTS = Command(
    """
    DELETE FROM ingest_requests WHERE id IN (
        SELECT id FROM ingest_requests
        WHERE status IN (2, 3, 4) AND updated_at < $1 AND replay_until IS NULL AND NOT EXISTS (
            SELECT FROM ingest_jobs WHERE ingest_jobs.request_id = ingest_requests.request_id
        )
        LIMIT $2
        FOR UPDATE SKIP LOCKED
    )
    """
)


async def replay(
    tx: Tx, job_type: str, since: datetime, now: datetime, limit: int
) -> list[Replayed]:
    """Queue anew what has failed for good since then; how many of which request."""
    return await tx.all(_REPLAY, job_type, since, now, limit)


async def uncount(tx: Tx, replayed: Sequence[Replayed], now: datetime) -> None:
    """Take from the counters of their requests the failures that may not stay failures."""
    await tx.run(
        _UNCOUNT, [one.request_id for one in replayed], [one.jobs for one in replayed], now
    )


async def forget_completed(tx: Tx, before: datetime, limit: int) -> int:
    return await tx.run(_FORGET_COMPLETED, before, limit)


async def forget_dead(tx: Tx, before: datetime, limit: int) -> int:
    return await tx.run(_FORGET_DEAD, before, limit)


async def forget_blobs(tx: Tx, before: datetime, limit: int) -> int:
    """Blobs whose time is over and that no job needs."""
    return await tx.run(_FORGET_BLOBS, before, limit)


async def forget_requests(tx: Tx, before: datetime, limit: int) -> int:
    return await tx.run(_FORGET_REQUESTS, before, limit)
