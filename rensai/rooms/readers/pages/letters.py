"""Where the links in letters lead: a new password, a confirmed address.

Nothing happens by opening a link, since mail programs look at them too: it takes a button.
"""

import secrets
from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from litestar.status_codes import HTTP_200_OK

from rensai.kit.errors import RensaiError
from rensai.kit.services import Services
from rensai.kit.web.client import caller_of
from rensai.kit.web.cookies import FORM, own_cookie
from rensai.kit.web.forms import form_token, require_own_page, require_token
from rensai.kit.web.frame import Frame
from rensai.kit.web.render import render
from rensai.rooms.readers.service import letter_links

Anyone = Request[Any, Any, Any]  # Any: whoever asks
Mark = Annotated[str, QueryParameter(name="token", max_length=200)]

_RESET = "readers/reset.html"
_NEW_PASSWORD = "readers/new_password.html"  # noqa: S105 - a template
_VERIFY = "readers/verify.html"


@get("/reset", include_in_schema=False)
async def reset_page(
    request: Anyone,
    services: NamedDependency[Services],
    frame: NamedDependency[Frame],
    mark: Mark = "",
) -> Response[str]:
    """Asks for the address to write to; whoever comes from the letter, for the new password."""
    if mark:
        return _page(request, services, _NEW_PASSWORD, frame=frame, mark=mark, done=False)
    sends = services.config.smtp_url is not None
    return _page(request, services, _RESET, frame=frame, sends=sends, done=False)


@post("/reset", include_in_schema=False, status_code=HTTP_200_OK)
async def ask_for_reset(
    request: Anyone, services: NamedDependency[Services], frame: NamedDependency[Frame]
) -> Response[str]:
    """Have the letter sent, or not; the page is the same."""
    fields = await _fields(request, services)
    sends = services.config.smtp_url is not None
    try:
        _require_token(request, services, fields)
        await letter_links.ask_for_reset(
            services.db,
            services.config,
            services.limits,
            email=fields.get("email", "").strip(),
            address=caller_of(request).address,
        )
    except RensaiError as problem:
        return _page(
            request, services, _RESET, frame=frame, sends=sends, done=False, problem=problem
        )
    return _page(request, services, _RESET, frame=frame, sends=sends, done=True)


@post("/reset/confirm", include_in_schema=False, status_code=HTTP_200_OK)
async def set_new_password(
    request: Anyone, services: NamedDependency[Services], frame: NamedDependency[Frame]
) -> Response[str]:
    """Set the password with what the letter said."""
    fields = await _fields(request, services)
    mark = fields.get("mark", "")[:200]
    try:
        _require_token(request, services, fields)
        await letter_links.reset_password(
            services.db,
            services.limits,
            mark=mark,
            password=fields.get("password", "")[:1000],
            address=caller_of(request).address,
            clock=services.clock,
        )
    except RensaiError as problem:
        return _page(
            request, services, _NEW_PASSWORD, frame=frame, mark=mark, done=False, problem=problem
        )
    return _page(request, services, _NEW_PASSWORD, frame=frame, mark="", done=True)


@get("/verify", include_in_schema=False)
async def verify_page(
    request: Anyone,
    services: NamedDependency[Services],
    frame: NamedDependency[Frame],
    mark: Mark = "",
) -> Response[str]:
    """Asks whoever comes from the letter to say that the address is his."""
    return _page(request, services, _VERIFY, frame=frame, mark=mark, done=False)


@post("/verify", include_in_schema=False, status_code=HTTP_200_OK)
async def verify(
    request: Anyone, services: NamedDependency[Services], frame: NamedDependency[Frame]
) -> Response[str]:
    """Confirm the address with what the letter said."""
    fields = await _fields(request, services)
    mark = fields.get("mark", "")[:200]
    try:
        _require_token(request, services, fields)
        await letter_links.verify_email(
            services.db,
            services.limits,
            mark=mark,
            address=caller_of(request).address,
            clock=services.clock,
        )
    except RensaiError as problem:
        return _page(
            request, services, _VERIFY, frame=frame, mark=mark, done=False, problem=problem
        )
    return _page(request, services, _VERIFY, frame=frame, mark="", done=True)


async def _fields(request: Anyone, services: Services) -> dict[str, str]:
    require_own_page(request.headers, services.config.base_url)
    form = await request.form()
    return {name: value for name, value in form.items() if isinstance(value, str)}


def _require_token(request: Anyone, services: Services, fields: dict[str, str]) -> None:
    seed = request.cookies.get(FORM, "")
    require_token(services.config.session_secret, seed, fields.get("token", ""))


def _page(
    request: Anyone,
    services: Services,
    template: str,
    *,
    problem: RensaiError | None = None,
    **context: object,
) -> Response[str]:
    seed = request.cookies.get(FORM) or secrets.token_urlsafe(16)
    answer = render(
        request,
        template,
        status=HTTP_200_OK if problem is None else problem.status,
        problem=None if problem is None else _words(problem),
        token=form_token(services.config.session_secret, seed),
        **context,
    )
    if problem is not None:
        answer.headers.update(problem.headers)
    answer.headers["Cache-Control"] = "no-store"
    answer.set_cookie(own_cookie(services.config, FORM, seed))
    return answer


def _words(problem: RensaiError) -> str:
    """What is wrong, in the words about the field where there is one."""
    if isinstance(problem.details, list) and problem.details:
        first = problem.details[0]
        if isinstance(first, dict) and "message" in first:
            return str(first["message"])  # pyright: ignore[reportUnknownArgumentType]  # ours
    return problem.message


routes = [reset_page, ask_for_reset, set_new_password, verify_page, verify]
