"""SQL of the queue: who has which job, and which are to be had."""

from datetime import datetime
from uuid import UUID

import msgspec

from rensai.kit.db import Command, Query, Reads, Tx

CHANNEL = "ingest_jobs"
"""Where a new request tells its job type."""

WORKER_LOST = "worker_lost"
"""The error code of a job whose worker fell silent."""


class Job(msgspec.Struct, frozen=True):
    """A job as a worker holds it, without its body."""

    id: int
    source: str
    request_id: UUID
    payload: bytes | None
    blob_id: int | None
    body_hash: bytes | None
    body_size: int
    word_count: int
    attempts: int
    """The one that is under way is counted."""

    max_attempts: int
    error_code: str | None


class Silent(msgspec.Struct, frozen=True):
    """A job whose worker has given no sign of life."""

    id: int
    source: str
    request_id: UUID
    attempts: int
    max_attempts: int


class Blob(msgspec.Struct, frozen=True):
    """A payload that the queue had no room for."""

    id: int
    payload: bytes


class Body(msgspec.Struct, frozen=True):
    """The body of a job, from the queue or from its blob."""

    job_id: int
    raw: bytes | None
    html: bytes | None
    encoding: str


# What a worker commits may be lost when the server itself crashes: then the jobs are claimed
# still, and are done again. The plans of batches depend on how large the tables have become.
_RELAX = Query(
    """
    SELECT set_config('synchronous_commit', 'off', true)
        || set_config('plan_cache_mode', 'force_custom_plan', true) AS relaxed
    """,
    str,
)
_CLAIM = """
    WITH due AS MATERIALIZED (
        SELECT id FROM ingest_jobs
        WHERE status = 0 AND job_type = $1 AND next_run_at <= $2 AND {which}
        ORDER BY next_run_at, id
        LIMIT $4
        FOR UPDATE SKIP LOCKED
    )
    UPDATE ingest_jobs SET
        status = 1, attempts = attempts + 1, locked_by = $3, locked_at = $2, updated_at = $2
    FROM due
    WHERE ingest_jobs.id = due.id
    RETURNING ingest_jobs.id, source, request_id, payload_inline AS payload,
        payload_blob_id AS blob_id, body_hash, body_size, word_count, attempts, max_attempts,
        error_code
"""
_SUSPECT = "error_code = 'worker_lost' AND attempts >= 2"
_CLAIM_MANY = Query(
    _CLAIM.format(which=f"(error_code IS NULL OR NOT ({_SUSPECT}))"),
    Job,
)
_CLAIM_SUSPECT = Query(_CLAIM.format(which=_SUSPECT), Job)
_BEGIN_REQUESTS = Command(
    """
    UPDATE ingest_requests SET status = 1, updated_at = $2
    FROM (
        SELECT id FROM ingest_requests WHERE request_id = ANY($1::uuid []) AND status = 0
        ORDER BY id
        FOR UPDATE SKIP LOCKED
    ) AS queued
    WHERE ingest_requests.id = queued.id
    """
)
_BLOBS = Query(
    """
    SELECT id, payload_blob AS payload FROM ingest_payload_blobs WHERE id = ANY($1::bigint [])
    """,
    Blob,
)
_BODIES = Query(
    """
    SELECT ingest_jobs.id AS job_id, coalesce(body, payload_blob) AS raw,
        coalesce(body_html, payload_html) AS html, ingest_jobs.payload_encoding AS encoding
    FROM ingest_jobs
    LEFT JOIN ingest_payload_blobs ON ingest_payload_blobs.id = payload_blob_id
    WHERE ingest_jobs.id = ANY($1::bigint [])
    """,
    Body,
)
_BEAT = Command(
    """
    UPDATE ingest_jobs SET locked_at = $3
    WHERE id IN (
        SELECT id FROM ingest_jobs
        WHERE id = ANY($1::bigint []) AND status = 1 AND locked_by = $2
        FOR UPDATE SKIP LOCKED
    )
    """
)
_STILL_OURS = Query(
    """
    SELECT id FROM ingest_jobs WHERE id = ANY($1::bigint []) AND status = 1 AND locked_by = $2
    """,
    int,
)
_GIVE_BACK = Command(
    """
    UPDATE ingest_jobs SET
        status = 0, attempts = attempts - 1, locked_by = NULL, locked_at = NULL, updated_at = $3
    WHERE id IN (
        SELECT id FROM ingest_jobs
        WHERE id = ANY($1::bigint []) AND status = 1 AND locked_by = $2
        ORDER BY id
        FOR UPDATE
    )
    """
)
_SILENT = Query(
    """
    SELECT id, source, request_id, attempts, max_attempts FROM ingest_jobs
    WHERE status = 1 AND locked_at < $1
    ORDER BY locked_at
    LIMIT $2
    FOR UPDATE SKIP LOCKED
    """,
    Silent,
)
_REQUEUE = Command(
    """
    UPDATE ingest_jobs SET
        status = 0, next_run_at = $2, locked_by = NULL, locked_at = NULL, updated_at = $2,
        error_code = 'worker_lost', last_error = 'The worker that had this item ended.'
    WHERE id = ANY($1::bigint [])
    """
)
_ANNOUNCE = Query("SELECT pg_notify($1, $2)::text AS told", str)
ALIVE = Query("SELECT 1 AS alive", int)
_NEXT_DUE = Query(
    """
    SELECT extract(epoch FROM min(next_run_at) - $2::timestamptz)::double precision AS seconds
    FROM ingest_jobs WHERE status = 0 AND job_type = $1
    """,
    float,
)


