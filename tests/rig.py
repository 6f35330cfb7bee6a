"""The whole application on a real database, inside a test or started as a server.

Everything is real but what lies outside: requests go straight to the application instead of
through a socket, the clock moves only when told, and tasks run when the test says so.

As a server, on a database of its own that is gone afterwards, with the account `ada`:

    python -m tests.rig [port]
"""

import asyncio
import os
import re
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

from rensai.config import load
from rensai.kit.cache import open_cache
from rensai.kit.clock import Clock, SetClock
from rensai.kit.db import Database, DatabaseSettings, Query
from rensai.kit.limits import Limits
from rensai.kit.services import Services
from rensai.kit.tasks.worker import Pace
from rensai.kit.web.asgi import App, Message
from rensai.rooms.readers import door as readers
from rensai.wiring.app import create_app
from rensai.wiring.serve_web import serve_web
from rensai.wiring.subscriptions import SUBSCRIPTIONS
from rensai.wiring.worker import run_background, run_worker
from tests import postgres

ADMIN = "ada"
PASSWORD = "a long enough password"
BASE_URL = "http://rensai.test"

_OPEN_TASKS = Query("SELECT count(*) AS open FROM tasks.pgqueuer WHERE execute_after <= now()", int)


class Rig:
    """The application and whoever visits it.

    `rig.clock` is the application's clock, `rig.db` its database. Cookies stay between the
    requests of one visitor; `rig.visitor()` is another one.
    """

    def __init__(self, services: Services, clock: SetClock) -> None:
        self.services = services
        self.clock = clock
        self.db = services.db
        self.app: App = create_app(services)
        self.client = self.visitor()
        self._lifespan = _Lifespan(self.app)

    async def __aenter__(self) -> "Rig":
        await self._lifespan.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.client.aclose()
        await self._lifespan.stop()

    async def restart(self) -> None:
        """End the application as SIGTERM does, and start it again."""
        await self._lifespan.stop()
        await self._lifespan.start()

    def visitor(self, address: str = "127.0.0.1") -> httpx.AsyncClient:
        """Somebody with no cookies yet; close it, or let it go with the test."""
        transport = httpx.ASGITransport(self.app, client=(address, 40000))
        return httpx.AsyncClient(transport=transport, base_url=BASE_URL)

    async def get(self, path: str, **request: Any) -> httpx.Response:
        """The answer to a GET of the first visitor; further arguments as httpx takes them."""
        return await self.client.get(path, **request)

    async def post(self, path: str, **request: Any) -> httpx.Response:
        """The answer to a POST of the first visitor; further arguments as httpx takes them."""
        return await self.client.post(path, **request)

    async def create_admin(self) -> None:
        """Make the account that may do everything: `ADMIN`, with `PASSWORD`."""
        await create_admin(self.services)

    async def sign_in(self, visitor: httpx.AsyncClient | None = None) -> httpx.AsyncClient:
        """Sign the administrator in, through the form."""
        visitor = visitor or self.client
        form = await visitor.get("/login")
        token = re.search(r'name="token" value="(\w+)"', form.text)
        assert token is not None, form.text
        fields = {"login": ADMIN, "password": PASSWORD, "token": token[1]}
        answer = await visitor.post("/login", data=fields)
        assert answer.status_code == 303, answer.text
        return visitor

    async def work(self, seconds: float = 20) -> None:
        """Run a worker until no task is due."""
        stop = asyncio.Event()
        worker = asyncio.create_task(run_worker(self.services, stop, pace=Pace()))
        try:
            async with asyncio.timeout(seconds):
                while await self.db.primary.first(_OPEN_TASKS):  # noqa: ASYNC110 - a table tells
                    await asyncio.sleep(0.01)
        finally:
            stop.set()
            await worker


def build_services(database: Database, folder: Path, clock: Clock, **settings: str) -> Services:
    """Services as production opens them, over this database and with this clock."""
    environment = {"RENSAI_DATA_DIR": str(folder), "NODE_ENV": "test", "BASE_URL": BASE_URL}
    config = load(environment | settings)
    return Services(
        config=config,
        db=database,
        clock=clock,
        cache=open_cache(clock),
        limits=Limits(clock, pepper=config.session_secret.encode()),
    )


async def open_database(url: str) -> Database:
    """The database with the subscriptions of the whole application."""
    settings = DatabaseSettings(primary_url=url, pool_size=4)
    return await Database.open(settings, subscriptions=SUBSCRIPTIONS)


async def create_admin(services: Services) -> None:
    """Make the account that may do everything."""
    async with services.db.transaction() as tx:
        await readers.create_admin(
            tx,
            username=ADMIN,
            email=f"{ADMIN}@example.com",
            password=PASSWORD,
            clock=services.clock,
        )


def this_moment() -> SetClock:
    """A clock that stands at the time at which the database's own goes on."""
    return SetClock(datetime.now(UTC))


class _Lifespan:
    """Starts and stops an application as a server does."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._say: asyncio.Queue[Message] = asyncio.Queue()
        self._hear: asyncio.Queue[Message] = asyncio.Queue()
        self._running: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._running = asyncio.create_task(self._run())
        await self._tell("startup")

    async def stop(self) -> None:
        await self._tell("shutdown")
        if self._running:
            await self._running

    async def _run(self) -> None:
        await self._app({"type": "lifespan", "state": {}}, self._say.get, self._hear.put)

    async def _tell(self, what: str) -> None:
        await self._say.put({"type": f"lifespan.{what}"})
        answer = await self._hear.get()
        assert answer["type"] == f"lifespan.{what}.complete", answer


@asynccontextmanager
async def _served_services() -> AsyncGenerator[Services, None]:
    server = postgres.shared_server(postgres.prepare_run(), os.getpid())
    await postgres.make_template(server)
    async with postgres.fresh_database(server) as url:
        database = await open_database(url)
        with tempfile.TemporaryDirectory() as folder:
            yield build_services(database, Path(folder), this_moment(), LOG_FORMAT="text")
        await database.close()


async def _serve(port: int) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with _served_services() as services:
        await create_admin(services)
        listening = socket.create_server(("127.0.0.1", port), backlog=128)
        place = f"http://127.0.0.1:{listening.getsockname()[1]}"

        def ready() -> None:
            sys.stdout.write(f"{place} answers; sign in as {ADMIN} with: {PASSWORD}\n")
            sys.stdout.flush()

        web = serve_web(listening.detach())  # the server closes it
        await asyncio.gather(web(services, stop, ready), run_background(services, stop))


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
