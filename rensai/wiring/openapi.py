"""The description of this site's public API."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from rensai import config
from rensai.kit.web.api_routes import ApiDescription
from rensai.kit.web.openapi import describe
from rensai.wiring.routes import ROUTES
from rensai.wiring.visitors import DEPENDENCIES

OURS = (
    *("services", "index", "siblings", "description", "progress", "read_marks"),
    *DEPENDENCIES,
)
"""The names of all dependencies that handlers may ask for."""


def api_description(routes: Sequence[ControllerRouterHandler], base_url: str) -> ApiDescription:
    """What these routes offer to programs."""
    return ApiDescription(lambda: describe(routes, OURS, base_url))


def description() -> str:
    """The OpenAPI document of this installation, as JSON."""
    base_url = str(config.explain_one("base_url").value)
    return api_description(ROUTES, base_url).as_json.decode().rstrip()
