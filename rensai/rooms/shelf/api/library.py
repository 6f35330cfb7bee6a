"""The library over `/api/v1`."""

from typing import Annotated, Literal, cast
from uuid import UUID

from litestar import Response, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import OpenAPIFormat
from litestar.params import JSONBody, PathParameter, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED, HTTP_204_NO_CONTENT

from rensai.kit.errors import NotFound
from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.bodies import Body
from rensai.kit.web.filters import known_filters
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, Page, page_of
from rensai.kit.web.personal import personal
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import SeriesNotFound
from rensai.rooms.readers.door import Role, User, require_role
from rensai.rooms.shelf.api.held import WORDS, InLibrary, OnShelf
from rensai.rooms.shelf.model import KEY_TYPES, Key, Part
from rensai.rooms.shelf.service import bookmarks
from rensai.rooms.shelf.service.bookmarks import Wanted
from rensai.rooms.shelf.service.buffer import ProgressBuffer
from rensai.rooms.shelf.service.library import list_library

Word = Literal["reading", "favorite", "plan_to_read", "dropped", "completed", "on_hold"]
OneStatus = Annotated[Word | None, QueryParameter(description="Only what has this status.")]
# Text for the router, so that what is no id at all is told like one that nobody has.
SeriesId = Annotated[
    str,
    PathParameter(
        description="The `id` that a list gave.", schema_extra={"format": OpenAPIFormat.UUID.value}
    ),
]


class Keep(Body, frozen=True):
    """A series for the shelf."""

    series_id: UUID
    status: Word = "reading"
    notify_new_chapter: bool = True


class Change(Body, frozen=True):
    """What is to be different about a series on the shelf."""

    status: Word | None = None
    notify_new_chapter: bool | None = None


@get(
    "/api/v1/library",
    tags=["library"],
    summary="My library",
    before_request=known_filters,
    security=SIGNED_IN,
    opt={"scope": "library:read"},
)
async def list_my_library(
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    status: OneStatus = None,
) -> Response[Page[InLibrary]]:
    """What is on the shelf, latest change first, each with where its reader is."""
    reader = require_role(user, Role.USER)
    secret = services.config.session_secret
    listing = cursors.kind("library", reader.id, status)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, KEY_TYPES)
    held = await list_library(
        services,
        progress,
        reader.id,
        Part.BOOKMARKS,
        status=None if status is None else WORDS[status],
        after=cast("Key | None", after),
        limit=limit,
    )
    page = page_of(held, limit, lambda last: cursors.encode(secret, listing, last.row.key))
    items = [
        InLibrary.of(one, bookmark)
        for one in page.items
        if (bookmark := one.row.bookmark) is not None
    ]
    return personal(Page(items, page.next_cursor, page.has_more))


@post(
    "/api/v1/library",
    status_code=HTTP_201_CREATED,
    tags=["library"],
    summary="Keep a series",
    security=SIGNED_IN,
    opt={"scope": "library:write", "errors": (SeriesNotFound,)},
    responses={
        200: ResponseSpec(
            OnShelf, generate_examples=False, description="It was there; now it stands like this."
        )
    },
)
async def keep_series(
    data: JSONBody[Keep],
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
) -> Response[OnShelf]:
    """Put a series on the shelf, or change how it stands there."""
    reader = require_role(user, Role.USER)
    seen = await catalogue.see_story_of_uid(services.lookups, data.series_id)
    kept = await bookmarks.keep(
        services.db,
        services.clock,
        progress,
        reader.id,
        seen.id,
        wanted=Wanted(WORDS[data.status], data.notify_new_chapter),
    )
    told = OnShelf.of(data.series_id, kept.bookmark)
    return personal(told, status=HTTP_201_CREATED if kept.is_new else HTTP_200_OK)


@patch(
    "/api/v1/library/{series_id:str}",
    tags=["library"],
    summary="Change how a series stands on the shelf",
    security=SIGNED_IN,
    opt={"scope": "library:write", "errors": (SeriesNotFound,)},
)
async def change_kept_series(
    data: JSONBody[Change],
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
    series_id: SeriesId,
) -> Response[OnShelf]:
    """What is left out stays as it is."""
    reader = require_role(user, Role.USER)
    uid = _uid(series_id)
    seen = await catalogue.see_story_of_uid(services.lookups, uid)
    kept = await bookmarks.keep(
        services.db,
        services.clock,
        progress,
        reader.id,
        seen.id,
        wanted=Wanted(None if data.status is None else WORDS[data.status], data.notify_new_chapter),
        anew=False,
    )
    return personal(OnShelf.of(uid, kept.bookmark))


@delete(
    "/api/v1/library/{series_id:str}",
    status_code=HTTP_204_NO_CONTENT,
    tags=["library"],
    summary="Keep a series no more",
    security=SIGNED_IN,
    opt={"scope": "library:write", "errors": (SeriesNotFound, NotFound)},
)
async def drop_series(
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
    series_id: SeriesId,
) -> None:
    """Take a series off the shelf. Reading on puts it there again."""
    reader = require_role(user, Role.USER)
    seen = await catalogue.see_story_of_uid(services.lookups, _uid(series_id))
    await bookmarks.remove(services.db, services.clock, progress, reader.id, seen.id)


def _uid(series_id: str) -> UUID:
    try:
        return UUID(series_id)
    except ValueError:
        raise SeriesNotFound from None


routes = [list_my_library, keep_series, change_kept_series, drop_series]
