"""The web application: every route behind the one front door."""

import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from litestar import Litestar
from litestar.di import Provide
from litestar.types import ControllerRouterHandler

from rensai.kit.services import Services
from rensai.kit.web.access_log import AccessLog
from rensai.kit.web.application import application
from rensai.kit.web.asgi import App
from rensai.kit.web.client import Proxies
from rensai.kit.web.exposition import ProcessFigures, process_gauges
from rensai.kit.web.headers import Site
from rensai.kit.web.metrics import HttpMetrics
from rensai.kit.web.siblings import Siblings
from rensai.wiring.health import process_state
from rensai.wiring.openapi import api_description
from rensai.wiring.parts import Parts
from rensai.wiring.routes import ROUTES
from rensai.wiring.visitors import DEPENDENCIES


def create_app(services: Services, routes: Sequence[ControllerRouterHandler] = ROUTES) -> App:
    """The application over these services; tests may give it other routes."""
    config = services.config
    metrics = HttpMetrics()

    def own_figures() -> ProcessFigures:
        gauges = [*process_gauges(), *process_state(services)]
        return ProcessFigures(str(os.getpid()), list(metrics.series()), gauges)

    parts = Parts(services)
    description = api_description(routes, config.base_url)
    siblings = Siblings(config.data_dir / "run" / "metrics", own_figures)

    @asynccontextmanager
    async def sharing_figures(_: Litestar) -> AsyncGenerator[None, None]:
        async with siblings.published():
            yield

    return application(
        routes,
        site=Site(config.base_url, config.storage_public_url),
        proxies=Proxies(config.trusted_proxies),
        metrics=metrics,
        access_log=AccessLog(config.log_level, config.log_format),
        dependencies={
            "services": Provide(lambda: services, sync_to_thread=False),
            "description": Provide(lambda: description, sync_to_thread=False),
            "siblings": Provide(lambda: siblings, sync_to_thread=False),
            **parts.dependencies(),
            **DEPENDENCIES,
        },
        state={"services": services, **parts.state()},
        lifespan=[parts.working, *([sharing_figures] if config.web_processes > 1 else [])],
    )
