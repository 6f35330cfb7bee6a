"""Who is looking, and what surrounds the page: the two dependencies that every room may ask for.

`user` is the account that has signed in, or None; `frame` is the surroundings of a page. Only
this floor knows both rooms that they come from.
"""

from typing import Any

from litestar import Request
from litestar.di import NamedDependency, Provide

from rensai.kit.services import Services
from rensai.kit.web.cookies import SESSION
from rensai.kit.web.forms import form_token
from rensai.kit.web.frame import Frame, Viewer
from rensai.rooms.instance import door as instance
from rensai.rooms.readers import door as readers
from rensai.rooms.readers.door import Role, User


async def provide_user(
    request: Request[Any, Any, Any], services: NamedDependency[Services]
) -> User | None:
    """The account of the session cookie, asked of the primary: a replica may not know it yet."""
    token = request.cookies.get(SESSION)
    if not token:
        return None
    return await readers.user_of_session(services.db.primary, token, services.clock.now())


async def provide_frame(
    request: Request[Any, Any, Any],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
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


DEPENDENCIES = {"user": Provide(provide_user), "frame": Provide(provide_frame)}
