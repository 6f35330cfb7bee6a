"""The routes of search over `/api/v1`."""

from typing import cast

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency

from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.kept import NOT_MODIFIED, AnyRequest, KeptVersion
from rensai.kit.web.paging import DEFAULT_LIMIT, MAX_LIMIT
from rensai.kit.web.personal import personal
from rensai.rooms.readers.door import User, mutes_of
from rensai.rooms.search.adapters.parameters import Parameters, described
from rensai.rooms.search.adapters.questions import MOST_VALUES_COUNTED, question_of
from rensai.rooms.search.api.answers import (
    FacetsPage,
    SearchPage,
    Suggestions,
    facet_counts,
    search_page,
    suggested,
)
from rensai.rooms.search.api.described import SearchOperation, SuggestOperation
from rensai.rooms.search.model import LeftOut, Question
from rensai.rooms.search.service.finding import find, following
from rensai.rooms.search.service.index import Index
from rensai.rooms.search.service.mutes import left_out
from rensai.rooms.search.service.suggest import suggest as suggest_for

_SEARCH = KeptVersion("search")
_SUGGEST = KeptVersion("suggest")
_FACETS = KeptVersion("search-facets")
_KEY_TYPES = (int, int)


@get(
    "/api/v1/search",
    tags=["search"],
    summary="Search",
    operation_class=SearchOperation,
    responses=NOT_MODIFIED,
    opt={"scope": "library:read"},
)
async def search_series(
    request: AnyRequest,
    services: NamedDependency[Services],
    index: NamedDependency[Index],
    user: NamedDependency[User | None],
) -> Response[SearchPage]:
    """Find series by text and by what they are sorted by.

    Words of `q` are looked for together, without regard to case and accents, in titles, other
    titles, authors, tags and descriptions. `"Quotes"` ask for words in a row, a minus for what
    must not be there, `OR` for either; `author:`, `tag:` and `title:` say where. When little is
    found, what was probably meant is found too, below the rest; `corrected` says what that is.

    Every facet may be given several times: any of the values will do, or all of them with
    `match=all` where a series has several. `facets` counts how many series there would be with
    each value. A facet of which any value will do is counted as if it had not been given.

    What the account that asks has muted is left out, of the counts too.
    """
    parameters = Parameters(request.query_params.multi_items())
    parameters.refuse_unknown(facets=True)
    question = _question(parameters, await _left_out(services, user))
    secret = services.config.session_secret
    asked = (
        question.text,
        described(question.filters),
        question.sort and question.sort.value,
        question.limit,
        question.counts,
        question.values,
    )
    listing = cursors.kind("search", *asked[:3])
    cursor = parameters.one("cursor")
    if cursor is not None:
        after = cursors.decode(secret, listing, cursor, _KEY_TYPES)
        question = following(question, cast("tuple[int, int]", after))

    async def load() -> SearchPage:
        found = await find(services.db.replica, index, question)
        place = found.following
        return search_page(found, None if place is None else cursors.encode(secret, listing, place))

    if question.left_out:
        return personal(await load())
    version = await index.version(services.db.replica)
    # Views are told as they are, and change without a change of the index.
    span = int(services.clock.now().timestamp()) // services.config.views_flush_seconds
    return await _SEARCH.answer(request, services, f"{version}-{span}", (*asked, cursor), load)


@get(
    "/api/v1/search/suggest",
    tags=["search"],
    summary="Suggest while typing",
    operation_class=SuggestOperation,
    responses=NOT_MODIFIED,
    opt={"scope": "library:read"},
)
async def suggest(
    request: AnyRequest,
    services: NamedDependency[Services],
    index: NamedDependency[Index],
    user: NamedDependency[User | None],
) -> Response[Suggestions]:
    """Series, authors and tags that what has been typed so far may become.

    Nothing of what the account that asks has muted.
    """
    parameters = Parameters(request.query_params.multi_items())
    parameters.refuse_unknown(facets=False, plain=("q", "limit"))
    text = parameters.one("q") or ""
    limit = parameters.number("limit", 8, 1, 20)

    what = await _left_out(services, user)

    async def load() -> Suggestions:
        found = await suggest_for(services.db.replica, index, text, limit, what)
        return Suggestions([suggested(one) for one in found])

    if what:
        return personal(await load())
    version = await index.version(services.db.replica)
    return await _SUGGEST.answer(request, services, version, (text, limit), load)


@get(
    "/api/v1/search/facets",
    tags=["search"],
    summary="Facets with counts over everything",
    responses=NOT_MODIFIED,
    opt={"scope": "library:read"},
)
async def facets_of_all(
    request: AnyRequest,
    services: NamedDependency[Services],
    index: NamedDependency[Index],
    user: NamedDependency[User | None],
) -> Response[FacetsPage]:
    """Every facet, those of the operator too, with how many series have each value.

    What the account that asks has muted is not counted.
    """
    Parameters(request.query_params.multi_items()).refuse_unknown(facets=False, plain=())

    what = await _left_out(services, user)
    question = Question(limit=1, counts=True, values=MOST_VALUES_COUNTED, left_out=what)

    async def load() -> FacetsPage:
        found = await find(services.db.replica, index, question)
        return FacetsPage(found.total, facet_counts(found.facets))

    if question.left_out:
        return personal(await load())
    version = await index.version(services.db.replica)
    return await _FACETS.answer(request, services, version, (), load)


async def _left_out(services: Services, user: User | None) -> LeftOut:
    return left_out(user and await mutes_of(services.lookups, user.id))


def _question(parameters: Parameters, what: LeftOut) -> Question:
    asked = question_of(parameters, page=DEFAULT_LIMIT, largest=MAX_LIMIT)
    return msgspec.structs.replace(asked, left_out=what)
