"""A whole site for a browser to visit: its own process tree, its own database."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

PASSWORD = "a long enough password"
START_SECONDS = 60.0
STOP_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Site:
    """Where it answers."""

    url: str
    log: Path


@contextmanager
def running_site(
    database_url: str, folder: Path, *, run_mode: str = "web"
) -> Generator[Site, None, None]:
    """Start a site with an administrator on this database, and stop it cleanly."""
    port = _free_port()
    log = folder / "log"
    environ = {
        "PATH": os.defpath,
        "RENSAI_DATA_DIR": str(folder),
        "DATABASE_PRIMARY_URL": database_url,
        "RUN_MODE": run_mode,
        "PORT": str(port),
        "NODE_ENV": "test",
        "LOG_FORMAT": "json",
        # Each visitor of a test comes from an address of its own, for the limit on signing in.
        "TRUSTED_PROXIES": "127.0.0.1",
        "ADMIN_USERNAME": "ada",
        "ADMIN_EMAIL": "ada@example.com",
        "ADMIN_PASSWORD": PASSWORD,
    }
    command = [sys.executable, "-m", "rensai"]
    subprocess.run([*command, "admin", "create"], env=environ, check=True, capture_output=True)
    with log.open("wb") as out:
        process = subprocess.Popen([*command, "serve"], env=environ, stdout=out, stderr=out)
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_until_ready(f"{url}/readyz", process, log)
        yield Site(url, log)
    finally:
        process.terminate()
        code = process.wait(STOP_SECONDS)
    assert code == 0, log.read_text()


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(url, timeout=5) as answer:  # noqa: S310 - our own address
                if answer.status == 200:
                    return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(f"the site did not start:\n{log.read_text()}")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
