"""What every test may ask for: a migrated database of its own, services, the whole application."""

import asyncio
import fcntl
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from rensai.kit.db import Database, DatabaseSettings
from rensai.kit.db_driver import connect
from rensai.kit.migrate import migrate
from tests import postgres

_FOLDER = "RENSAI_TEST_POSTGRES"
TEMPLATE = "migrated"


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
    with (server.folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        migrated = server.folder / "migrated"
        if not migrated.exists():
            asyncio.run(_make_template(server))
            migrated.touch()
    return server


async def _make_template(server: postgres.TestServer) -> None:
    await _administer(server, f"create database {TEMPLATE}")
    await migrate(server.url(TEMPLATE))


async def _administer(server: postgres.TestServer, statement: str) -> None:
    connection = await connect(server.url(), seconds=10)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@asynccontextmanager
async def fresh_database(server: postgres.TestServer) -> AsyncGenerator[str, None]:
    """A migrated database of one's own, and where it is."""
    name = postgres.fresh_name()
    await _administer(server, f"create database {name} template {TEMPLATE} strategy file_copy")
    yield server.url(name)
    await _administer(server, f"drop database {name} with (force)")


@pytest.fixture
async def database_url(
    postgres_server: postgres.TestServer, anyio_backend: object
) -> AsyncIterator[str]:
    """A migrated database that no other test touches."""
    async with fresh_database(postgres_server) as url:
        yield url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """Open pools on a migrated database that no other test touches."""
    opened = await Database.open(DatabaseSettings(primary_url=database_url, pool_size=4))
    yield opened
    await opened.close()
