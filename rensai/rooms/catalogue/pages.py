"""The first page, the shelves, and where somebody says to be of age."""

import secrets
from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromQuery, QueryParameter
from litestar.status_codes import HTTP_303_SEE_OTHER

from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.age import has_said_so, no_age_cookie, of_age_cookie
from rensai.kit.web.cookies import FORM, own_cookie
from rensai.kit.web.forms import form_token, own_path, require_own_page, require_token
from rensai.kit.web.frame import Frame
from rensai.kit.web.held import held
from rensai.kit.web.paging import Cursor, Page, page_of
from rensai.kit.web.render import render
from rensai.rooms.catalogue import service
from rensai.rooms.catalogue.model import STATUSES, ListedStory, Sort
from rensai.rooms.catalogue.model.unmuted import PLACE_TYPES, UnmutedLists
from rensai.rooms.readers.door import Mutes, User, mutes_of

AnyRequest = Request[Any, Any, Any]  # Any: whoever asks
Next = Annotated[str, QueryParameter(name="next", max_length=1000)]

ON_HOME = 12
ON_SHELF = 24


@get("/", include_in_schema=False)
async def home(
    request: AnyRequest,
    services: NamedDependency[Services],
    frame: NamedDependency[Frame],
    user: NamedDependency[User | None],
) -> Response[str]:
    """What is new here."""
    mutes = user and await mutes_of(services.lookups, user.id)
    unmuted = held(request, UnmutedLists)
    updated, popular = [
        await _first(services, unmuted, mutes, sort) for sort in (Sort.UPDATED, Sort.POPULAR)
    ]
    return render(
        request,
        "catalogue/home.html",
        frame=frame,
        statuses=STATUSES,
        updated=updated[:ON_HOME],
        # With few stories both lists would be the same one.
        popular=popular[:ON_HOME] if len(updated) > ON_HOME else [],
    )


async def _first(
    services: Services, unmuted: UnmutedLists, mutes: Mutes | None, sort: Sort
) -> list[ListedStory]:
    """What stands first, and one more to tell whether there is more."""
    reads = services.db.replica
    if mutes is None:
        return await service.list_stories(reads, sort=sort, limit=ON_HOME)
    found = await service.list_unmuted(reads, unmuted, mutes, sort=sort, limit=ON_HOME + 1)
    return found.stories


@get("/browse", include_in_schema=False)
async def browse(
    request: AnyRequest,
    services: NamedDependency[Services],
    frame: NamedDependency[Frame],
    *,
    user: NamedDependency[User | None],
    sort: FromQuery[Sort] = Sort.UPDATED,
    cursor: Cursor = None,
) -> Response[str]:
    """Every public story, page by page."""
    mutes = user and await mutes_of(services.lookups, user.id)
    if user is None or mutes is None:
        page = await _shelf(services, sort, cursor)
    else:
        page = await _unmuted_shelf(
            services, held(request, UnmutedLists), mutes, sort=sort, cursor=cursor, reader=user.id
        )
    return render(
        request,
        "catalogue/browse.html",
        frame=frame,
        statuses=STATUSES,
        page=page,
        sort=sort,
        sorts=list(Sort),
        further=cursor is not None,
    )


async def _shelf(services: Services, sort: Sort, cursor: str | None) -> Page[ListedStory]:
    secret = services.config.session_secret
    listing = cursors.kind("browse", sort.value)
    stories = await service.list_stories(
        services.db.replica,
        sort=sort,
        after=None if cursor is None else cursors.decode(secret, listing, cursor, sort.key_types),
        limit=ON_SHELF,
    )
    return page_of(stories, ON_SHELF, lambda last: cursors.encode(secret, listing, last.key(sort)))


async def _unmuted_shelf(
    services: Services,
    unmuted: UnmutedLists,
    mutes: Mutes,
    *,
    sort: Sort,
    cursor: str | None,
    reader: int,
) -> Page[ListedStory]:
    secret = services.config.session_secret
    listing = cursors.kind("browse-unmuted", sort.value, reader)
    found = await service.list_unmuted(
        services.db.replica,
        unmuted,
        mutes,
        sort=sort,
        after=None if cursor is None else cursors.decode(secret, listing, cursor, PLACE_TYPES),
        limit=ON_SHELF,
    )
    following = found.following and cursors.encode(secret, listing, found.following)
    return Page(found.stories, following, following is not None)


@get("/age", include_in_schema=False)
async def age_page(
    request: AnyRequest,
    services: NamedDependency[Services],
    frame: NamedDependency[Frame],
    following: Next = "/",
) -> Response[str]:
    """Where somebody says to be of age, for this browser."""
    secret = services.config.session_secret
    seed = request.cookies.get(FORM) or secrets.token_urlsafe(16)
    answer = render(
        request,
        "catalogue/age.html",
        frame=frame,
        following=following,
        said_so=has_said_so(request, secret, services.clock.now()),
        token=form_token(secret, seed),
    )
    answer.headers["Cache-Control"] = "no-store"
    answer.set_cookie(own_cookie(services.config, FORM, seed))
    return answer


@post("/age", include_in_schema=False, status_code=HTTP_303_SEE_OTHER)
async def say_age(request: AnyRequest, services: NamedDependency[Services]) -> Response[str]:
    """Remember it in the browser, or take it back, and go on."""
    require_own_page(request.headers, services.config.base_url)
    fields = await request.form()
    token = _text(fields.get("token"))
    require_token(services.config.session_secret, request.cookies.get(FORM, ""), token)
    is_of_age = fields.get("of_age") == "yes"
    following = own_path(_text(fields.get("next")))
    answer = Response("", status_code=HTTP_303_SEE_OTHER, headers={"Location": following})
    config, now = services.config, services.clock.now()
    answer.set_cookie(of_age_cookie(config, now) if is_of_age else no_age_cookie(config))
    return answer


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


routes = [home, browse, age_page, say_age]
