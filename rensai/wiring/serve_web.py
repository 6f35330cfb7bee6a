"""The web server of one process: granian inside our own event loop, on a given socket.

Granian's own process manager would cost one more process per tree and would bind the port
again in each; here the supervisor holds the one listening socket, so that connections wait
instead of being refused while a process is replaced.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import cast

# What granian hands to its own workers on systems that cannot bind a port twice.
from granian._granian import SocketHolder
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.embed import Server

from rensai.kit.log import GRANIAN_LOGGING
from rensai.kit.services import Services
from rensai.kit.web.asgi import App, Message, Receive, Scope, Send
from rensai.wiring.app import create_app

BACKLOG = 1024
# Longer heads are answered with 431 or 414; on slower ones the connection is closed.
LARGEST_HEAD = 64 * 1024
HEAD_MILLISECONDS = 15_000
ENDING_SECONDS = 4.0
"""What the application has for its end; the supervisor waits for a little longer."""


class _Granian(Server):
    """Granian on a socket that is already bound."""

    def __init__(self, application: App, listening: int) -> None:
        super().__init__(
            application,
            interface=Interfaces.ASGI,
            http=HTTPModes.http1,
            websockets=False,
            backlog=BACKLOG,
            log_level=LogLevels.error,
            log_dictconfig=GRANIAN_LOGGING,
            http1_settings=HTTP1Settings(
                header_read_timeout=HEAD_MILLISECONDS, max_buffer_size=LARGEST_HEAD
            ),
        )
        self._listening = listening

    def _init_shared_socket(self) -> None:
        self._ssp = None
        self._shd = _held(self._listening)
        self._sfd = self._listening


def _held(listening: int) -> SocketHolder:
    make = cast("Callable[[int, bool, int], SocketHolder]", SocketHolder)  # the stub lacks them
    return make(listening, False, BACKLOG)  # noqa: FBT003 - not a Unix socket; positional only


def serve_web(listening: int) -> Callable[..., Awaitable[None]]:
    """The work of a web process."""

    async def work(services: Services, stop: asyncio.Event, ready: Callable[[], None]) -> None:
        application = _Followed(create_app(services), ready)
        server = _Granian(application, listening)
        serving = asyncio.ensure_future(server.serve())
        stopping = asyncio.ensure_future(stop.wait())
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        server.stop()
        with suppress(TimeoutError):  # who is still busy by then is cut off
            await asyncio.wait_for(serving, services.config.shutdown_seconds)
        await application.end()
        if not stop.is_set():
            raise RuntimeError("the web server ended by itself")

    return work


class _Followed:
    """The application, which calls `ready` when it has started up, and ends in every case.

    Granian lets an application shut down when the last request has ended, and never when one does
    not end in time; but what was accepted until then must still be written.
    """

    def __init__(self, application: App, ready: Callable[[], None]) -> None:
        self._application = application
        self._ready = ready
        self._running: asyncio.Task[None] | None = None
        self._end = asyncio.Event()

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] != "lifespan":
            return self._application(scope, receive, send)
        self._running = asyncio.ensure_future(self._live(scope, receive, send))
        return asyncio.shield(self._running)

    async def end(self) -> None:
        """Have it shut down, if it has not done so already."""
        self._end.set()
        if self._running is not None:
            await asyncio.wait({self._running}, timeout=ENDING_SECONDS)

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def receiving() -> Message:
            heard = asyncio.ensure_future(receive())
            ending = asyncio.ensure_future(self._end.wait())
            await asyncio.wait({heard, ending}, return_when=asyncio.FIRST_COMPLETED)
            ending.cancel()
            if heard.done():
                return heard.result()
            heard.cancel()
            return {"type": "lifespan.shutdown"}

        async def sending(message: Message) -> None:
            await send(message)
            if message["type"] == "lifespan.startup.complete":
                asyncio.get_running_loop().call_soon(self._ready)

        await self._application(scope, receiving, sending)
