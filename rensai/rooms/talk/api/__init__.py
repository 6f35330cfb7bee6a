"""Talk over `/api/v1`: one module for each noun."""

from litestar.types import ControllerRouterHandler

routes: list[ControllerRouterHandler] = []
