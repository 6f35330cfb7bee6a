"""Every route of the site: one line for each room's edge, so that a reader finds its way."""

from litestar.types import ControllerRouterHandler

from rensai.kit.web import assets
from rensai.wiring import health

ROUTES: tuple[ControllerRouterHandler, ...] = (
    *health.routes,  # /healthz
    assets.serve_asset,  # /static/…
)
