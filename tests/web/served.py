"""The real server in processes of its own, and somebody who speaks to it byte by byte."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import httpx

ADMIN = "ada"
PASSWORD = "a long enough password"
START_SECONDS = 30.0
AFTERWARDS_SECONDS = 0.15
"""How long to wait for more once something has come."""


class Served:
    """`rensai serve` on a free port, with its log in a file."""

    def __init__(self, folder: Path, database_url: str, **settings: str) -> None:
        self.log = folder / "log"
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port: int = probe.getsockname()[1]
        self._environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            "RENSAI_DATA_DIR": str(folder / "data"),
            "DATABASE_PRIMARY_URL": database_url,
            "DATABASE_POOL_SIZE": "3",
            "RUN_MODE": "web",
            "PORT": str(self.port),
            "LOG_FORMAT": "json",
            "TRUSTED_PROXIES": "127.0.0.1",
            "ADMIN_USERNAME": ADMIN,
            "ADMIN_EMAIL": f"{ADMIN}@example.com",
            "ADMIN_PASSWORD": PASSWORD,
            **settings,
        }
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "rensai", "serve"],
                env=self._environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._wait()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.1)
            if self.process.poll() is not None:
                break
        self.stop()
        raise AssertionError(self.log.read_text())

    def run(self, *command: str) -> None:
        """Run a command of the command line on the same site."""
        arguments = [sys.executable, "-m", "rensai", *command]
        subprocess.run(arguments, env=self._environment, check=True, capture_output=True)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def connect(self) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def say(self, data: bytes, patience: float = 3.0) -> bytes:
        """Send exactly this and return everything that comes back until it is quiet."""
        with self.connect() as connection:
            # It may have heard enough before the end; what it said is still there to read.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(data)
            return listen(connection, patience)


def listen(connection: socket.socket, patience: float) -> bytes:
    """What comes until the other side closes or is quiet for this long."""
    connection.settimeout(patience)
    heard = b""
    try:
        while part := connection.recv(65536):
            heard += part
            connection.settimeout(min(patience, AFTERWARDS_SECONDS))
    except (TimeoutError, ConnectionResetError):
        return heard
    return heard


def status_of(answer: bytes) -> int:
    """The status of the first response."""
    assert answer.startswith(b"HTTP/1."), answer[:200]
    return int(answer.split(b" ", 2)[1])
