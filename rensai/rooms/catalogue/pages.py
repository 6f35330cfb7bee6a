"""The first page and the shelves."""

from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.params import FromQuery

from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.frame import Frame
from rensai.kit.web.paging import Cursor, page_of
from rensai.kit.web.render import render
from rensai.rooms.catalogue import service
from rensai.rooms.catalogue.model import STATUSES, Sort

ON_HOME = 12
ON_SHELF = 24


@get("/", include_in_schema=False)
async def home(
    request: Request[Any, Any, Any],
    services: NamedDependency[Services],
    frame: NamedDependency[Frame],
) -> Response[str]:
    """What is new here."""
    reads = services.db.replica
    updated = await service.list_stories(reads, sort=Sort.UPDATED, limit=ON_HOME)
    popular = await service.list_stories(reads, sort=Sort.POPULAR, limit=ON_HOME)
    return render(
        request,
        "catalogue/home.html",
        frame=frame,
        statuses=STATUSES,
        updated=updated[:ON_HOME],
        # With few stories both lists would be the same one.
        popular=popular[:ON_HOME] if len(updated) > ON_HOME else [],
    )


@get("/browse", include_in_schema=False)
async def browse(
    request: Request[Any, Any, Any],
    services: NamedDependency[Services],
    frame: NamedDependency[Frame],
    sort: FromQuery[Sort] = Sort.UPDATED,
    cursor: Cursor = None,
) -> Response[str]:
    """Every public story, page by page."""
    secret = services.config.session_secret
    listing = cursors.kind("browse", sort.value)
    stories = await service.list_stories(
        services.db.replica,
        sort=sort,
        after=None if cursor is None else cursors.decode(secret, listing, cursor, sort.key_types),
        limit=ON_SHELF,
    )
    page = page_of(stories, ON_SHELF, lambda last: cursors.encode(secret, listing, last.key(sort)))
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


routes = [home, browse]
