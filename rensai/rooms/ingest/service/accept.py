"""Accepting a bulk request: everything in it is queued, or nothing is and its sender knows.

A request that is sent again with its idempotency key gets the first answer, word for word. The
row of the request and its jobs are written in one transaction, so a crash leaves no half of it.
"""

import asyncio
import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID
from weakref import WeakValueDictionary

import msgspec

from rensai.kit.db import Reads
from rensai.kit.services import Services
from rensai.rooms.ingest.adapters.envelopes import read_envelope
from rensai.rooms.ingest.adapters.items import read_items
from rensai.rooms.ingest.adapters.signing import Named, Signed
from rensai.rooms.ingest.adapters.unpacking import unpack
from rensai.rooms.ingest.errors import IdempotencyConflict, NotPermitted, RequestIdTaken
from rensai.rooms.ingest.model import Batch, ItemError, Key, RequestStatus
from rensai.rooms.ingest.service.admission import admit
from rensai.rooms.ingest.service.workshop import in_thread
from rensai.rooms.ingest.store import requests as store
from rensai.rooms.ingest.store.requests import Answered, NewRequest

BLOBS_KEPT = timedelta(days=30)
"""As long as a dead letter, which needs its blob to be tried again."""

LOCAL = "local"
"""The source of what is uploaded here, which no crawler may touch."""


class Accepted(msgspec.Struct, frozen=True):
    """What became of a request: each item is queued, or its error says why not."""

    request_id: UUID
    accepted_count: int
    rejected_count: int
    errors: list[ItemError]


class Sent(msgspec.Struct, frozen=True):
    """A body as it travelled."""

    raw: bytes
    sha256: bytes
    encoding: str
    limit: int
    weigh: Callable[[int], None]
    """Finds room for so many bytes more until it is answered, or raises that there is none."""


class Caller(msgspec.Struct, frozen=True):
    """Who has signed the request, and how it is named."""

    key: Key
    signed: Signed
    named: Named


class Reply(msgspec.Struct, frozen=True):
    """A whole answer, as it is also kept for replays."""

    status: int
    body: bytes


Name = tuple[str, str, str]
"""Source, job type and idempotency key: what makes two requests the same one."""

_HANDLING: WeakValueDictionary[Name, asyncio.Lock] = WeakValueDictionary()


async def accept(services: Services, caller: Caller, job_type: str, sent: Sent) -> Reply:
    """Queue what is right in an authentic request, and say what is wrong with the rest."""
    body, payload_hash = await open_body(services, caller, sent)
    envelope = await in_thread(read_envelope, body)
    check_source(caller.key, envelope.source)
    # Of equal requests that arrive together, one is worked on and the others wait for it.
    name = (envelope.source, job_type, caller.named.idempotency_key)
    async with _HANDLING.setdefault(name, asyncio.Lock()):
        now = services.clock.now()
        known = await replayed(services.db.primary, name, payload_hash, now)
        if known is not None:
            return known
        batch = await in_thread(read_items, job_type, envelope.items, now)
        replay_until = now + replay_window(services)
        request = _request(caller, name, payload_hash, batch, replay_until)
        async with services.db.transaction() as tx:
            if await store.insert(tx, request, now):
                await store.insert_jobs(
                    tx,
                    request,
                    batch.jobs,
                    now=now,
                    blobs_until=now + BLOBS_KEPT,
                    max_attempts=services.config.ingest_max_attempts,
                )
                return Reply(request.response_status, request.response)
        # Another process was quicker with the same key, or the request id is not new.
        known = await replayed(services.db.primary, name, payload_hash, now)
        if known is None:
            raise RequestIdTaken
        return known


async def open_body(services: Services, caller: Caller, sent: Sent) -> tuple[bytes, bytes]:
    """The unpacked body with its SHA-256, once the request is admitted."""
    if sent.encoding in {"", "identity"}:
        body, payload_hash = sent.raw, sent.sha256
    else:
        body, payload_hash = await in_thread(_unpacked, sent)
        sent.weigh(len(body))
    await admit(services, caller.key, caller.signed, len(body))
    return body, payload_hash


def _unpacked(sent: Sent) -> tuple[bytes, bytes]:
    body = unpack(sent.raw, sent.encoding, sent.limit)
    return body, hashlib.sha256(body).digest()


def check_source(key: Key, source: str) -> None:
    """Refuse a source that is not the key's."""
    if source == LOCAL:
        raise NotPermitted("The source local belongs to what is uploaded here.")
    if not key.may_write(source):
        raise NotPermitted("This key may not write to that source.")


def replay_window(services: Services) -> timedelta:
    """For how long a request that is sent again gets the first answer."""
    return timedelta(hours=services.config.ingest_idempotency_hours)


async def replayed(reads: Reads, name: Name, payload_hash: bytes, now: datetime) -> Reply | None:
    """The first answer, when this request has been answered before."""
    known: Answered | None = await store.answered(reads, *name, now)
    if known is None:
        return None
    if known.payload_hash != payload_hash:
        raise IdempotencyConflict
    return Reply(known.response_status, known.response)


def _request(
    caller: Caller, name: Name, payload_hash: bytes, batch: Batch, replay_until: datetime
) -> NewRequest:
    named = caller.named
    answer = Accepted(named.request_id, batch.accepted, batch.rejected, batch.errors)
    source, job_type, idempotency_key = name
    refused = batch.accepted == 0
    return NewRequest(
        request_id=named.request_id,
        key_id=caller.key.key_id,
        source=source,
        job_type=job_type,
        idempotency_key=idempotency_key,
        payload_hash=payload_hash,
        response_status=200 if batch.errors else 202,
        response=msgspec.json.encode(answer),
        replay_until=replay_until,
        status=RequestStatus.FAILED if refused else RequestStatus.QUEUED,
        total=batch.total,
        accepted=batch.accepted,
        rejected=batch.rejected,
        processed=batch.superseded,
        last_error="Every item was rejected." if refused else None,
    )
