"""Puts the front door around a set of routes."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from litestar import Litestar
from litestar.datastructures import State
from litestar.di import Provide
from litestar.types import ControllerRouterHandler

from rensai.kit.web.access_log import AccessLog
from rensai.kit.web.bodies import DEFAULT_BODY_LIMIT
from rensai.kit.web.client import Proxies
from rensai.kit.web.data_response import DataResponse
from rensai.kit.web.edge import Edge
from rensai.kit.web.explain import explain, handle_exception
from rensai.kit.web.headers import Site, StandingHeaders
from rensai.kit.web.lean import LeanLitestar, provide_in_turn
from rensai.kit.web.metrics import HttpMetrics
from rensai.kit.web.request import StrictRequest

Lifespan = Callable[[Litestar], AbstractAsyncContextManager[None]]


def application(
    routes: Sequence[ControllerRouterHandler],
    *,
    site: Site,
    proxies: Proxies,
    metrics: HttpMetrics,
    access_log: AccessLog,
    dependencies: Mapping[str, Provide],
    state: Mapping[str, object],
    lifespan: Sequence[Lifespan] = (),
) -> Edge:
    """The routes with strict bodies, our errors, and the edge before them."""

    @asynccontextmanager
    async def flushed(_: Litestar) -> AsyncGenerator[None, None]:
        yield
        access_log.flush()

    litestar = LeanLitestar(
        route_handlers=list(routes),
        dependencies=dict(dependencies),
        exception_handlers={Exception: handle_exception},
        request_class=StrictRequest,
        response_class=DataResponse,
        request_max_body_size=DEFAULT_BODY_LIMIT,
        lifespan=[flushed, *lifespan],
        state=State(dict(state)),
        openapi_config=None,
        logging_config=None,
        debug=False,
    )
    provide_in_turn(litestar)
    return Edge(
        litestar,
        standing=StandingHeaders(site),
        proxies=proxies,
        explain=explain,
        metrics=metrics,
        access_log=access_log,
    )
