"""Signing in and out over `/api/v1/auth`."""

from contextlib import suppress
from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT
from msgspec import Meta

from rensai.kit.errors import Invalid, NotFound
from rensai.kit.services import Services
from rensai.kit.web.bodies import Body
from rensai.kit.web.client import caller_of
from rensai.kit.web.cookies import SESSION, forget_cookie, own_cookie
from rensai.kit.web.forms import require_own_page
from rensai.kit.web.openapi import SIGNED_IN
from rensai.rooms.readers import service
from rensai.rooms.readers.api.shapes import Account, account_of
from rensai.rooms.readers.door import require_role
from rensai.rooms.readers.model import Role, User
from rensai.rooms.readers.model.signing import Device, Visit
from rensai.rooms.readers.service.devices import end_device

Name = Annotated[str, Meta(min_length=1, max_length=254)]


class SignIn(Body, frozen=True):
    """Who wants in: one of username, e-mail address or, for either, login; and the password."""

    password: Annotated[str, Meta(min_length=1, max_length=128)]
    login: Name | None = None
    username: Name | None = None
    email: Name | None = None


@post("/api/v1/auth/login", status_code=HTTP_200_OK, tags=["auth"], summary="Sign in")
async def login(
    data: JSONBody[SignIn], request: Request[Any, Any, Any], services: NamedDependency[Services]
) -> Response[Account]:
    """Begin a session: the answer sets its cookie."""
    require_own_page(request.headers, services.config.base_url)
    names = [name for name in (data.login, data.username, data.email) if name is not None]
    if len(names) != 1:
        raise Invalid("Send exactly one of login, username and email.")
    session = await service.sign_in(
        services.db,
        services.limits,
        login=names[0],
        password=data.password,
        device=Device(*caller_of(request)),
        clock=services.clock,
        replacing=request.cookies.get(SESSION, ""),
    )
    cookie = own_cookie(services.config, SESSION, session.token, service.SESSION_LENGTH)
    return Response(account_of(session.user), cookies=[cookie])


@post("/api/v1/auth/logout", status_code=HTTP_204_NO_CONTENT, tags=["auth"], summary="Sign out")
async def logout(
    request: Request[Any, Any, Any],
    services: NamedDependency[Services],
    visit: NamedDependency[Visit | None],
) -> Response[None]:
    """Sign out the device that asks, by its cookie or its access token; it may be neither."""
    require_own_page(request.headers, services.config.base_url)
    async with services.db.transaction() as tx:
        if visit is not None and visit.session is not None:
            with suppress(NotFound):  # another request has signed it out meanwhile
                await end_device(tx, visit.user.id, visit.session, services.clock.now())
        await service.sign_out(tx, request.cookies.get(SESSION, ""))
    return Response(None, cookies=[forget_cookie(services.config, SESSION)])


@get(
    "/api/v1/auth/me",
    tags=["auth"],
    summary="Who am I?",
    security=SIGNED_IN,
    opt={"scope": "account:read"},
)
async def me(user: NamedDependency[User | None]) -> Account:
    """The account that is signed in."""
    return account_of(require_role(user, Role.USER))


routes = [login, logout, me]
