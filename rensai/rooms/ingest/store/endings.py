"""SQL of how jobs end. Each counts only for the worker that holds the job, in one statement."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from rensai.kit.db import Command, Query, Tx


class Failure(msgspec.Struct, frozen=True):
    """How a job failed, and what becomes of it; the order is that of the parameters."""

    job_id: int
    status: int
    next_run_at: datetime
    code: str
    message: str


class Progress(msgspec.Struct, frozen=True):
    """By how much a request has come on; the order is that of the parameters."""

    request_id: UUID
    processed: int
    failed: int
    last_error: str | None


class Total(msgspec.Struct, frozen=True):
    """How many items ended in one way; the order is that of the parameters."""

    job_type: str
    outcome: str
    code: str
    count: int


# Moving a row costs less than changing it, which would add an entry to each index of the queue.
_COMPLETE = Query(
    """
    WITH ended AS (
        SELECT * FROM unnest($1::bigint [], $2::text []) AS ended (id, outcome)
    ), done AS (
        DELETE FROM ingest_jobs USING ended
        WHERE ingest_jobs.id = ended.id AND status = 1 AND locked_by = $3
        RETURNING ingest_jobs.*, ended.outcome
    ), blobs AS (
        DELETE FROM ingest_payload_blobs USING done
        WHERE ingest_payload_blobs.id = done.payload_blob_id
    ), kept AS (
        INSERT INTO ingest_jobs_completed (
            id, job_type, source, request_id, external_ref, item_index, outcome, attempts,
            created_at, completed_at
        )
        SELECT id, job_type, source, request_id, external_ref, item_index, outcome, attempts,
            created_at, $4
        FROM done
    )
    SELECT count(*) AS count FROM done
    """,
    int,
)
_FAIL = Command(
    """
    UPDATE ingest_jobs SET
        status = failure.status, next_run_at = failure.next_run_at, error_code = failure.code,
        last_error = failure.message, locked_by = NULL, locked_at = NULL, updated_at = $6
    FROM unnest(
        $1::bigint [], $2::smallint [], $3::timestamptz [], $4::text [], $5::text []
    ) AS failure (id, status, next_run_at, code, message)
    WHERE ingest_jobs.id = failure.id AND ingest_jobs.status = 1 AND locked_by = $7
    """
)
_BURY = Command(
    """
    UPDATE ingest_jobs SET
        status = 4, error_code = 'worker_lost', locked_by = NULL, locked_at = NULL,
        last_error = 'Each worker that had this item ended.', updated_at = $2
    WHERE id = ANY($1::bigint [])
    """
)
# In the order of their ids: of two workers that end jobs of the same requests one waits.
_COUNT = Command(
    """
    WITH told AS (
        SELECT * FROM unnest($1::uuid [], $2::integer [], $3::integer [], $4::text [])
            AS told (request_id, processed, failed, last_error)
    ), held AS MATERIALIZED (
        SELECT id, told.processed, told.failed, told.last_error
        FROM ingest_requests JOIN told ON told.request_id = ingest_requests.request_id
        ORDER BY id
        FOR NO KEY UPDATE OF ingest_requests
    )
    UPDATE ingest_requests AS request SET
        processed_items = request.processed_items + held.processed,
        failed_items = request.failed_items + held.failed,
        status = CASE
            WHEN request.processed_items + held.processed + request.failed_items + held.failed
                < request.accepted_items THEN 1
            WHEN request.failed_items + held.failed > 0 THEN 3
            ELSE 2
        END,
        last_error = coalesce(held.last_error, request.last_error),
        updated_at = $5
    FROM held
    WHERE request.id = held.id
    """
)
_ADD_TOTALS = Command(
    """
    INSERT INTO ingest_totals AS total (job_type, outcome, code, count)
    SELECT * FROM unnest($1::text [], $2::text [], $3::text [], $4::bigint [])
        AS told (job_type, outcome, code, count)
    ORDER BY 1, 2, 3
    ON CONFLICT (job_type, outcome, code) DO UPDATE SET count = total.count + excluded.count
    """
)


def _columns(rows: Sequence[msgspec.Struct]) -> list[tuple[object, ...]]:
    return list(zip(*map(msgspec.structs.astuple, rows), strict=True))


async def complete(tx: Tx, outcomes: Mapping[int, str], worker: str, now: datetime) -> int:
    """Take done jobs out of the queue; how many of them were ours to end."""
    found = await tx.first(_COMPLETE, list(outcomes), list(outcomes.values()), worker, now)
    return found or 0


async def fail(tx: Tx, failures: Sequence[Failure], worker: str, now: datetime) -> int:
    """Put failed jobs back to wait, or aside; how many of them were ours to end."""
    return await tx.run(_FAIL, *_columns(failures), now, worker)


async def bury(tx: Tx, job_ids: list[int], now: datetime) -> None:
    """Put aside jobs whose rows are held."""
    await tx.run(_BURY, job_ids, now)


async def count(tx: Tx, progress: Sequence[Progress], now: datetime) -> None:
    """Move the counters of requests, and their status with them."""
    await tx.run(_COUNT, *_columns(progress), now)


async def add_totals(tx: Tx, totals: Sequence[Total]) -> None:
    await tx.run(_ADD_TOTALS, *_columns(totals))
