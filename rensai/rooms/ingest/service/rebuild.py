"""Asking for stories to be recounted."""

from datetime import datetime

import msgspec

from rensai.kit.services import Services
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.ingest.adapters.envelopes import read_story_ids
from rensai.rooms.ingest.errors import RequestIdTaken
from rensai.rooms.ingest.model import EVERY_SOURCE, STATS, ItemError, RequestStatus
from rensai.rooms.ingest.service.accept import (
    Accepted,
    Caller,
    Name,
    Reply,
    Sent,
    open_body,
    replay_window,
    replayed,
)
from rensai.rooms.ingest.service.workshop import in_thread
from rensai.rooms.ingest.store import requests as store
from rensai.rooms.ingest.store.requests import NewRequest


async def rebuild(services: Services, caller: Caller, sent: Sent) -> Reply:
    """Have the totals of these stories counted anew, soon; unknown stories are errors.

    To a key that is bound to sources the stories of all others are unknown.
    """
    body, payload_hash = await open_body(services, caller, sent)
    story_ids = await in_thread(read_story_ids, body)
    now = services.clock.now()
    name = (EVERY_SOURCE, STATS, caller.named.idempotency_key)
    known = await replayed(services.db.primary, name, payload_hash, now)
    if known is not None:
        return known
    async with services.db.transaction() as tx:
        found = set(
            await catalogue.touch_recounts(
                tx, services.clock, story_ids, sources=caller.key.sources
            )
        )
        unknown = [
            ItemError(index, "story_not_found", "there is no such story")
            for index, story_id in enumerate(story_ids)
            if story_id not in found
        ]
        request = _request(
            caller,
            name,
            payload_hash,
            len(story_ids),
            unknown,
            replay_until=now + replay_window(services),
        )
        if await store.insert(tx, request, now):
            return Reply(request.response_status, request.response)
    known = await replayed(services.db.primary, name, payload_hash, now)
    if known is None:
        raise RequestIdTaken
    return known


def _request(
    caller: Caller,
    name: Name,
    payload_hash: bytes,
    total: int,
    unknown: list[ItemError],
    *,
    replay_until: datetime,
) -> NewRequest:
    """The request is done at once: recounts have a queue of their own."""
    accepted = total - len(unknown)
    answer = Accepted(caller.named.request_id, accepted, len(unknown), unknown)
    source, job_type, idempotency_key = name
    return NewRequest(
        request_id=caller.named.request_id,
        key_id=caller.key.key_id,
        source=source,
        job_type=job_type,
        idempotency_key=idempotency_key,
        payload_hash=payload_hash,
        response_status=200 if unknown else 202,
        response=msgspec.json.encode(answer),
        replay_until=replay_until,
        status=RequestStatus.COMPLETED if accepted else RequestStatus.FAILED,
        total=total,
        accepted=accepted,
        rejected=len(unknown),
        processed=accepted,
        last_error=None if accepted else "There is none of these stories.",
    )
