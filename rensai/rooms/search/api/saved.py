"""Searches that readers keep, over `/api/v1`."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from litestar import Response, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_201_CREATED, HTTP_204_NO_CONTENT
from msgspec import UNSET, Meta, Struct, UnsetType

from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.bodies import Body
from rensai.kit.web.filters import known_filters
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, Page, page_of
from rensai.kit.web.personal import personal
from rensai.rooms.readers.door import Role, User, require_role
from rensai.rooms.search.errors import SearchNameTaken, SearchNotFound, TooManySearches
from rensai.rooms.search.model import LONGEST_NAME, LONGEST_SAVED
from rensai.rooms.search.model import SavedSearch as Kept
from rensai.rooms.search.service import saved as service
from rensai.rooms.search.service.index import Index

_KEY_TYPES = (datetime, UUID)
_READ = {"scope": "library:read"}
_WRITE = {"scope": "library:write"}

Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Query = Annotated[str, Meta(max_length=LONGEST_SAVED)]


class NewSearch(Body, frozen=True):
    """A search to keep: what stands behind the question mark of its address."""

    name: Name
    query: Query


class ChangedSearch(Body, frozen=True):
    """What is to be other about a search; what is not named stays."""

    name: Name | UnsetType = UNSET
    query: Query | UnsetType = UNSET


class SavedSearch(Struct, frozen=True, rename="camel"):
    """A search that the reader keeps; `url` answers it as of now."""

    id: UUID
    name: str
    query: str
    url: str
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, kept: Kept, base_url: str) -> "SavedSearch":
        question = f"?{kept.query}" if kept.query else ""
        url = f"{base_url.rstrip('/')}/api/v1/search{question}"
        return cls(kept.id, kept.name, kept.query, url, kept.created_at, kept.updated_at)


@post(
    "/api/v1/searches",
    status_code=HTTP_201_CREATED,
    tags=["search"],
    summary="Keep a search",
    security=SIGNED_IN,
    opt={"errors": (SearchNameTaken, TooManySearches)} | _WRITE,
)
async def keep_search(
    data: JSONBody[NewSearch],
    services: NamedDependency[Services],
    index: NamedDependency[Index],
    user: NamedDependency[User | None],
) -> Response[SavedSearch]:
    """Keep a search under a name. What search would refuse is refused; a page is left out.

    A reader keeps at most 100.
    """
    reader = require_role(user, Role.USER)
    await services.limits.check(service.SAVING, str(reader.id))
    query = await service.checked(services.db.replica, index, data.query)
    async with services.db.transaction() as tx:
        kept = await service.save(tx, services.clock, reader.id, name=data.name, query=query)
    told = SavedSearch.of(kept, services.config.base_url)
    return personal(told, status=HTTP_201_CREATED)


@get(
    "/api/v1/searches",
    tags=["search"],
    summary="One's own searches",
    before_request=known_filters,
    security=SIGNED_IN,
    opt=_READ,
)
async def list_searches(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response[Page[SavedSearch]]:
    """What the reader keeps, the latest first."""
    reader = require_role(user, Role.USER)
    secret, listing = services.config.session_secret, cursors.kind("searches", reader.id)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, _KEY_TYPES)
    rows = await service.list_saved(services.db.primary, reader.id, after=after, limit=limit)
    page = page_of(rows, limit, lambda last: cursors.encode(secret, listing, last.key))
    items = [SavedSearch.of(row, services.config.base_url) for row in page.items]
    return personal(Page(items, page.next_cursor, page.has_more))


@get(
    "/api/v1/searches/{search_id:str}",
    tags=["search"],
    summary="One of one's own searches",
    security=SIGNED_IN,
    opt={"errors": (SearchNotFound,)} | _READ,
)
async def one_search(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    search_id: FromPath[str],
) -> Response[SavedSearch]:
    """A search that the reader keeps."""
    reader = require_role(user, Role.USER)
    kept = await service.one_saved(services.db.primary, reader.id, _uid(search_id))
    return personal(SavedSearch.of(kept, services.config.base_url))


@patch(
    "/api/v1/searches/{search_id:str}",
    tags=["search"],
    summary="Change a kept search",
    security=SIGNED_IN,
    opt={"errors": (SearchNotFound, SearchNameTaken)} | _WRITE,
)
async def change_search(
    data: JSONBody[ChangedSearch],
    services: NamedDependency[Services],
    index: NamedDependency[Index],
    user: NamedDependency[User | None],
    search_id: FromPath[str],
) -> Response[SavedSearch]:
    """Give a search another name, or ask something else under its name."""
    reader = require_role(user, Role.USER)
    await services.limits.check(service.SAVING, str(reader.id))
    query = None
    if data.query is not UNSET:
        query = await service.checked(services.db.replica, index, data.query)
    async with services.db.transaction() as tx:
        kept = await service.change(
            tx,
            services.clock,
            reader.id,
            _uid(search_id),
            name=None if data.name is UNSET else data.name,
            query=query,
        )
    return personal(SavedSearch.of(kept, services.config.base_url))


@delete(
    "/api/v1/searches/{search_id:str}",
    status_code=HTTP_204_NO_CONTENT,
    tags=["search"],
    summary="Keep a search no longer",
    security=SIGNED_IN,
    opt={"errors": (SearchNotFound,)} | _WRITE,
)
async def drop_search(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    search_id: FromPath[str],
) -> None:
    """Remove a search that the reader keeps."""
    reader = require_role(user, Role.USER)
    await services.limits.check(service.SAVING, str(reader.id))
    async with services.db.transaction() as tx:
        await service.drop(tx, reader.id, _uid(search_id))


def _uid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise SearchNotFound from None


routes = [keep_search, list_searches, one_search, change_search, drop_search]
