"""Reading lists over `/api/v1`."""

from datetime import datetime
from typing import Annotated, cast
from uuid import UUID

from litestar import Response, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_201_CREATED, HTTP_204_NO_CONTENT
from msgspec import UNSET, Meta, Struct, UnsetType

from rensai.kit.errors import NotFound
from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.bodies import Body
from rensai.kit.web.filters import known_filters
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.paging import Cursor, Page, page_of
from rensai.kit.web.personal import personal
from rensai.rooms.readers import door as readers
from rensai.rooms.readers.door import (
    EmailUnverified,
    HouseRules,
    Person,
    Role,
    User,
    require_role,
    require_writer,
)
from rensai.rooms.shelf.api.shapes import READ, WRITE, Someone, require_uid
from rensai.rooms.shelf.errors import ListNotFound, ShelfFull, SlugTaken
from rensai.rooms.shelf.model import Key
from rensai.rooms.shelf.model.lists import (
    LIST_KEY_TYPES,
    LONGEST_DESCRIPTION,
    LONGEST_SLUG,
    LONGEST_TITLE,
    SLUG,
    ShownList,
)
from rensai.rooms.shelf.service import lists as service

DEFAULT_LISTS = 20

Title = Annotated[str, Meta(min_length=1, max_length=LONGEST_TITLE)]
Text = Annotated[str, Meta(max_length=LONGEST_DESCRIPTION)]
Slug = Annotated[str, Meta(min_length=1, max_length=LONGEST_SLUG, pattern=rf"^{SLUG.pattern}$")]
ListLimit = Annotated[
    int, QueryParameter(ge=1, le=DEFAULT_LISTS, description="How many lists to return at most.")
]


class NewList(Body, frozen=True):
    """A list to be made. Without a slug it gets one from its title."""

    title: Title
    description: Text = ""
    is_public: bool = False
    slug: Slug | None = None


class ChangedList(Body, frozen=True):
    """What is to be other about a list; what is not named stays."""

    title: Title | UnsetType = UNSET
    description: Text | UnsetType = UNSET
    is_public: bool | UnsetType = UNSET
    slug: Slug | UnsetType = UNSET


class ReadingListTold(Struct, frozen=True, rename="camel"):
    """A reading list. `entryCount` counts what can be read."""

    id: UUID
    owner: Someone
    slug: str
    title: str
    description: str
    is_public: bool
    entry_count: int
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, shown: ShownList) -> "ReadingListTold":
        one, owner = shown.list, shown.owner
        return cls(
            id=one.uid,
            owner=Someone(owner.uid, owner.username, owner.display_name),
            slug=one.slug,
            title=one.title,
            description=one.description,
            is_public=one.is_public,
            entry_count=shown.entries,
            created_at=one.created_at,
            updated_at=one.updated_at,
        )


def _told(shown: ShownList, status: int = 200) -> Response[ReadingListTold]:
    return personal(ReadingListTold.of(shown), status=status)


async def _owner(services: Services, user: User) -> Person:
    """The one who is asking, as others see him."""
    found = (await readers.people_of(services.db.primary, {user.id})).get(user.id)
    if found is None:
        raise NotFound
    return found


@post(
    "/api/v1/lists",
    status_code=HTTP_201_CREATED,
    tags=["lists"],
    summary="Make a reading list",
    security=SIGNED_IN,
    opt={"errors": (ShelfFull, SlugTaken, EmailUnverified)} | WRITE,
)
async def make_list(
    data: JSONBody[NewList],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    rules: NamedDependency[HouseRules],
) -> Response[ReadingListTold]:
    """A new list, for nobody else unless it is made public. A reader has at most 100."""
    reader = require_writer(user, rules) if data.is_public else require_role(user, Role.USER)
    await services.limits.check(service.ARRANGING, str(reader.id))
    owner = await _owner(services, reader)
    async with services.db.transaction() as tx:
        made = await service.make_list(
            tx,
            services.clock,
            reader.id,
            title=data.title,
            description=data.description,
            is_public=data.is_public,
            slug=data.slug,
        )
    return _told(ShownList(made, owner, 0), HTTP_201_CREATED)


