"""Who is looking, and what surrounds the page: the dependencies that every room may ask for.

`user` is the account that has signed in, or None; `visit` says by what it has; `frame` is the
surroundings of a page; `rules` is what the operator asks of those who write. Only this floor
knows all the rooms that they come from.
"""

from typing import Any

from litestar import Request
from litestar.di import NamedDependency, Provide

from rensai.kit.services import Services
from rensai.kit.web.cookies import SESSION
from rensai.kit.web.forms import form_token, require_own_page
from rensai.kit.web.frame import Frame, Viewer
from rensai.kit.web.surfaces import Surface, surface_of
from rensai.rooms.instance import door as instance
from rensai.rooms.readers import door as readers
from rensai.rooms.readers.door import HouseRules, LastUsed, Role, User, Visit

Anyone = Request[Any, Any, Any]  # Any: whoever asks

_HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})


async def provide_visit(
    request: Anyone, services: NamedDependency[Services], last_used: NamedDependency[LastUsed]
) -> Visit | None:
    """Who is asking: by the token of the request, else by its cookie.

    Tokens are for the APIs, cookies for the site and `/api/v1`. A token that is not good is
    refused, whatever is asked for; a cookie that is not good is as if it were not there.
    """
    surface = surface_of(request.scope["path"])
    now = services.clock.now()
    token = None if surface is Surface.SITE else _bearer(request)
    visit = None
    if token is not None:
        keys = readers.keys_of(services.config.access_secrets)
        visit = await readers.visit_of_bearer(services.fresh_lookups, keys, token, now)
    elif surface is not Surface.NOVEL and (cookie := request.cookies.get(SESSION)):
        visit = await readers.visit_of_cookie(services.fresh_lookups, cookie, now)
        if visit is not None and request.method not in _HARMLESS:
            require_own_page(request.headers, services.config.base_url)
    if visit is not None:
        last_used.see(visit, now)
    return visit


def _bearer(request: Anyone) -> str | None:
    """The token that the request carries; other schemes may be a proxy's, and none of ours."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def provide_user(request: Anyone, visit: NamedDependency[Visit | None]) -> User | None:
    """The account that is asking, if what it came by may do what this route does."""
    handler = request.route_handler
    return readers.user_within(
        visit, handler.opt.get("scope"), required=bool(getattr(handler, "security", None))
    )


async def provide_frame(
    request: Anyone, services: NamedDependency[Services], user: NamedDependency[User | None]
) -> Frame:
    """The surroundings of a page, for this visitor."""
    settings = await instance.settings(services.db.replica, services.cache)
    token = request.cookies.get(SESSION, "") if user else ""
    return Frame(
        site_name=settings.name,
        description=settings.description,
        announcement=settings.announcement,
        language="en",  # of the interface; stories say their own
        viewer=user and Viewer(user.display_name, user.may(Role.ADMIN)),
        form_token=form_token(services.config.session_secret, token) if token else "",
    )


async def provide_rules(services: NamedDependency[Services]) -> HouseRules:
    """What the operator asks of people, at most 30 seconds old."""
    settings = await instance.settings(services.db.replica, services.cache)
    return HouseRules(verified_email=settings.require_email_verification)


DEPENDENCIES = {
    "visit": Provide(provide_visit),
    "user": Provide(provide_user, sync_to_thread=False),
    "frame": Provide(provide_frame),
    "rules": Provide(provide_rules),
}
