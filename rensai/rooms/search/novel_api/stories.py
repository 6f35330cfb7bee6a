"""The list of stories over the novel API.

It stands here and not in the catalogue because it takes a text and every filter at once. Plain
lists are read from the catalogue, where an index holds each of them in its order and the latest
write shows at once; whatever else is asked is found by search.
"""

from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, cast

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromQuery, QueryParameter
from msgspec import Struct

from rensai.kit.errors import InvalidFilter
from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.filters import known_filters
from rensai.kit.web.kept import NOT_MODIFIED, AnyRequest, KeptList, KeptVersion
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, NovelPage, page_of
from rensai.kit.web.personal import personal
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.readers.door import User, mutes_of
from rensai.rooms.search.adapters.asking import LONGEST
from rensai.rooms.search.adapters.parameters import as_name
from rensai.rooms.search.model import NOTHING, STATUSES, Filters, LeftOut, Question, Sort
from rensai.rooms.search.novel_api.shapes import NovelListedStory
from rensai.rooms.search.service.finding import find, following
from rensai.rooms.search.service.index import Index
from rensai.rooms.search.service.mutes import left_out

_PUBLIC = ("1", "2")


class NovelSort(Enum):
    """The orders of the novel API."""

    UPDATED = "updated_desc"
    POPULAR = "popular_desc"
    NEWEST = "newest_desc"


_IN_CATALOGUE = {
    NovelSort.UPDATED: catalogue.Sort.UPDATED,
    NovelSort.POPULAR: catalogue.Sort.POPULAR,
    NovelSort.NEWEST: catalogue.Sort.NEWEST,
}
_IN_SEARCH = {
    NovelSort.UPDATED: Sort.UPDATED,
    NovelSort.POPULAR: Sort.POPULAR,
    NovelSort.NEWEST: Sort.NEWEST,
}


def _text(longest: int, description: str) -> QueryParameter:
    return QueryParameter(min_length=1, max_length=longest, description=description)


Text = Annotated[str | None, _text(LONGEST, "What to look for in titles, authors and tags.")]
Source = Annotated[str | None, _text(40, "Only stories from this source.")]
Genre = Annotated[str | None, _text(120, "Only stories of this genre, by its slug.")]
Author = Annotated[str | None, _text(191, "Only stories of this author.")]
Status = Annotated[
    str | None,
    QueryParameter(
        pattern="^[1-4](,[1-4]){0,3}$",
        description="1 ongoing, 2 completed, 3 hiatus, 4 dropped; several with commas. "
        "Without it 1 and 2.",
    ),
]
UpdatedAfter = Annotated[
    str | None,
    QueryParameter(
        pattern=r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?$",
        description="Only stories updated after this time, such as `2026-02-21T08:00:00Z`; "
        "without a zone it is UTC.",
    ),
]


class _Asked(Struct, frozen=True):
    """The parameters of one request."""

    sort: NovelSort
    q: str | None
    source: str | None
    genre: str | None
    author: str | None
    status: tuple[str, ...] | None
    updated_after: datetime | None
    limit: int
    cursor: str | None
    left_out: LeftOut = NOTHING
    reader: int | None = None
    """Whose list it is, when something is left out."""

    @property
    def is_plain(self) -> bool:
        """Whether an index of the catalogue holds this list in its order."""
        return (
            not self.left_out
            and self.q is None
            and self.genre is None
            and self.status is None
            and (self.updated_after is None or self.sort is NovelSort.UPDATED)
        )


_PLAIN = KeptList("novel-stories")
_FOUND = KeptVersion("novel-stories-found")


