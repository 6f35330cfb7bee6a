"""What every test may ask for: a migrated database of its own, services, the whole application."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from rensai.kit.clock import SetClock
from rensai.kit.db import Database
from rensai.kit.db_driver import connect
from rensai.kit.services import Services
from tests import postgres
from tests.browser.site import Site, running_site
from tests.rig import Rig, build_services, open_database, this_moment

_FOLDER = "RENSAI_TEST_POSTGRES"

# What is slow on a busy machine is not wrong.
settings.register_profile("ours", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ours")


def pytest_configure(config: pytest.Config) -> None:
    """Name the server's folder once, in the process that owns the run; workers inherit it."""
    if not hasattr(config, "workerinput"):
        os.environ[_FOLDER] = f"{postgres.prepare_run()}:{os.getpid()}"


def pytest_unconfigure(config: pytest.Config) -> None:
    """A run that never needed the server has only an empty folder to remove."""
    if not hasattr(config, "workerinput"):
        folder = Path(os.environ.pop(_FOLDER).partition(":")[0])
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


@pytest.fixture(scope="session")
def anyio_backend() -> tuple[str, dict[str, object]]:
    """Tests run on the loop that production runs on."""
    return ("asyncio", {"use_uvloop": True})


@pytest.fixture(scope="session")
def postgres_server() -> postgres.TestServer:
    """The server of this run, with the migrated template in it."""
    folder, _, owner = os.environ[_FOLDER].partition(":")
    server = postgres.shared_server(Path(folder), int(owner))
    asyncio.run(postgres.make_template(server))
    return server


@pytest.fixture
async def database_url(
    postgres_server: postgres.TestServer, anyio_backend: object
) -> AsyncIterator[str]:
    """A migrated database that no other test touches."""
    async with postgres.fresh_database(postgres_server) as url:
        yield url


@pytest.fixture
async def empty_url(
    postgres_server: postgres.TestServer, anyio_backend: object
) -> AsyncIterator[str]:
    """A database with nothing in it."""
    name = postgres.fresh_name()
    connection = await connect(postgres_server.url(), seconds=10)
    await connection.execute(f"CREATE DATABASE {name}")
    yield postgres_server.url(name)
    await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await connection.close()


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """Open pools on a migrated database that no other test touches."""
    opened = await open_database(database_url)
    yield opened
    await opened.close()


@pytest.fixture
def clock() -> SetClock:
    """The application's clock, which moves only when told to."""
    return this_moment()


@pytest.fixture
def services(database: Database, tmp_path: Path, clock: SetClock) -> Services:
    """What a process has open, over a database of the test's own."""
    return build_services(database, tmp_path, clock)


@pytest.fixture
async def rig(services: Services, clock: SetClock) -> AsyncIterator[Rig]:
    """The whole application; requests reach it without a socket."""
    async with Rig(services, clock) as built:
        yield built


@pytest.fixture
def server(database_url: str, tmp_path: Path) -> Iterator[Site]:
    """A real web process on a free port, with an administrator."""
    with running_site(database_url, tmp_path) as site:
        yield site
