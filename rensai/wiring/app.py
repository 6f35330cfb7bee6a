"""The web application: every route behind the one front door."""

import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from litestar import Litestar
from litestar.datastructures import State
from litestar.di import Provide
from litestar.types import ControllerRouterHandler

from rensai.kit.services import Services
from rensai.kit.web.access_log import AccessLog
from rensai.kit.web.asgi import App
from rensai.kit.web.bodies import DEFAULT_BODY_LIMIT
from rensai.kit.web.client import Proxies
from rensai.kit.web.edge import Edge
from rensai.kit.web.explain import explain, handle_exception
from rensai.kit.web.exposition import ProcessFigures, process_gauges
from rensai.kit.web.headers import Site, StandingHeaders
from rensai.kit.web.metrics import HttpMetrics
from rensai.kit.web.request import StrictRequest
from rensai.kit.web.siblings import Siblings
from rensai.wiring.health import pool_gauges
from rensai.wiring.openapi import api_description
from rensai.wiring.routes import ROUTES
from rensai.wiring.visitors import DEPENDENCIES


def create_app(services: Services, routes: Sequence[ControllerRouterHandler] = ROUTES) -> App:
    """The application over these services; tests may give it other routes."""
    config = services.config
    metrics = HttpMetrics()
    access_log = AccessLog(config.log_level, config.log_format)

    def own_figures() -> ProcessFigures:
        gauges = [*process_gauges(), *pool_gauges(services)]
        return ProcessFigures(str(os.getpid()), list(metrics.series()), gauges)

    described = api_description(routes, config.base_url)
    siblings = Siblings(config.data_dir / "run" / "metrics", own_figures)

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncGenerator[None, None]:
        async with AsyncExitStack() as held:
            held.callback(access_log.flush)
            if config.web_processes > 1:
                await held.enter_async_context(siblings.published())
            yield

    litestar = Litestar(
        route_handlers=list(routes),
        dependencies={
            "services": Provide(lambda: services, sync_to_thread=False),
            "description": Provide(lambda: described, sync_to_thread=False),
            "siblings": Provide(lambda: siblings, sync_to_thread=False),
            **DEPENDENCIES,
        },
        exception_handlers={Exception: handle_exception},
        request_class=StrictRequest,
        request_max_body_size=DEFAULT_BODY_LIMIT,
        lifespan=[lifespan],
        state=State({"services": services}),
        openapi_config=None,
        logging_config=None,
        debug=False,
    )
    return Edge(
        litestar,
        standing=StandingHeaders(Site(config.base_url, config.storage_public_url)),
        proxies=Proxies(config.trusted_proxies),
        explain=explain,
        metrics=metrics,
        access_log=access_log,
    )
