"""Talk over the novel API: one module for each noun."""

from litestar.types import ControllerRouterHandler

routes: list[ControllerRouterHandler] = []
