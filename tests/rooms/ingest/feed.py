"""Accepted requests without HTTP, workers that run until nothing is due, and what became of it."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec

from rensai.kit.db import Command, Database, Query
from rensai.kit.services import Services
from rensai.rooms.ingest.adapters.items import read_items
from rensai.rooms.ingest.model import CHAPTERS, STORIES, RequestStatus
from rensai.rooms.ingest.service.work import Bounds, Worker
from rensai.rooms.ingest.store import requests
from rensai.rooms.ingest.store.requests import NewRequest

SOURCE = "truyen"
DAWN = datetime(2026, 3, 1, 6, tzinfo=UTC)


def at(minutes: float) -> str:
    """A time of the source."""
    return (DAWN + timedelta(minutes=minutes)).isoformat()


def story(id_: str = "s1", minutes: float = 0, **fields: Any) -> dict[str, Any]:
    """A story as a crawler sends it."""
    return {
        "source_story_id": id_,
        "slug": id_,
        "title": id_.title(),
        "updated_at_source": at(minutes),
        **fields,
    }


def chapter(number: int = 1, minutes: float = 0, **fields: Any) -> dict[str, Any]:
    """A chapter of s1 as a crawler sends it."""
    return {
        "source_story_id": "s1",
        "chapter_no": number,
        "slug": f"c-{number}",
        "title": f"Chapter {number}",
        "content_raw": f"Text of {number}",
        "updated_at_source": at(minutes),
        **fields,
    }


async def accept(
    services: Services, job_type: str, items: Sequence[dict[str, Any]], source: str = SOURCE
) -> UUID:
    """Queue a batch exactly as an authentic request would be; each item must be valid."""
    now = services.clock.now()
    body = json.dumps(items).encode()
    batch = read_items(job_type, msgspec.json.decode(body, type=list[msgspec.Raw]), now)
    assert batch.errors == []
    request = NewRequest(
        request_id=uuid4(),
        key_id="tests",
        source=source,
        job_type=job_type,
        idempotency_key=str(uuid4()),
        payload_hash=hashlib.sha256(body).digest(),
        response_status=202,
        response=b"",
        replay_until=now + timedelta(hours=72),
        status=RequestStatus.QUEUED,
        total=batch.total,
        accepted=batch.accepted,
        rejected=0,
        processed=batch.superseded,
        last_error=None,
    )
    async with services.db.transaction() as tx:
        assert await requests.insert(tx, request, now)
        await requests.insert_jobs(
            tx,
            request,
            batch.jobs,
            now=now,
            blobs_until=now + timedelta(days=30),
            max_attempts=services.config.ingest_max_attempts,
        )
    return request.request_id


async def stories(services: Services, *items: dict[str, Any], source: str = SOURCE) -> UUID:
    return await accept(services, STORIES, items, source)


async def chapters(services: Services, *items: dict[str, Any], source: str = SOURCE) -> UUID:
    return await accept(services, CHAPTERS, items, source)


async def drain(services: Services, *job_types: str, concurrency: int = 1, **how: Any) -> int:
    """Work until nothing is due; how many jobs were ended."""
    done = 0
    for job_type in job_types or (STORIES, CHAPTERS):
        worker = Worker(
            services, job_type, concurrency=concurrency, bounds=Bounds(drained=True), **how
        )
        await worker.run(asyncio.Event())
        done += worker.done
    return done


class Standing(msgspec.Struct, frozen=True):
    """A request as it stands."""

    status: int
    accepted: int
    processed: int
    failed: int
    last_error: str | None

    @property
    def numbers(self) -> tuple[int, int, int, int]:
        return self.status, self.accepted, self.processed, self.failed


class Waiting(msgspec.Struct, frozen=True):
    """A job in the queue."""

    id: int
    external_ref: str
    status: int
    attempts: int
    error_code: str | None
    last_error: str | None
    locked_by: str | None
    next_run_at: datetime


_STANDING = Query(
    """
    SELECT status, accepted_items, processed_items, failed_items, last_error
    FROM ingest_requests WHERE request_id = $1
    """,
    Standing,
)
_WAITING = Query(
    """
    SELECT id, external_ref, status, attempts, error_code, last_error, locked_by, next_run_at
    FROM ingest_jobs ORDER BY id
    """,
    Waiting,
)
_OUTCOMES = Query("SELECT outcome FROM ingest_jobs_completed ORDER BY id", str)
_COUNT = Query("SELECT count(*) FROM ingest_payload_blobs", int)
_SILENCE = Command("UPDATE ingest_jobs SET locked_at = locked_at - interval '121 seconds'")


async def standing(database: Database, request: UUID) -> Standing:
    found = await database.primary.first(_STANDING, request)
    assert found is not None
    return found


async def waiting(database: Database) -> list[Waiting]:
    return await database.primary.all(_WAITING)


async def outcomes(database: Database) -> list[str]:
    """How the jobs ended that are done."""
    return await database.primary.all(_OUTCOMES)


async def blobs(database: Database) -> int:
    return await database.primary.first(_COUNT) or 0


async def fall_silent(database: Database) -> None:
    """Let two minutes pass without a word from any worker."""
    async with database.transaction() as tx:
        await tx.run(_SILENCE)
