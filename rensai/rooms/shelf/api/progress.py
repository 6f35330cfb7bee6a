"""Reading over `/api/v1`: where somebody is, and what was read."""

from datetime import datetime
from typing import Annotated, cast
from uuid import UUID

from litestar import Response, delete, get, post
from litestar.di import NamedDependency
from litestar.openapi.spec import OpenAPIFormat
from litestar.params import FromPath, JSONBody, PathParameter
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT
from msgspec import Meta

from rensai.kit.errors import Gone, NotFound
from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.bodies import Body
from rensai.kit.web.filters import known_filters
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, Page, page_of
from rensai.kit.web.personal import personal
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import ChapterNotFound, SeriesNotFound
from rensai.rooms.readers.door import Role, User, require_role
from rensai.rooms.shelf.api.held import (
    PlaceInSeries,
    ReadingOfChapter,
    ReadingOfSeries,
    ReadInSeries,
    WasReadLately,
)
from rensai.rooms.shelf.model import KEY_TYPES, Key
from rensai.rooms.shelf.service import history as service
from rensai.rooms.shelf.service.buffer import ProgressBuffer
from rensai.rooms.shelf.service.marks import place_in_story, reading_of_chapter
from rensai.rooms.shelf.service.track import Sent, track

ChapterId = Annotated[
    str,
    PathParameter(
        description="The `id` that a list gave.", schema_extra={"format": OpenAPIFormat.UUID.value}
    ),
]
_CHAPTER_ERRORS = (ChapterNotFound, Gone)
_SERIES_ERRORS = (SeriesNotFound, Gone)


class Place(Body, frozen=True):
    """Where a reader is in a chapter."""

    chapter_id: UUID
    page_number: Annotated[int, Meta(ge=1, le=100_000)] = 1
    completed: bool | None = None
    """Left out, it stays as it was."""

    scroll_position: Annotated[float, Meta(ge=0, le=1)] | None = None
    updated_at: Annotated[datetime, Meta(tz=True)] | None = None
    """When it was, for devices that were offline; a time to come counts as now."""


@get(
    "/api/v1/progress/{chapter_id:str}",
    tags=["library"],
    summary="How far I have read a chapter",
    before_request=known_filters,
    security=SIGNED_IN,
    opt={"scope": "library:read", "errors": _CHAPTER_ERRORS},
)
async def my_progress(
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
    chapter_id: ChapterId,
) -> Response[ReadingOfChapter]:
    """Page 1 and no `updatedAt` when it has not been opened yet."""
    reader = require_role(user, Role.USER)
    try:
        uid = UUID(chapter_id)
    except ValueError:
        raise ChapterNotFound from None
    seen = await catalogue.see_chapter_of_uid(services.lookups, services.db.replica, uid)
    known = await reading_of_chapter(services.db.primary, progress, reader.id, seen.id)
    if known is None:
        told = ReadingOfChapter(
            uid, seen.story_uid, 1, completed=False, scroll_position=None, updated_at=None
        )
        return personal(told)
    return personal(
        ReadingOfChapter(
            uid,
            seen.story_uid,
            known.page_number or 1,
            completed=bool(known.completed),
            scroll_position=known.scroll_position,
            updated_at=known.updated_at,
        )
    )


@post(
    "/api/v1/progress",
    status_code=HTTP_200_OK,
    tags=["library"],
    summary="Say where I am in a chapter",
    security=SIGNED_IN,
    opt={"scope": "library:write", "errors": _CHAPTER_ERRORS},
)
async def set_my_progress(
    data: JSONBody[Place],
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
) -> Response[ReadingOfChapter]:
    """The chapter is a read one from now on, and the series is on the shelf as `reading` unless it
    stands there already. Of several devices the newest wins. What is accepted is written within
    seconds.
    """
    reader = require_role(user, Role.USER)
    uid = data.chapter_id
    seen = await catalogue.see_chapter_of_uid(services.lookups, services.db.replica, uid)
    sent = Sent(
        seen.story_id,
        seen.id,
        data.scroll_position,
        data.page_number,
        data.completed,
        data.updated_at,
    )
    step = await track(services, progress, reader.id, sent, seen)
    return personal(
        ReadingOfChapter(
            uid,
            seen.story_uid,
            data.page_number,
            completed=bool(step.completed),
            scroll_position=step.scroll_position,
            updated_at=step.at,
        )
    )


