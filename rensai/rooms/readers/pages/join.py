"""Making an account in a browser, and coming back into one by its twelve words."""

import secrets
from collections.abc import Mapping
from typing import Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.status_codes import HTTP_200_OK, HTTP_303_SEE_OTHER

from rensai.kit.errors import RensaiError
from rensai.kit.services import Services
from rensai.kit.web.client import caller_of
from rensai.kit.web.cookies import FORM, SESSION, forget_cookie, own_cookie
from rensai.kit.web.forms import form_token, require_own_page, require_token
from rensai.kit.web.frame import Frame
from rensai.kit.web.render import render
from rensai.rooms.readers import service
from rensai.rooms.readers.errors import RegistrationClosed
from rensai.rooms.readers.model.signing import Device, NewAccount
from rensai.rooms.readers.service import recovery, registration

Anyone = Request[Any, Any, Any]  # Any: whoever asks

_REGISTER = "readers/register.html"
_RECOVER = "readers/recover.html"
_WORDS = "readers/words.html"
_LONGEST_FIELD = 1000


@get("/register", include_in_schema=False)
async def register_page(
    request: Anyone, services: NamedDependency[Services], frame: NamedDependency[Frame]
) -> Response[str]:
    """The form for a new account; whoever has signed in already is sent home."""
    if frame.viewer is not None:
        return _see_other("/")
    problem = None if services.config.enable_registration else RegistrationClosed()
    return _form(request, services, frame, _REGISTER, problem=problem)


@post("/register", include_in_schema=False, status_code=HTTP_200_OK)
async def register(
    request: Anyone, services: NamedDependency[Services], frame: NamedDependency[Frame]
) -> Response[str]:
    """Make the account and show its words, which are never shown again."""
    require_own_page(request.headers, services.config.base_url)
    fields = await _fields(request)
    try:
        _require_token(request, services, fields)
        created, session = await registration.register(
            services.db,
            services.limits,
            NewAccount(fields["username"], fields["email"], fields["password"]),
            device=Device(*caller_of(request)),
            is_open=services.config.enable_registration,
            clock=services.clock,
            replacing=request.cookies.get(SESSION, ""),
        )
    except RensaiError as problem:
        return _form(request, services, frame, _REGISTER, fields=fields, problem=problem)
    page = render(request, _WORDS, frame=frame, words=created.phrase.split())
    page.headers["Cache-Control"] = "no-store"
    return _signed_in(services, page, session.token)


@get("/recover", include_in_schema=False)
async def recover_page(
    request: Anyone, services: NamedDependency[Services], frame: NamedDependency[Frame]
) -> Response[str]:
    """The form for who has the words of an account and not its password."""
    return _form(request, services, frame, _RECOVER)


@post("/recover", include_in_schema=False, status_code=HTTP_200_OK)
async def recover(
    request: Anyone, services: NamedDependency[Services], frame: NamedDependency[Frame]
) -> Response[str]:
    """Give the account its new name, address and password, and go home signed in."""
    require_own_page(request.headers, services.config.base_url)
    fields = await _fields(request)
    try:
        _require_token(request, services, fields)
        session = await recovery.recover(
            services.db,
            services.limits,
            phrase=fields["words"],
            new=NewAccount(fields["username"], fields["email"], fields["password"]),
            device=Device(*caller_of(request)),
            clock=services.clock,
        )
    except RensaiError as problem:
        return _form(request, services, frame, _RECOVER, fields=fields, problem=problem)
    return _signed_in(services, _see_other("/"), session.token)


async def _fields(request: Anyone) -> dict[str, str]:
    """What was filled in; a field that was not sent is empty."""
    sent = await request.form()
    found: dict[str, str] = {}
    for name in ("username", "email", "password", "words", "token"):
        value = sent.get(name)
        found[name] = value[:_LONGEST_FIELD] if isinstance(value, str) else ""
    for name in ("username", "email"):
        found[name] = found[name].strip()
    return found


def _require_token(request: Anyone, services: Services, fields: Mapping[str, str]) -> None:
    seed = request.cookies.get(FORM, "")
    require_token(services.config.session_secret, seed, fields["token"])


def _form(
    request: Anyone,
    services: Services,
    frame: Frame,
    template: str,
    *,
    fields: Mapping[str, str] | None = None,
    problem: RensaiError | None = None,
) -> Response[str]:
    """The form, with what was filled in, except passwords and words."""
    seed = request.cookies.get(FORM) or secrets.token_urlsafe(16)
    filled = fields or {}
    answer = render(
        request,
        template,
        status=HTTP_200_OK if problem is None else problem.status,
        frame=frame,
        username=filled.get("username", "")[:60],
        email=filled.get("email", "")[:254],
        problem=problem and problem.message,
        is_open=services.config.enable_registration,
        token=form_token(services.config.session_secret, seed),
    )
    if problem is not None:
        answer.headers.update(problem.headers)
    answer.headers["Cache-Control"] = "no-store"
    answer.set_cookie(own_cookie(services.config, FORM, seed))
    return answer


def _signed_in(services: Services, answer: Response[str], token: str) -> Response[str]:
    answer.set_cookie(own_cookie(services.config, SESSION, token, service.SESSION_LENGTH))
    answer.set_cookie(forget_cookie(services.config, FORM))
    return answer


def _see_other(path: str) -> Response[str]:
    return Response("", status_code=HTTP_303_SEE_OTHER, headers={"Location": path})


routes = [register_page, register, recover_page, recover]
