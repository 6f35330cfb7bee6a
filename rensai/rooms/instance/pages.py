"""The administrator's first page."""

from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.status_codes import HTTP_303_SEE_OTHER

from rensai import __version__
from rensai.kit.services import Services
from rensai.kit.web.frame import Frame
from rensai.kit.web.render import render
from rensai.rooms.instance import service
from rensai.rooms.readers.door import Role, User, require_role


@get("/admin", include_in_schema=False)
async def admin(
    request: Request[Any, Any, Any],
    services: NamedDependency[Services],
    frame: NamedDependency[Frame],
    user: NamedDependency[User | None],
) -> Response[str]:
    """How this place is doing. Whoever has not signed in is asked to."""
    if user is None:
        return Response(
            "", status_code=HTTP_303_SEE_OTHER, headers={"Location": "/login?next=/admin"}
        )
    require_role(user, Role.ADMIN)
    counts = await service.counts(services.db.replica, services.cache)
    page = render(
        request,
        "instance/admin.html",
        frame=frame,
        counts=counts,
        queue=await service.queue(services.db.primary),
        version=__version__,
    )
    page.headers["Cache-Control"] = "no-store"
    return page


routes = [admin]