@get(
    "/api/v1/progress/series/{slug:str}",
    tags=["library"],
    summary="How far I have read a series",
    before_request=known_filters,
    security=SIGNED_IN,
    opt={"scope": "library:read", "errors": _SERIES_ERRORS},
)
async def my_progress_in_series(
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
    slug: FromPath[str],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response[ReadingOfSeries]:
    """Where I am in it, and the chapters that I have read, latest first."""
    reader = require_role(user, Role.USER)
    reads, secret = services.db.replica, services.config.session_secret
    seen = await catalogue.see_series(services.lookups, reads, slug)
    listing = cursors.kind("progress-series", reader.id, seen.id)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, KEY_TYPES)
    current = await place_in_story(services.db.primary, progress, reader.id, seen.id)
    read = await service.list_read_of_story(
        services, progress, reader.id, seen.id, after=cast("Key | None", after), limit=limit
    )
    page = page_of(read, limit, lambda last: cursors.encode(secret, listing, last.row.latest))
    stories = await catalogue.story_cards(reads, [seen.id])
    chapters = await catalogue.chapter_cards(reads, [current.chapter_id] if current else [])
    if seen.id not in stories:  # it has been hidden since a moment ago
        raise SeriesNotFound
    return personal(
        ReadingOfSeries(
            stories[seen.id].uid,
            PlaceInSeries.of(current, chapters.get(current.chapter_id) if current else None),
            [ReadInSeries.of(one) for one in page.items],
            page.next_cursor,
            page.has_more,
        )
    )


@delete(
    "/api/v1/progress/series/{slug:str}",
    status_code=HTTP_204_NO_CONTENT,
    tags=["library"],
    summary="Forget what I have read of a series",
    security=SIGNED_IN,
    opt={"scope": "library:write", "errors": _SERIES_ERRORS},
)
async def forget_my_progress_in_series(
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
    slug: FromPath[str],
) -> None:
    """Where I am in it and which chapters I have read. It stays on the shelf."""
    reader = require_role(user, Role.USER)
    seen = await catalogue.see_series(services.lookups, services.db.replica, slug)
    await service.forget_history_of(services.db, progress, reader.id, seen.id)
    try:
        await service.forget_place(services.db, progress, reader.id, seen.id)
    except NotFound:
        return  # as is wanted


@get(
    "/api/v1/history",
    tags=["library"],
    summary="What I have read",
    before_request=known_filters,
    security=SIGNED_IN,
    opt={"scope": "library:read"},
)
async def my_history(
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response[Page[WasReadLately]]:
    """Chapters that were read, latest first, each once. After `HISTORY_DAYS` one leaves the list
    and stays a read one."""
    reader = require_role(user, Role.USER)
    secret, listing = services.config.session_secret, cursors.kind("history", reader.id)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, KEY_TYPES)
    read = await service.list_history(
        services, progress, reader.id, after=cast("Key | None", after), limit=limit
    )
    page = page_of(read, limit, lambda last: cursors.encode(secret, listing, last.row.recent))
    items = [WasReadLately.of(one) for one in page.items]
    return personal(Page(items, page.next_cursor, page.has_more))


@delete(
    "/api/v1/history",
    status_code=HTTP_204_NO_CONTENT,
    tags=["library"],
    summary="Forget all that I have read",
    security=SIGNED_IN,
    opt={"scope": "library:write"},
)
async def forget_my_history(
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
) -> None:
    """No chapter is a read one any more. Where I am in series stays."""
    reader = require_role(user, Role.USER)
    await service.forget_history(services.db, progress, reader.id)


routes = [
    my_progress,
    set_my_progress,
    my_progress_in_series,
    forget_my_progress_in_series,
    my_history,
    forget_my_history,
]