@get(
    "/api/v1/lists",
    tags=["lists"],
    summary="One's own reading lists",
    before_request=known_filters,
    security=SIGNED_IN,
    opt=READ,
)
async def list_own_lists(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    *,
    limit: ListLimit = DEFAULT_LISTS,
    cursor: Cursor = None,
) -> Response[Page[ReadingListTold]]:
    """All lists of the reader, the last changed first."""
    reader = require_role(user, Role.USER)
    owner = await _owner(services, reader)
    secret, listing = services.config.session_secret, cursors.kind("own-lists", reader.id)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, LIST_KEY_TYPES)
    rows = await service.own_lists(
        services.db.primary, owner, after=cast("Key | None", after), limit=limit
    )
    page = page_of(rows, limit, lambda last: cursors.encode(secret, listing, last.list.key))
    items = [ReadingListTold.of(row) for row in page.items]
    return personal(Page(items, page.next_cursor, page.has_more))


@get(
    "/api/v1/users/{username:str}/lists",
    tags=["lists"],
    summary="Somebody's public reading lists",
    before_request=known_filters,
)
async def list_public_lists(
    services: NamedDependency[Services],
    username: FromPath[str],
    *,
    limit: ListLimit = DEFAULT_LISTS,
    cursor: Cursor = None,
) -> Page[ReadingListTold]:
    """What somebody lets everybody see, the last changed first."""
    reads, secret = services.db.replica, services.config.session_secret
    owner = await readers.person_named(reads, username)
    if owner is None:
        raise NotFound
    listing = cursors.kind("public-lists", owner.id)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, LIST_KEY_TYPES)
    rows = await service.public_lists(reads, owner, after=cast("Key | None", after), limit=limit)
    page = page_of(rows, limit, lambda last: cursors.encode(secret, listing, last.list.key))
    items = [ReadingListTold.of(row) for row in page.items]
    return Page(items, page.next_cursor, page.has_more)


@get(
    "/api/v1/users/{username:str}/lists/{slug:str}",
    tags=["lists"],
    summary="A reading list by its address",
    opt={"errors": (ListNotFound,)} | READ,
)
async def list_at(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    username: FromPath[str],
    slug: FromPath[str],
) -> Response[ReadingListTold]:
    """A list that is public or the reader's own."""
    reads = services.db.replica if user is None else services.db.primary
    return _told(await service.see_list_at(reads, user and user.id, username, slug))


@get(
    "/api/v1/lists/{list_id:str}",
    tags=["lists"],
    summary="A reading list",
    opt={"errors": (ListNotFound,)} | READ,
)
async def one_list(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    list_id: FromPath[str],
) -> Response[ReadingListTold]:
    """A list that is public or the reader's own. Others are not there."""
    reads = services.db.replica if user is None else services.db.primary
    uid = require_uid(list_id, ListNotFound)
    return _told(await service.see_list(reads, user and user.id, uid))


@patch(
    "/api/v1/lists/{list_id:str}",
    tags=["lists"],
    summary="Change a reading list",
    security=SIGNED_IN,
    opt={"errors": (ListNotFound, SlugTaken, EmailUnverified)} | WRITE,
)
async def change_list(
    data: JSONBody[ChangedList],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    rules: NamedDependency[HouseRules],
    list_id: FromPath[str],
) -> Response[ReadingListTold]:
    """Other words for a list, another address, or other eyes."""
    reader = require_writer(user, rules) if data.is_public else require_role(user, Role.USER)
    await services.limits.check(service.ARRANGING, str(reader.id))
    uid = require_uid(list_id, ListNotFound)
    async with services.db.transaction() as tx:
        await service.change_list(
            tx,
            services.clock,
            reader.id,
            uid,
            title=data.title or None,
            description=None if data.description is UNSET else data.description,
            is_public=None if data.is_public is UNSET else data.is_public,
            slug=data.slug or None,
        )
    return _told(await service.see_list(services.db.primary, reader.id, uid))


@delete(
    "/api/v1/lists/{list_id:str}",
    status_code=HTTP_204_NO_CONTENT,
    tags=["lists"],
    summary="Remove a reading list",
    security=SIGNED_IN,
    opt={"errors": (ListNotFound,)} | WRITE,
)
async def drop_list(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    list_id: FromPath[str],
) -> None:
    """Remove a list of one's own with all that is on it."""
    reader = require_role(user, Role.USER)
    await services.limits.check(service.ARRANGING, str(reader.id))
    async with services.db.transaction() as tx:
        await service.drop_list(tx, reader.id, require_uid(list_id, ListNotFound))


routes = [
    make_list,
    list_own_lists,
    list_public_lists,
    list_at,
    one_list,
    change_list,
    drop_list,
]
