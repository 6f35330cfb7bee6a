"""The shelf over `/api/v1`: one module for each noun."""

from litestar.types import ControllerRouterHandler

from rensai.rooms.shelf.api import entries, lists, ratings

routes: list[ControllerRouterHandler] = [*ratings.routes, *lists.routes, *entries.routes]
