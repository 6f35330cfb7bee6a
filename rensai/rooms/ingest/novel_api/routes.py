"""The routes of bulk ingest."""

from typing import cast
from uuid import UUID

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath
from litestar.status_codes import HTTP_200_OK, HTTP_202_ACCEPTED

from rensai.kit.errors import NotFound, TooLarge
from rensai.kit.services import Services
from rensai.rooms.ingest.errors import (
    IdempotencyConflict,
    InsecureTransport,
    InvalidSchema,
    InvalidSignature,
    KeyInactive,
    MissingIdempotencyKey,
    NonceReplay,
    NotPermitted,
    RequestIdTaken,
    TimestampSkew,
    UnknownEncoding,
)
from rensai.rooms.ingest.model import CHAPTERS, STORIES, Permission
from rensai.rooms.ingest.novel_api.arrival import Anyone, caller_of_post, held, key_of_get
from rensai.rooms.ingest.novel_api.described import Chapters, Stats, Status, Stories
from rensai.rooms.ingest.service.accept import Accepted, Reply, accept
from rensai.rooms.ingest.service.admission import admit
from rensai.rooms.ingest.service.rebuild import rebuild
from rensai.rooms.ingest.service.standing import RequestSummary, standing

MB = 1024 * 1024
MOST_STATS_BYTES = MB

_ANYWHERE = (
    InvalidSignature,
    TimestampSkew,
    NonceReplay,
    KeyInactive,
    NotPermitted,
    InsecureTransport,
)
_READING = {"errors": (*_ANYWHERE, InvalidSchema, NotFound)}
_WRITING = {
    "errors": (
        *_ANYWHERE,
        MissingIdempotencyKey,
        InvalidSchema,
        IdempotencyConflict,
        RequestIdTaken,
        TooLarge,
        UnknownEncoding,
    )
}

_IN_PART = {HTTP_200_OK: ResponseSpec(Accepted, generate_examples=False)}
"""The answer when some of the items are rejected."""


def _response(reply: Reply) -> Response[Accepted]:
    """The answer as it was made or kept: JSON already."""
    answer = Response(
        reply.body,
        status_code=reply.status,
        media_type="application/json",
        headers={"Cache-Control": "no-store"},
    )
    return cast("Response[Accepted]", answer)  # what the bytes spell out, for the description


@post(
    "/wp-json/novel/v1/ingest/stories/bulk",
    status_code=HTTP_202_ACCEPTED,
    request_max_body_size=None,
    operation_class=Stories,
    responses=_IN_PART,
    opt=_WRITING,
    tags=["ingest"],
    summary="Push stories",
)
async def ingest_stories(
    request: Anyone, services: NamedDependency[Services]
) -> Response[Accepted]:
    """Queue up to 300 stories, at most 5 MB unpacked unless the operator has set otherwise."""
    limit = services.config.ingest_max_stories_mb * MB
    with held.body() as weight:
        caller, sent = await caller_of_post(
            request, services, weight, permission=Permission.STORIES, limit=limit
        )
        return _response(await accept(services, caller, STORIES, sent))


@post(
    "/wp-json/novel/v1/ingest/chapters/bulk",
    status_code=HTTP_202_ACCEPTED,
    request_max_body_size=None,
    operation_class=Chapters,
    responses=_IN_PART,
    opt=_WRITING,
    tags=["ingest"],
    summary="Push chapters",
)
async def ingest_chapters(
    request: Anyone, services: NamedDependency[Services]
) -> Response[Accepted]:
    """Queue up to 300 chapters, at most 12 MB unpacked unless the operator has set otherwise."""
    limit = services.config.ingest_max_chapters_mb * MB
    with held.body() as weight:
        caller, sent = await caller_of_post(
            request, services, weight, permission=Permission.CHAPTERS, limit=limit
        )
        return _response(await accept(services, caller, CHAPTERS, sent))


@post(
    "/wp-json/novel/v1/ingest/rebuild-stats",
    status_code=HTTP_202_ACCEPTED,
    request_max_body_size=None,
    operation_class=Stats,
    responses=_IN_PART,
    opt=_WRITING,
    tags=["ingest"],
    summary="Recount stories",
)
async def ingest_rebuild_stats(
    request: Anyone, services: NamedDependency[Services]
) -> Response[Accepted]:
    """Have the totals of up to 10,000 stories counted anew."""
    with held.body() as weight:
        caller, sent = await caller_of_post(
            request, services, weight, permission=Permission.STATS, limit=MOST_STATS_BYTES
        )
        return _response(await rebuild(services, caller, sent))


@get(
    "/wp-json/novel/v1/ingest/requests/{request_id:str}",
    operation_class=Status,
    opt=_READING,
    tags=["ingest"],
    summary="How far a request has come",
)
async def ingest_request(
    request: Anyone, services: NamedDependency[Services], request_id: FromPath[str]
) -> Response[RequestSummary]:
    """The counters of a request, and the items that failed or are tried again."""
    key, signed = await key_of_get(request, services)
    await admit(services, key, signed, 0)
    try:
        wanted = UUID(request_id)
    except ValueError:
        raise NotFound("There is no such request.") from None
    summary = await standing(services.db.primary, key, wanted)
    return Response(summary, headers={"Cache-Control": "no-store"})


routes = [ingest_stories, ingest_chapters, ingest_rebuild_stats, ingest_request]
