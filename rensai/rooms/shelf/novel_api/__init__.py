"""The shelf over the novel API: one module for each noun."""

from litestar.types import ControllerRouterHandler

from rensai.rooms.shelf.novel_api import history, library, progress

routes: list[ControllerRouterHandler] = [*library.routes, *progress.routes, *history.routes]
