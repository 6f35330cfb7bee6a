"""The library and what stands on the shelf, over the novel API."""

from typing import Annotated, cast

from litestar import Response, delete, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from rensai.kit.errors import InvalidFilter
from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.filters import known_filters
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, NovelPage, page_of
from rensai.kit.web.personal import personal
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.readers.door import Role, User, require_role
from rensai.rooms.shelf.errors import BookmarkNotFound
from rensai.rooms.shelf.model import KEY_TYPES, Key, Part, Status
from rensai.rooms.shelf.novel_api.shapes import (
    READ,
    WRITE,
    NovelBookmark,
    NovelHeld,
    NovelKeep,
    StoryId,
)
from rensai.rooms.shelf.service import bookmarks
from rensai.rooms.shelf.service.buffer import ProgressBuffer
from rensai.rooms.shelf.service.library import list_library

OneStatus = Annotated[
    int | None,
    QueryParameter(
        ge=0,
        le=3,
        description="Only what stands on the shelf as 0 following, 1 favorite, 2 plan to read or "
        "3 dropped.",
    ),
]


@get(
    "/wp-json/novel/v1/me/library",
    tags=["library"],
    summary="My library",
    before_request=known_filters,
    security=SIGNED_IN,
    opt=READ,
)
async def library(
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    part: Annotated[
        Part,
        QueryParameter(name="type", description="What is being read, what is kept, or both."),
    ] = Part.ALL,
    bookmark_status: OneStatus = None,
) -> Response[NovelPage[NovelHeld]]:
    """Stories that are being read and stories on the shelf, latest first.

    A story that is both is one item, where it was touched last. `bookmark_status` makes it a list
    of what is on the shelf.
    """
    reader = require_role(user, Role.USER)
    if bookmark_status is not None and part is Part.READING:
        raise InvalidFilter("What is being read has no bookmark_status: ask for type=bookmarks.")
    secret = services.config.session_secret
    listing = cursors.kind("novel-library", reader.id, part.value, bookmark_status)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, KEY_TYPES)
    held = await list_library(
        services,
        progress,
        reader.id,
        part,
        status=None if bookmark_status is None else Status(bookmark_status),
        is_novel=True,
        after=cast("Key | None", after),
        limit=limit,
    )
    page = page_of(held, limit, lambda last: cursors.encode(secret, listing, last.row.key))
    items = [NovelHeld.of(one) for one in page.items]
    return personal(NovelPage(items, page.next_cursor, page.has_more))


@post(
    "/wp-json/novel/v1/me/bookmarks/{story_id:int}",
    status_code=HTTP_200_OK,
    tags=["library"],
    summary="Keep a story",
    security=SIGNED_IN,
    opt=WRITE,
)
async def keep_story(
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
    story_id: StoryId,
    data: JSONBody[NovelKeep | None] = None,
) -> Response[NovelBookmark]:
    """Put a story on the shelf, or change how it stands there. Without a body it is followed."""
    reader = require_role(user, Role.USER)
    seen = await catalogue.see_story(services.lookups, story_id)
    asked = data or NovelKeep()
    kept = await bookmarks.keep(
        services.db,
        services.clock,
        progress,
        reader.id,
        seen.id,
        wanted=bookmarks.Wanted(Status(asked.status), asked.notify_new_chapter, is_novel=True),
    )
    return personal(NovelBookmark.of(kept.bookmark))


@delete(
    "/wp-json/novel/v1/me/bookmarks/{story_id:int}",
    status_code=HTTP_204_NO_CONTENT,
    tags=["library"],
    summary="Keep a story no more",
    security=SIGNED_IN,
    opt={**WRITE, "errors": (BookmarkNotFound,)},
)
async def drop_story(
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
    story_id: StoryId,
) -> None:
    """Take a story off the shelf. Reading on puts it there again."""
    reader = require_role(user, Role.USER)
    await bookmarks.remove(services.db, services.clock, progress, reader.id, story_id)


routes = [library, keep_story, drop_story]
