"""Every route of the site: one line for each room's edge, so that a reader finds its way."""

from litestar.types import ControllerRouterHandler

from rensai.kit.web import api_routes, assets
from rensai.rooms.catalogue import api as catalogue_api
from rensai.rooms.catalogue import novel_api as catalogue_novel_api
from rensai.rooms.catalogue import pages as catalogue_pages
from rensai.rooms.ingest import novel_api as ingest_novel_api
from rensai.rooms.instance import api as instance_api
from rensai.rooms.instance import pages as instance_pages
from rensai.rooms.readers import api as readers_api
from rensai.rooms.readers import novel_api as readers_novel_api
from rensai.rooms.readers import pages as readers_pages
from rensai.rooms.search import api as search_api
from rensai.rooms.search import novel_api as search_novel_api
from rensai.rooms.shelf import api as shelf_api
from rensai.rooms.shelf import novel_api as shelf_novel_api
from rensai.rooms.talk import api as talk_api
from rensai.rooms.talk import novel_api as talk_novel_api
from rensai.wiring import health

ROUTES: tuple[ControllerRouterHandler, ...] = (
    *health.routes,  # /healthz, /readyz, /metrics
    assets.serve_asset,  # /static/…
    *api_routes.routes,  # /api/v1/openapi.json, /api/v1/docs
    *instance_api.routes,  # /api/v1/instance
    *catalogue_api.routes,  # /api/v1/series…, /api/v1/chapters/…
    *catalogue_novel_api.routes,  # /wp-json/novel/v1/stories/…, /wp-json/novel/v1/chapters/…
    *search_api.routes,  # /api/v1/search…
    *search_novel_api.routes,  # /wp-json/novel/v1/stories
    *readers_api.routes,  # /api/v1/auth/…, /api/v1/users/…, /api/v1/admin/users…
    *readers_novel_api.routes,  # /wp-json/novel/v1/auth/…, /wp-json/novel/v1/me/settings
    *shelf_api.routes,  # /api/v1/library…, /api/v1/progress…
    *shelf_novel_api.routes,  # /wp-json/novel/v1/me/…
    *talk_api.routes,  # /api/v1/comments/…
    *talk_novel_api.routes,  # /wp-json/novel/v1/…/comments
    *ingest_novel_api.routes,  # /wp-json/novel/v1/ingest/…
    *catalogue_pages.routes,  # /, /browse, /age
    *readers_pages.routes,  # /login, /logout, /register, /recover, /reset, /verify
    *instance_pages.routes,  # /admin
)