@get(
    "/wp-json/novel/v1/stories",
    tags=["stories"],
    summary="List stories",
    before_request=known_filters,
    responses=NOT_MODIFIED,
    opt={"scope": "library:read"},
)
async def list_stories(
    request: AnyRequest,
    services: NamedDependency[Services],
    index: NamedDependency[Index],
    *,
    user: NamedDependency[User | None],
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    sort: FromQuery[NovelSort] = NovelSort.UPDATED,
    source: Source = None,
    q: Text = None,
    status: Status = None,
    genre: Genre = None,
    author: Author = None,
    updated_after: UpdatedAfter = None,
) -> Response[NovelPage[NovelListedStory]]:
    """Stories that everybody may read, in the order asked for.

    `q` understands what `/api/v1/search` does, and finds what it names in titles, authors and
    tags. A `next_cursor` is good for the list, order and filters that it came from. What the
    account that asks has muted is left out.
    """
    mutes = user and await mutes_of(services.lookups, user.id)
    asked = _Asked(
        sort,
        q,
        source,
        genre,
        author,
        tuple(sorted(set(status.split(",")))) if status else None,
        None if updated_after is None else _moment(updated_after),
        limit,
        cursor,
        left_out(mutes),
        user.id if user and mutes else None,
    )
    if asked.is_plain:
        return await _plain(request, services, asked)
    return await _found(request, services, index, asked)


async def _plain(
    request: AnyRequest, services: Services, asked: _Asked
) -> Response[NovelPage[NovelListedStory]]:
    sort, limit, cursor = _IN_CATALOGUE[asked.sort], asked.limit, asked.cursor
    secret, listing = services.config.session_secret, _name("novel-stories", asked)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, sort.key_types)

    async def load() -> NovelPage[NovelListedStory]:
        rows = await catalogue.list_stories(
            services.db.replica,
            sort=sort,
            source=asked.source,
            author=asked.author,
            updated_after=asked.updated_after,
            after=after,
            limit=limit,
        )
        page = page_of(rows, limit, lambda last: cursors.encode(secret, listing, last.key(sort)))
        return NovelPage(
            [NovelListedStory.of(row) for row in page.items], page.next_cursor, page.has_more
        )

    return await _PLAIN.answer(
        request, services, (listing, limit, cursor), load, shared=cursor is None
    )


async def _found(
    request: AnyRequest,
    services: Services,
    index: Index,
    asked: _Asked,
) -> Response[NovelPage[NovelListedStory]]:
    secret, listing = services.config.session_secret, _name("novel-stories-found", asked)
    limit, cursor = asked.limit, asked.cursor
    question = Question(
        text=asked.q or "",
        filters=_filters(asked),
        sort=_IN_SEARCH[asked.sort],
        limit=limit,
        in_names=True,
        left_out=asked.left_out,
    )
    if cursor is not None:
        after = cursors.decode(secret, listing, cursor, (int, int))
        question = following(question, cast("tuple[int, int]", after))

    async def load() -> NovelPage[NovelListedStory]:
        found = await find(services.db.replica, index, question)
        place = found.following
        next_cursor = None if place is None else cursors.encode(secret, listing, place)
        return NovelPage(
            [NovelListedStory.of_hit(hit) for hit in found.hits], next_cursor, found.has_more
        )

    if asked.left_out:
        return personal(await load())
    version = await index.version(services.db.replica)
    # Views are told as they are, and change without a change of the index.
    span = int(services.clock.now().timestamp()) // services.config.views_flush_seconds
    told = (listing, limit, cursor)
    return await _FOUND.answer(request, services, f"{version}-{span}", told, load)


def _filters(asked: _Asked) -> Filters:
    wanted = {
        "source": asked.source,
        "genre": asked.genre,
        "author": None if asked.author is None else as_name(asked.author),
    }
    include: dict[str, tuple[str, ...]] = {
        facet: (value,) for facet, value in wanted.items() if value is not None
    }
    include["status"] = tuple(STATUSES[int(number)] for number in asked.status or _PUBLIC)
    return Filters(include, updated_after=asked.updated_after)


def _name(name: str, asked: _Asked) -> str:
    after = asked.updated_after
    return cursors.kind(
        name,
        asked.sort.value,
        *(asked.q, asked.source, asked.genre, asked.author, asked.status),
        after and after.isoformat(),
        *(() if asked.reader is None else (asked.reader,)),
    )


def _moment(text: str) -> datetime:
    """A time without a zone is meant in UTC, as all times here are."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as problem:
        raise InvalidFilter(f"{text!r} is no time.") from problem


routes = [list_stories]
