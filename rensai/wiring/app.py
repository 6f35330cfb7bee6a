"""The web application: every route behind the one front door."""

from collections.abc import Sequence

from litestar import Litestar
from litestar.di import Provide
from litestar.types import ControllerRouterHandler

from rensai.kit.services import Services
from rensai.kit.web.asgi import App
from rensai.kit.web.bodies import DEFAULT_BODY_LIMIT
from rensai.kit.web.client import Proxies
from rensai.kit.web.edge import Edge
from rensai.kit.web.explain import explain, handle_exception
from rensai.kit.web.headers import Site, StandingHeaders
from rensai.kit.web.request import StrictRequest
from rensai.wiring.routes import ROUTES


def create_app(services: Services, routes: Sequence[ControllerRouterHandler] = ROUTES) -> App:
    """The application over these services; tests may add routes of their own."""
    config = services.config

    def provide_services() -> Services:
        return services

    litestar = Litestar(
        route_handlers=list(routes),
        dependencies={"services": Provide(provide_services, sync_to_thread=False)},
        exception_handlers={Exception: handle_exception},
        request_class=StrictRequest,
        request_max_body_size=DEFAULT_BODY_LIMIT,
        openapi_config=None,
        logging_config=None,
        debug=False,
    )
    return Edge(
        litestar,
        standing=StandingHeaders(Site(config.base_url, config.storage_public_url)),
        proxies=Proxies(config.trusted_proxies),
        explain=explain,
        observe=lambda exchange, method, path, seconds: None,
    )
