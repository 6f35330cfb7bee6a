"""The shelf over `/api/v1`: one module for each noun."""

from litestar.types import ControllerRouterHandler

from rensai.rooms.shelf.api import entries, library, lists, progress, ratings

routes: list[ControllerRouterHandler] = [
    *library.routes,
    *progress.routes,
    *ratings.routes,
    *lists.routes,
    *entries.routes,
]
