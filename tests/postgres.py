"""A throw-away PostgreSQL server for one test run, shared by its workers.

The first worker that needs it starts a small guardian process, which holds the server until the
process that owns the run is gone, however it went, then stops it and removes its folder.
"""

import fcntl
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

from rensai.kit.db_driver import connect
from rensai.kit.embedded import EmbeddedPostgres
from rensai.kit.migrate import migrate

TEMPLATE = "migrated"


class TestServer:
    """The server of one run."""

    __test__ = False

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self._url = url

    def url(self, database: str = "rensai") -> str:
        """Where to connect to one of its databases."""
        return self._url.replace("/rensai?", f"/{database}?")


def prepare_run() -> Path:
    """Make the folder of this run; called in the process that owns it, before workers start."""
    folder = Path(tempfile.mkdtemp(prefix="rensai-test-", dir=_fast_folder()))
    folder.chmod(0o755)  # started by root, the server runs as another user
    return folder


def shared_server(folder: Path, owner: int) -> TestServer:
    """The server of this run, started by whoever comes first."""
    ready = folder / "url"
    with (folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            log = folder / "guardian.log"
            with log.open("wb") as errors:
                guardian = subprocess.Popen(
                    [sys.executable, "-m", "tests.postgres", str(folder), str(owner)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    start_new_session=True,
                )
            assert guardian.stdout is not None
            url = guardian.stdout.readline().decode().strip()
            assert url, f"the test database did not start: {log.read_text()}"
            ready.write_text(url)
    return TestServer(folder, ready.read_text())


async def make_template(server: TestServer) -> None:
    """Migrate the database that every test's own is a copy of; once, whoever asks first."""
    with (server.folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        migrated = server.folder / "migrated"
        if not migrated.exists():
            await _administer(server, f"create database {TEMPLATE}")
            await migrate(server.url(TEMPLATE))
            migrated.touch()


@asynccontextmanager
async def fresh_database(server: TestServer) -> AsyncGenerator[str, None]:
    """A migrated database of one's own, and where it is."""
    name = fresh_name()
    await _administer(server, f"create database {name} template {TEMPLATE} strategy file_copy")
    try:
        yield server.url(name)
    finally:
        await _administer(server, f"drop database {name} with (force)")


def fresh_name() -> str:
    """A database name that no other test uses."""
    return f"t{secrets.token_hex(8)}"


async def _administer(server: TestServer, statement: str) -> None:
    connection = await connect(server.url(), seconds=10)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def _fast_folder() -> str | None:
    """Memory, when there is enough of it: a copy of the template takes 17 ms there, 450 on disk."""
    memory = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
    if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2 << 30:
        return str(memory)
    return None


def _guard(folder: Path, owner: int) -> None:
    with EmbeddedPostgres(folder, durable=False) as database:
        sys.stdout.write(f"{database.url}\n")
        sys.stdout.flush()
        while psutil.pid_exists(owner):
            time.sleep(0.2)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    _guard(Path(sys.argv[1]), int(sys.argv[2]))
