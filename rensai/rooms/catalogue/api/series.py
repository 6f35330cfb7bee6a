"""Series over `/api/v1`: the list, one series, its chapters."""

from enum import Enum
from typing import Annotated

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, QueryParameter

from rensai.kit.errors import Gone
from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.filters import known_filters
from rensai.kit.web.held import held
from rensai.kit.web.kept import NOT_MODIFIED, AnyRequest, KeptList, KeptVersion, TooOld
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, Page, page_of
from rensai.kit.web.personal import personal
from rensai.kit.web.visitor import visitor_of
from rensai.rooms.catalogue import service
from rensai.rooms.catalogue.api.shapes import Chapter, Series, SeriesDetail
from rensai.rooms.catalogue.errors import SeriesNotFound
from rensai.rooms.catalogue.model import Sort
from rensai.rooms.catalogue.model.reading import CHAPTER_KEY_TYPES, ChapterSpan, ReadMarks
from rensai.rooms.catalogue.model.unmuted import PLACE_TYPES, UnmutedLists
from rensai.rooms.catalogue.service import reading
from rensai.rooms.catalogue.service.age_gate import warns
from rensai.rooms.catalogue.service.views import Views
from rensai.rooms.readers.door import User, mutes_of

Source = Annotated[
    str | None,
    QueryParameter(
        min_length=1,
        max_length=40,
        description="Only stories from this source; `local` for what was uploaded here.",
    ),
]
Language = Annotated[
    str | None,
    QueryParameter(
        min_length=2,
        max_length=10,
        description="Only chapters in this language, such as `en` or `pt-BR`.",
    ),
]


class Direction(Enum):
    """Which end of the table of contents comes first."""

    ASC = "asc"
    DESC = "desc"


_LIST = KeptList("series")
_SERIES = KeptVersion("series")
_CHAPTERS = KeptVersion("series-chapters")


@get(
    "/api/v1/series",
    tags=["series"],
    summary="List series",
    before_request=known_filters,
    responses=NOT_MODIFIED,
    opt={"scope": "library:read"},
)
async def list_series(
    request: AnyRequest,
    services: NamedDependency[Services],
    *,
    user: NamedDependency[User | None],
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    sort: FromQuery[Sort] = Sort.UPDATED,
    source: Source = None,
) -> Response[Page[Series]]:
    """Public stories, ongoing or completed, in the order asked for.

    May be up to `ANSWER_CACHE_SECONDS` old (30 unless the operator chose otherwise). Send the
    ETag back as `If-None-Match` to be told with an empty 304 that nothing is new. What the
    account that asks has muted is left out; such an answer is as it is now, and never kept.
    """
    secret = services.config.session_secret
    mutes = user and await mutes_of(services.lookups, user.id)
    if user is not None and mutes is not None:
        listing = cursors.kind("series-unmuted", sort.value, source, user.id)
        place = None if cursor is None else cursors.decode(secret, listing, cursor, PLACE_TYPES)
        found = await service.list_unmuted(
            services.db.replica,
            held(request, UnmutedLists),
            mutes,
            sort=sort,
            source=source,
            after=place,
            limit=limit,
        )
        following = found.following and cursors.encode(secret, listing, found.following)
        rows = [Series.of(story) for story in found.stories]
        return personal(Page(rows, following, following is not None))
    listing = cursors.kind("series", sort.value, source)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, sort.key_types)

    async def load() -> "Page[Series]":
        stories = await service.list_stories(
            services.db.replica, sort=sort, source=source, after=after, limit=limit
        )
        page = page_of(stories, limit, lambda last: cursors.encode(secret, listing, last.key(sort)))
        return Page([Series.of(story) for story in page.items], page.next_cursor, page.has_more)

    asked = (sort.value, source, limit, cursor)
    return await _LIST.answer(request, services, asked, load, shared=cursor is None)


@get(
    "/api/v1/series/{slug:str}",
    tags=["series"],
    summary="One series",
    before_request=known_filters,
    responses=NOT_MODIFIED,
    opt={"errors": (SeriesNotFound, Gone), "scope": "library:read"},
)
async def one_series(
    request: AnyRequest,
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    slug: FromPath[str],
) -> Response[SeriesDetail]:
    """All that is told of a series. Its slug is bare when it was uploaded here, else
    `source:slug`, as lists give it.

    Always as it is now; the ETag says whether it has changed. `chapterCount`, `wordCount` and
    `lastChapter` follow new chapters within about a minute, `latestChapter` at once, `viewCount`
    within `VIEWS_FLUSH_SECONDS`.
    """
    reads = services.db.replica
    seen = await reading.see_series(services.lookups, reads, slug)
    held(request, Views).see_story(
        visitor_of(request, user and user.id), seen.id, services.clock.now()
    )

    gate = services.config.age_gate

    async def load() -> "SeriesDetail | TooOld[SeriesDetail]":
        detail = await reading.read_story(reads, seen.id)
        told = SeriesDetail.of(detail, warns=warns(gate))
        return TooOld(told) if detail.story.cache_version < seen.cache_version else told

    version = f"{seen.full_version}-{gate}"
    return await _SERIES.answer(request, services, version, (), load, shared=True)


@get(
    "/api/v1/series/{slug:str}/chapters",
    tags=["series"],
    summary="The chapters of a series",
    before_request=known_filters,
    responses=NOT_MODIFIED,
    opt={"errors": (SeriesNotFound, Gone), "scope": "library:read"},
)
async def list_series_chapters(
    request: AnyRequest,
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    read_marks: NamedDependency[ReadMarks],
    slug: FromPath[str],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    sort: FromQuery[Direction] = Direction.ASC,
    language: Language = None,
) -> Response[Page[Chapter]]:
    """The table of contents in the order of reading, or from its end with `sort=desc`.

    Several groups may have brought the same number into a language; each is an item. To somebody
    who has signed in each says with `isRead` whether they have read it; such an answer is never
    kept.
    """
    reads, secret = services.db.replica, services.config.session_secret
    seen = await reading.see_series(services.lookups, reads, slug)
    listing = cursors.kind("series-chapters", seen.id, sort.value, language)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, CHAPTER_KEY_TYPES)
    span = ChapterSpan(language=language, backwards=sort is Direction.DESC)

    async def load() -> "Page[Chapter] | TooOld[Page[Chapter]]":
        rows = await reading.list_chapters(reads, seen.id, span, after=after, limit=limit)
        page = page_of(rows, limit, lambda last: cursors.encode(secret, listing, last.key))
        told = Page([Chapter.of(row) for row in page.items], page.next_cursor, page.has_more)
        return told if seen.is_covered_by(rows) else TooOld(told)

    if user is not None:
        rows = await reading.list_chapters(reads, seen.id, span, after=after, limit=limit)
        page = page_of(rows, limit, lambda last: cursors.encode(secret, listing, last.key))
        read = await read_marks.read_of(user.id, [row.id for row in page.items])
        items = [Chapter.of(row, is_read=row.id in read) for row in page.items]
        return personal(Page(items, page.next_cursor, page.has_more))

    asked = (sort.value, language, limit, cursor)
    return await _CHAPTERS.answer(
        request, services, seen.version, asked, load, shared=cursor is None
    )


routes = [list_series, one_series, list_series_chapters]
