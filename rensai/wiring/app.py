"""The web application: every route behind the one front door."""

import asyncio
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

from litestar import Litestar
from litestar.di import Provide
from litestar.types import ControllerRouterHandler

from rensai.kit.recently import Recently
from rensai.kit.services import Services
from rensai.kit.web.access_log import AccessLog
from rensai.kit.web.application import application
from rensai.kit.web.asgi import App
from rensai.kit.web.client import Proxies
from rensai.kit.web.exposition import ProcessFigures, process_gauges
from rensai.kit.web.headers import Site
from rensai.kit.web.metrics import HttpMetrics
from rensai.kit.web.siblings import Siblings
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.search.door import Index, UnmutedLists
from rensai.rooms.shelf.door import ProgressBuffer, ShelfMarks
from rensai.wiring.health import process_state
from rensai.wiring.openapi import api_description
from rensai.wiring.routes import ROUTES
from rensai.wiring.visitors import DEPENDENCIES


def create_app(services: Services, routes: Sequence[ControllerRouterHandler] = ROUTES) -> App:
    """The application over these services; tests may give it other routes."""
    config = services.config
    metrics = HttpMetrics()

    def own_figures() -> ProcessFigures:
        gauges = [*process_gauges(), *process_state(services)]
        return ProcessFigures(str(os.getpid()), list(metrics.series()), gauges)

    index = Index()
    unmuted = UnmutedLists(index)
    seen = Recently(catalogue.SAME_VISIT, config.data_dir / "run" / "seen")
    views = catalogue.Views(config.session_secret, seen)
    every = timedelta(seconds=config.progress_flush_seconds)
    progress = ProgressBuffer(services.db, services.clock, every)
    marks = ShelfMarks(services.db.primary, progress)
    description = api_description(routes, config.base_url)
    siblings = Siblings(config.data_dir / "run" / "metrics", own_figures)

    @asynccontextmanager
    async def sharing_figures(_: Litestar) -> AsyncGenerator[None, None]:
        async with siblings.published():
            yield

    @asynccontextmanager
    async def searching(_: Litestar) -> AsyncGenerator[None, None]:
        index.begin(services.db.replica)
        yield
        await index.close()

    @asynccontextmanager
    async def writing_progress(_: Litestar) -> AsyncGenerator[None, None]:
        progress.start()
        yield
        await progress.close()

    return application(
        routes,
        site=Site(config.base_url, config.storage_public_url),
        proxies=Proxies(config.trusted_proxies),
        metrics=metrics,
        access_log=AccessLog(config.log_level, config.log_format),
        dependencies={
            "services": Provide(lambda: services, sync_to_thread=False),
            "description": Provide(lambda: description, sync_to_thread=False),
            "index": Provide(lambda: index, sync_to_thread=False),
            "progress": Provide(lambda: progress, sync_to_thread=False),
            "read_marks": Provide(lambda: marks, sync_to_thread=False),
            "siblings": Provide(lambda: siblings, sync_to_thread=False),
            **DEPENDENCIES,
        },
        state={"services": services, "Views": views, "UnmutedLists": unmuted},
        lifespan=[
            lambda _: flushing(services, views),
            searching,
            writing_progress,
            *([sharing_figures] if config.web_processes > 1 else []),
        ],
    )


@asynccontextmanager
async def flushing(services: Services, views: catalogue.Views) -> AsyncGenerator[None, None]:
    """Within it what was counted is written every so often; the rest is at its end."""
    every = services.config.views_flush_seconds
    flusher = catalogue.Flusher(
        views, services.db, services.clock, every=every, redis=services.redis
    )
    running = asyncio.create_task(flusher.run())
    try:
        yield
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await flusher.close()
