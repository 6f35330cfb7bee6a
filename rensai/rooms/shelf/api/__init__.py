"""The shelf over `/api/v1`: one module for each noun."""

from litestar.types import ControllerRouterHandler

from rensai.rooms.shelf.api import library, progress

routes: list[ControllerRouterHandler] = [*library.routes, *progress.routes]
