"""SQL of requests and of the jobs that they put in the queue."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.ingest.model import NewJob
from rensai.rooms.ingest.store.queue import announce


class Answered(msgspec.Struct, frozen=True):
    """A request that was answered before."""

    request_id: UUID
    payload_hash: bytes
    response_status: int
    response: bytes


class Standing(msgspec.Struct, frozen=True):
    """How far a request has come."""

    request_id: UUID
    key_id: str
    source: str
    job_type: str
    status: int
    total_items: int
    accepted_items: int
    rejected_items: int
    processed_items: int
    failed_items: int
    last_error: str | None
    created_at: datetime
    updated_at: datetime


class Trouble(msgspec.Struct, frozen=True):
    """A job that has failed, for good or so far."""

    item_index: int
    external_ref: str
    status: int
    attempts: int
    max_attempts: int
    error_code: str | None
    last_error: str | None
    next_run_at: datetime


_ANSWERED = Query(
    """
    SELECT request_id, payload_hash, response_status, response FROM ingest_requests
    WHERE source = $1 AND job_type = $2 AND idempotency_key = $3 AND replay_until > $4
    """,
    Answered,
)
_RELEASE = Command(
    """
    UPDATE ingest_requests SET replay_until = NULL
    WHERE source = $1 AND job_type = $2 AND idempotency_key = $3 AND replay_until <= $4
    """
)
_RELEASE_OLD = Command("UPDATE ingest_requests SET replay_until = NULL WHERE replay_until <= $1")
_INSERT = Query(
    """
    INSERT INTO ingest_requests (
        request_id, key_id, source, job_type, idempotency_key, payload_hash, response_status,
        response, replay_until, status, total_items, accepted_items, rejected_items,
        processed_items, last_error, created_at, updated_at
    ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16)
    ON CONFLICT DO NOTHING
    RETURNING request_id
    """,
    UUID,
)
_STANDING = Query(
    """
    SELECT request_id, key_id, source, job_type, status, total_items, accepted_items,
        rejected_items, processed_items, failed_items, last_error, created_at, updated_at
    FROM ingest_requests WHERE request_id = $1
    """,
    Standing,
)
_TROUBLES = Query(
    """
    SELECT item_index, external_ref, status, attempts, max_attempts, error_code, last_error,
        next_run_at
    FROM ingest_jobs
    WHERE request_id = $1 AND (status IN (3, 4) OR (status IN (0, 1) AND error_code IS NOT NULL))
    ORDER BY item_index
    """,
    Trouble,
)
_INSERT_JOBS = Command(
    """
    INSERT INTO ingest_jobs (
        job_type, source, request_id, idempotency_key, next_run_at, created_at, updated_at,
        external_ref, item_index, payload_inline, payload_blob_id, payload_hash,
        payload_size_bytes, payload_encoding, payload_storage, body, body_html, body_hash,
        body_size, word_count, max_attempts
    )
    SELECT $1, $2, $3, $4, $5, $5, $5, item.*, $6
    FROM unnest(
        $7::text [], $8::integer [], $9::bytea [], $10::bigint [], $11::bytea [],
        $12::integer [], $13::text [], $14::text [], $15::bytea [], $16::bytea [], $17::bytea [],
        $18::integer [], $19::integer []
    ) AS item
    """
)
_INSERT_BLOB = Query(
    """
    INSERT INTO ingest_payload_blobs (
        payload_blob, payload_html, payload_hash, payload_size_bytes, payload_encoding,
        created_at, expires_at
    ) VALUES ($1, $2, $3, $4, $5, $6, $7)
    RETURNING id
    """,
    int,
)


class NewRequest(msgspec.Struct, frozen=True):
    """A request as it is first written down."""

    request_id: UUID
    key_id: str
    source: str
    job_type: str
    idempotency_key: str
    payload_hash: bytes
    response_status: int
    response: bytes
    replay_until: datetime
    status: int
    total: int
    accepted: int
    rejected: int
    processed: int
    last_error: str | None


async def answered(
    reads: Reads, source: str, job_type: str, idempotency_key: str, now: datetime
) -> Answered | None:
    """The request that has that idempotency key, while it counts."""
    return await reads.first(_ANSWERED, source, job_type, idempotency_key, now)


async def insert(tx: Tx, request: NewRequest, now: datetime) -> bool:
    """Write it down, unless its id or its idempotency key is taken.

    Waits for another transaction that is about to take one of them.
    """
    row = (*msgspec.structs.astuple(request), now)
    if await tx.first(_INSERT, *row) is not None:
        return True
    key = (request.source, request.job_type, request.idempotency_key)
    freed = await tx.run(_RELEASE, *key, now)
    return freed > 0 and await tx.first(_INSERT, *row) is not None


async def release_old(tx: Tx, now: datetime) -> int:
    """Set idempotency keys free whose time is over."""
    return await tx.run(_RELEASE_OLD, now)


async def standing(reads: Reads, request_id: UUID) -> Standing | None:
    return await reads.first(_STANDING, request_id)


async def troubles(reads: Reads, request_id: UUID) -> list[Trouble]:
    """The items that have failed or are tried again."""
    return await reads.all(_TROUBLES, request_id)


async def insert_jobs(
    tx: Tx,
    request: NewRequest,
    jobs: Sequence[NewJob],
    *,
    now: datetime,
    blobs_until: datetime,
    max_attempts: int,
) -> None:
    """Queue the jobs, the large ones with a blob each, and wake the workers at the commit."""
    if not jobs:
        return
    rows = [_row(job, await _blob(tx, job, now, blobs_until)) for job in jobs]
    await tx.run(
        _INSERT_JOBS,
        request.job_type,
        request.source,
        request.request_id,
        request.idempotency_key,
        now,
        max_attempts,
        *map(list, zip(*rows, strict=True)),
    )
    await announce(tx, request.job_type)


async def _blob(tx: Tx, job: NewJob, now: datetime, until: datetime) -> int | None:
    if not job.is_large:
        return None
    data, html, encoding = (
        (job.payload, None, "none") if job.body is None else (job.body, job.body_html, job.encoding)
    )
    size = len(data) + len(html or b"")
    return await tx.first(_INSERT_BLOB, data, html, job.payload_hash, size, encoding, now, until)


def _row(job: NewJob, blob: int | None) -> tuple[object, ...]:
    """The columns that differ from job to job."""
    inline = blob is None
    return (
        job.external_ref,
        job.item_index,
        job.payload if inline or job.body is not None else None,
        blob,
        job.payload_hash,
        len(job.payload) + len(job.body or b"") + len(job.body_html or b""),
        job.encoding,
        "inline" if inline else "blob",
        job.body if inline else None,
        job.body_html if inline else None,
        job.body_hash,
        job.body_size,
        job.words,
    )
