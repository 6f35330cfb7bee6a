"""The one middleware, around the whole application.

It gives each request its id, refuses what HTTP forbids, learns who is calling, answers CORS
preflights, and sees each response off with its headers, its measurement and its log line. It
runs on every request, so it does little and allocates less.
"""

from collections.abc import Callable
from time import perf_counter

from rensai.kit.errors import RensaiError
from rensai.kit.log import get_logger
from rensai.kit.web import arrival
from rensai.kit.web.access_log import AccessLog
from rensai.kit.web.asgi import App, Receive, Scope, Send
from rensai.kit.web.client import Proxies
from rensai.kit.web.envelopes import Answer
from rensai.kit.web.errors import ServerFault
from rensai.kit.web.exchange import Exchange
from rensai.kit.web.headers import StandingHeaders
from rensai.kit.web.metrics import HttpMetrics
from rensai.kit.web.request_id import accepted_or_new, remember
from rensai.kit.web.slow import PatientReceive
from rensai.kit.web.surfaces import Surface, surface_of

Explain = Callable[[RensaiError, str, str, str], Answer]
"""An error, the path, the Accept header and the request id, made into a whole answer."""

_LOG = get_logger("rensai.web")
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})


class Edge:
    """ASGI application: the building's front door."""

    def __init__(
        self,
        app: App,
        *,
        standing: StandingHeaders,
        proxies: Proxies,
        explain: Explain,
        metrics: HttpMetrics,
        access_log: AccessLog,
    ) -> None:
        self._app = app
        self._standing = standing
        self._proxies = proxies
        self._explain = explain
        self._metrics = metrics
        self._access_log = access_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1000, "reason": None})
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = perf_counter()
        headers = scope["headers"]
        named = dict(headers)
        path = scope["path"]
        method = scope["method"]
        request_id = accepted_or_new(named.get(b"x-request-id"))
        remember(request_id)
        self._find_client(scope, named)
        exchange = Exchange(scope, send, self._standing, request_id)
        try:
            fault = arrival.fault_in_address(
                scope["raw_path"], scope["query_string"]
            ) or arrival.fault_in_head(method, scope["http_version"], headers, named)
            if fault is not None:
                await self._refuse(exchange, fault, path, named)
            elif method == "OPTIONS" and self._is_preflight(path, named):
                exchange.route = "(preflight)"
                await exchange.preflight()
            else:
                if method == "HEAD":
                    scope["method"] = "GET"
                    scope["is_head"] = True
                if method not in _BODILESS or b"content-length" in named:
                    receive = PatientReceive(receive)
                await self._app(scope, receive, exchange.send)
        except Exception:  # noqa: BLE001  # the last stop; it is logged
            _LOG.exception("request failed beyond the reach of its handlers", path=path)
            if not exchange.started:
                await self._refuse(exchange, ServerFault(), path, named)
        finally:
            seconds = perf_counter() - began
            route = exchange.route or scope.get("path_template") or "(none)"
            self._metrics.record(route, method, exchange.status, seconds)
            self._access_log.add(exchange, method, route, seconds)

    async def _refuse(
        self, exchange: Exchange, error: RensaiError, path: str, named: dict[bytes, bytes]
    ) -> None:
        accept = named.get(b"accept", b"").decode("latin-1")
        answer = self._explain(error, path, accept, exchange.request_id)
        await exchange.answer(answer)

    @staticmethod
    def _is_preflight(path: str, named: dict[bytes, bytes]) -> bool:
        return (
            b"access-control-request-method" in named
            and b"origin" in named
            and surface_of(path) is not Surface.SITE
        )

    def _find_client(self, scope: Scope, named: dict[bytes, bytes]) -> None:
        """Put the real client and scheme where handlers look for them."""
        peer = scope["client"]
        if peer is None or not self._proxies.trusts(peer[0]):
            return
        forwarded = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
        if forwarded:
            scope["client"] = (self._proxies.client_behind(peer[0], forwarded), 0)
        scheme = named.get(b"x-forwarded-proto", b"").strip().lower()
        if scheme in {b"http", b"https"}:
            scope["scheme"] = scheme.decode()
