"""Signing in and out in a browser."""

import secrets
from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_303_SEE_OTHER

from rensai.kit.errors import RateLimited, RensaiError
from rensai.kit.services import Services
from rensai.kit.web.client import caller_of
from rensai.kit.web.cookies import FORM, SESSION, forget_cookie, own_cookie
from rensai.kit.web.forms import (
    StaleForm,
    form_token,
    own_path,
    require_own_page,
    require_token,
)
from rensai.kit.web.frame import Frame
from rensai.kit.web.render import render
from rensai.rooms.readers import service
from rensai.rooms.readers.errors import AccountClosed, WrongCredentials
from rensai.rooms.readers.model.signing import Device

Anyone = Request[Any, Any, Any]
Next = Annotated[str, QueryParameter(name="next", max_length=1000)]


@get("/login", include_in_schema=False)
async def login_page(
    request: Anyone,
    services: NamedDependency[Services],
    frame: NamedDependency[Frame],
    following: Next = "/",
) -> Response[str]:
    """The form; whoever has signed in already is sent on."""
    if frame.viewer is not None:
        return _see_other(own_path(following))
    return _form(request, services, frame, following=following)


@post("/login", include_in_schema=False, status_code=HTTP_200_OK)
async def login(
    request: Anyone, services: NamedDependency[Services], frame: NamedDependency[Frame]
) -> Response[str]:
    """Begin a session and go on to the page that asked for it."""
    require_own_page(request.headers, services.config.base_url)
    fields = await request.form()
    name, following = _text(fields.get("login")), _text(fields.get("next"))
    seed = request.cookies.get(FORM, "")
    try:
        require_token(services.config.session_secret, seed, _text(fields.get("token")))
        session = await service.sign_in(
            services.db,
            services.limits,
            login=name.strip(),
            password=_text(fields.get("password"))[:1000],
            device=Device(*caller_of(request)),
            clock=services.clock,
            replacing=request.cookies.get(SESSION, ""),
        )
    except (StaleForm, WrongCredentials, AccountClosed, RateLimited) as problem:
        return _form(request, services, frame, following=following, name=name, problem=problem)
    answer = _see_other(own_path(following))
    answer.set_cookie(own_cookie(services.config, SESSION, session.token, service.SESSION_LENGTH))
    answer.set_cookie(forget_cookie(services.config, FORM))
    return answer


@post("/logout", include_in_schema=False, status_code=HTTP_303_SEE_OTHER)
async def logout(request: Anyone, services: NamedDependency[Services]) -> Response[str]:
    """End the session and go home."""
    require_own_page(request.headers, services.config.base_url)
    if token := request.cookies.get(SESSION):
        fields = await request.form()
        require_token(services.config.session_secret, token, _text(fields.get("token")))
        async with services.db.transaction() as tx:
            await service.sign_out(tx, token)
    answer = _see_other("/")
    answer.set_cookie(forget_cookie(services.config, SESSION))
    return answer


def _form(
    request: Anyone,
    services: Services,
    frame: Frame,
    *,
    following: str,
    name: str = "",
    problem: RensaiError | None = None,
) -> Response[str]:
    seed = request.cookies.get(FORM) or secrets.token_urlsafe(16)
    answer = render(
        request,
        "readers/login.html",
        status=HTTP_200_OK if problem is None else problem.status,
        frame=frame,
        following=following,
        name=name[:254],
        problem=problem and problem.message,
        token=form_token(services.config.session_secret, seed),
    )
    if problem is not None:
        answer.headers.update(problem.headers)
    answer.headers["Cache-Control"] = "no-store"
    answer.set_cookie(own_cookie(services.config, FORM, seed))
    return answer


def _see_other(path: str) -> Response[str]:
    return Response("", status_code=HTTP_303_SEE_OTHER, headers={"Location": path})


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


routes = [login_page, login, logout]