async def relax(tx: Tx) -> None:
    """Let this transaction commit without waiting for the disk, and plan for what there is."""
    await tx.first(_RELAX)


async def claim(
    tx: Tx, job_type: str, worker: str, now: datetime, limit: int, *, suspect: bool = False
) -> list[Job]:
    """Take jobs that are due, oldest first; suspects are had apart from the others."""
    query = _CLAIM_SUSPECT if suspect else _CLAIM_MANY
    return await tx.all(query, job_type, now, worker, limit)


async def begin_requests(tx: Tx, requests: set[UUID], now: datetime) -> None:
    """Note that work on these has begun."""
    await tx.run(_BEGIN_REQUESTS, list(requests), now)


async def blobs(reads: Reads, ids: list[int]) -> list[Blob]:
    return await reads.all(_BLOBS, ids)


async def bodies(reads: Reads, job_ids: list[int]) -> list[Body]:
    return await reads.all(_BODIES, job_ids)


async def beat(tx: Tx, job_ids: list[int], worker: str, now: datetime) -> int:
    """Give a sign of life for those of the jobs that are ours."""
    return await tx.run(_BEAT, job_ids, worker, now)


async def still_ours(tx: Tx, job_ids: list[int], worker: str) -> list[int]:
    """Those of the jobs that nobody has taken from us."""
    return await tx.all(_STILL_OURS, job_ids, worker)


async def give_back(tx: Tx, job_ids: list[int], worker: str, now: datetime) -> int:
    """Let others begin these anew, as if we had never had them."""
    return await tx.run(_GIVE_BACK, job_ids, worker, now)


async def silent(tx: Tx, before: datetime, limit: int) -> list[Silent]:
    """Jobs whose worker has been silent since then, held until the transaction ends."""
    return await tx.all(_SILENT, before, limit)


async def requeue(tx: Tx, job_ids: list[int], now: datetime) -> None:
    """Put back what a lost worker had; its attempt counts."""
    await tx.run(_REQUEUE, job_ids, now)


async def announce(tx: Tx, job_type: str) -> None:
    """Wake the workers when this transaction commits."""
    await tx.first(_ANNOUNCE, CHANNEL, job_type)


async def next_due(reads: Reads, job_type: str, now: datetime) -> float | None:
    """In how many seconds the first waiting job is due; negative when it is already."""
    return await reads.first(_NEXT_DUE, job_type, now)
