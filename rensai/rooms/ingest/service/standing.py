"""How far a request has come, and what is the matter with the items that did not make it."""

from datetime import datetime
from uuid import UUID

import msgspec

from rensai.kit.db import Reads
from rensai.kit.errors import NotFound
from rensai.rooms.ingest.model import EVERY_SOURCE, JobStatus, Key, RequestStatus
from rensai.rooms.ingest.store import requests as store
from rensai.rooms.ingest.store.requests import Standing, Trouble


class TroubledItem(msgspec.Struct, frozen=True):
    """An item that failed, or that is tried again."""

    index: int
    external_ref: str
    status: str
    code: str
    message: str
    attempts: int
    next_run_at: datetime | None


class RequestSummary(msgspec.Struct, frozen=True):
    """How far a request has come."""

    request_id: UUID
    source: str
    job_type: str
    status: str
    total_items: int
    accepted_items: int
    rejected_items: int
    processed_items: int
    failed_items: int
    last_error: str | None
    created_at: datetime
    updated_at: datetime
    items: list[TroubledItem]


async def standing(reads: Reads, key: Key, request_id: UUID) -> RequestSummary:
    """For the key that sent the request, and for every key of its source; others find nothing."""
    request = await store.standing(reads, request_id)
    if request is None or not _may_see(key, request):
        raise NotFound("There is no such request.")
    troubles = await store.troubles(reads, request_id)
    return RequestSummary(
        request_id=request.request_id,
        source=request.source,
        job_type=request.job_type,
        status=RequestStatus(request.status).name.lower(),
        total_items=request.total_items,
        accepted_items=request.accepted_items,
        rejected_items=request.rejected_items,
        processed_items=request.processed_items,
        failed_items=request.failed_items,
        last_error=request.last_error,
        created_at=request.created_at,
        updated_at=request.updated_at,
        items=[_told(trouble) for trouble in troubles],
    )


def _may_see(key: Key, request: Standing) -> bool:
    if key.key_id == request.key_id:
        return True
    return request.source != EVERY_SOURCE and key.may_write(request.source)


def _told(trouble: Trouble) -> TroubledItem:
    final = trouble.status in {JobStatus.FAILED, JobStatus.DEAD_LETTER}
    return TroubledItem(
        index=trouble.item_index,
        external_ref=trouble.external_ref,
        status=JobStatus(trouble.status).name.lower() if final else "retrying",
        code=trouble.error_code or "internal_error",
        message=trouble.last_error or "",
        attempts=trouble.attempts,
        next_run_at=None if final else trouble.next_run_at,
    )
