"""Accounts over the novel API: one module for each noun."""

from litestar.types import ControllerRouterHandler

from rensai.rooms.readers.novel_api import settings

routes: list[ControllerRouterHandler] = [*settings.routes]
