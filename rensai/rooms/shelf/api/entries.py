"""What is on reading lists, over `/api/v1`."""

from datetime import datetime
from typing import Annotated, cast
from uuid import UUID

from litestar import Response, delete, get, put
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED, HTTP_204_NO_CONTENT
from msgspec import UNSET, Meta, Struct, UnsetType

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
from rensai.rooms.shelf.api.held import HeldSeries
from rensai.rooms.shelf.api.shapes import READ, WRITE, require_uid
from rensai.rooms.shelf.errors import EntryNotFound, ListNotFound, ShelfFull
from rensai.rooms.shelf.model.lists import (
    ENTRY_KEY_TYPES,
    LONGEST_NOTE,
    MOST_ENTRIES,
    ShownEntry,
)
from rensai.rooms.shelf.service import entries as service
from rensai.rooms.shelf.service.lists import ARRANGING, find_list


class PutEntry(Body, frozen=True):
    """What to say of a series, and which one of the list it is to follow: null for the first place.

    What is not named stays as it is; a new entry comes last.
    """

    note: Annotated[str, Meta(max_length=LONGEST_NOTE)] | UnsetType = UNSET
    after: UUID | UnsetType | None = UNSET


class EntryOrder(Body, frozen=True):
    """The series that are to come first, in this order; the others follow as they were."""

    series: Annotated[list[UUID], Meta(max_length=MOST_ENTRIES)]


class ListEntry(Struct, frozen=True, rename="camel"):
    """A series on a reading list."""

    series: HeldSeries
    note: str
    added_at: datetime

    @classmethod
    def of(cls, shown: ShownEntry) -> "ListEntry":
        return cls(HeldSeries.of(shown.story), shown.entry.note, shown.entry.added_at)


class ChangedEntry(Struct, frozen=True, rename="camel"):
    """An entry as it is now."""

    series_id: UUID
    note: str
    added_at: datetime


@get(
    "/api/v1/lists/{list_id:str}/entries",
    tags=["lists"],
    summary="What is on a reading list",
    before_request=known_filters,
    opt={"errors": (ListNotFound,)} | READ,
)
async def list_entries(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    list_id: FromPath[str],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response[Page[ListEntry]]:
    """The series of a list that is public or the reader's own, in the order of its owner."""
    reads = services.db.replica if user is None else services.db.primary
    secret = services.config.session_secret
    kept = await find_list(reads, user and user.id, require_uid(list_id, ListNotFound))
    listing = cursors.kind("list-entries", kept.id)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, ENTRY_KEY_TYPES)
    place = cast("tuple[int, int] | None", after)
    rows = await service.list_entries(reads, kept, after=place, limit=limit)
    page = page_of(rows, limit, lambda last: cursors.encode(secret, listing, last.entry.key))
    items = [ListEntry.of(row) for row in page.items]
    return personal(Page(items, page.next_cursor, page.has_more))


@put(
    "/api/v1/lists/{list_id:str}/entries/{series_id:str}",
    tags=["lists"],
    summary="Put a series on a reading list",
    security=SIGNED_IN,
    opt={"errors": (ListNotFound, SeriesNotFound, ShelfFull)} | WRITE,
)
async def put_entry(
    data: JSONBody[PutEntry],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    list_id: FromPath[str],
    series_id: FromPath[str],
) -> Response[ChangedEntry]:
    """Put a series on a list, or change its note or its place there. A list has room for 1,000."""
    reader = require_role(user, Role.USER)
    await services.limits.check(ARRANGING, str(reader.id))
    uid = require_uid(list_id, ListNotFound)
    series = require_uid(series_id, SeriesNotFound)
    story = await catalogue.see_story_of_uid(services.lookups, series)
    after: int | UnsetType | None = UNSET
    if data.after is not UNSET:
        after = data.after and (await catalogue.see_story_of_uid(services.lookups, data.after)).id
    async with services.db.transaction() as tx:
        entry, is_new = await service.put_entry(
            tx, services.clock, reader.id, uid, story.id, note=data.note, after=after
        )
    status = HTTP_201_CREATED if is_new else HTTP_200_OK
    told = ChangedEntry(series, entry.note, entry.added_at)
    return personal(told, status=status)


@delete(
    "/api/v1/lists/{list_id:str}/entries/{series_id:str}",
    status_code=HTTP_204_NO_CONTENT,
    tags=["lists"],
    summary="Take a series from a reading list",
    security=SIGNED_IN,
    opt={"errors": (ListNotFound, SeriesNotFound, EntryNotFound)} | WRITE,
)
async def drop_entry(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    list_id: FromPath[str],
    series_id: FromPath[str],
) -> None:
    """Take a series from a list of one's own."""
    reader = require_role(user, Role.USER)
    await services.limits.check(ARRANGING, str(reader.id))
    uid = require_uid(list_id, ListNotFound)
    series = require_uid(series_id, SeriesNotFound)
    story = await catalogue.see_story_of_uid(services.lookups, series)
    async with services.db.transaction() as tx:
        await service.drop_entry(tx, services.clock, reader.id, uid, story.id)


@put(
    "/api/v1/lists/{list_id:str}/order",
    status_code=HTTP_204_NO_CONTENT,
    tags=["lists"],
    summary="EntryOrder a reading list",
    security=SIGNED_IN,
    opt={"errors": (ListNotFound,)} | WRITE,
)
async def order_list(
    data: JSONBody[EntryOrder],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    list_id: FromPath[str],
) -> None:
    """Say which series come first and in which order; the others follow as they were."""
    reader = require_role(user, Role.USER)
    await services.limits.check(ARRANGING, str(reader.id))
    uid = require_uid(list_id, ListNotFound)
    async with services.db.transaction() as tx:
        await service.arrange(tx, services.clock, reader.id, uid, data.series)


routes = [list_entries, put_entry, drop_entry, order_list]
