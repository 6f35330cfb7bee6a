"""Talk over the novel API: one module for each noun."""

from litestar.types import ControllerRouterHandler

from rensai.rooms.talk.novel_api import own, threads

routes: list[ControllerRouterHandler] = [*threads.routes, *own.routes]
