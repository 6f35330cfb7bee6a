"""Talk over `/api/v1`: one module for each noun."""

from litestar.types import ControllerRouterHandler

from rensai.rooms.talk.api import comments, moderation, reports, threads

routes: list[ControllerRouterHandler] = [
    *threads.routes,
    *comments.routes,
    *reports.routes,
    *moderation.routes,
]
