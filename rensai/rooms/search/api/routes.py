"""The routes of search over `/api/v1`."""

from typing import cast

from litestar import Response, get
from litestar.di import NamedDependency

from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.kept import NOT_MODIFIED, AnyRequest, KeptVersion
from rensai.kit.web.paging import DEFAULT_LIMIT, MAX_LIMIT
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
from rensai.rooms.search.model import Question
from rensai.rooms.search.service.finding import find, following
from rensai.rooms.search.service.index import Index
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
)
async def search_series(
    request: AnyRequest, services: NamedDependency[Services], index: NamedDependency[Index]
) -> Response[SearchPage]:
    """Find series by text and by what they are sorted by.

    Words of `q` are looked for together, without regard to case and accents, in titles, other
    titles, authors, tags and descriptions. `"Quotes"` ask for words in a row, a minus for what
    must not be there, `OR` for either; `author:`, `tag:` and `title:` say where. When little is
    found, what was probably meant is found too, below the rest; `corrected` says what that is.

    Every facet may be given several times: any of the values will do, or all of them with
    `match=all` where a series has several. `facets` counts how many series there would be with
    each value. A facet of which any value will do is counted as if it had not been given.
    """
    parameters = Parameters(request.query_params.multi_items())
    parameters.refuse_unknown(facets=True)
    question = _question(parameters)
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

    version = await index.version(services.db.replica)
    return await _SEARCH.answer(request, services, version, (*asked, cursor), load)


@get(
    "/api/v1/search/suggest",
    tags=["search"],
    summary="Suggest while typing",
    operation_class=SuggestOperation,
    responses=NOT_MODIFIED,
)
async def suggest(
    request: AnyRequest, services: NamedDependency[Services], index: NamedDependency[Index]
) -> Response[Suggestions]:
    """Series, authors and tags that what has been typed so far may become."""
    parameters = Parameters(request.query_params.multi_items())
    parameters.refuse_unknown(facets=False, plain=("q", "limit"))
    text = parameters.one("q") or ""
    limit = parameters.number("limit", 8, 1, 20)

    async def load() -> Suggestions:
        found = await suggest_for(services.db.replica, index, text, limit)
        return Suggestions([suggested(one) for one in found])

    version = await index.version(services.db.replica)
    return await _SUGGEST.answer(request, services, version, (text, limit), load)


@get(
    "/api/v1/search/facets",
    tags=["search"],
    summary="Facets with counts over everything",
    responses=NOT_MODIFIED,
)
async def facets_of_all(
    request: AnyRequest, services: NamedDependency[Services], index: NamedDependency[Index]
) -> Response[FacetsPage]:
    """Every facet, those of the operator too, with how many series have each value."""
    Parameters(request.query_params.multi_items()).refuse_unknown(facets=False, plain=())

    async def load() -> FacetsPage:
        found = await find(
            services.db.replica, index, Question(limit=1, counts=True, values=MOST_VALUES_COUNTED)
        )
        return FacetsPage(found.total, facet_counts(found.facets))

    version = await index.version(services.db.replica)
    return await _FACETS.answer(request, services, version, (), load)


def _question(parameters: Parameters) -> Question:
    return question_of(parameters, page=DEFAULT_LIMIT, largest=MAX_LIMIT)
