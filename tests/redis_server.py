"""A real Redis of a test's own, on a socket in a temporary folder, that can die and come back."""

import signal
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

PATIENT = 10.0
"""Seconds for a call, in tests of what Redis does and not of how long it may take."""


class RedisServer:
    """One redis-server without persistence: what it is killed with is lost."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "s"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = ["redis-server", "--port", "0", "--unixsocket", str(self.socket)]
        command += ["--save", "", "--appendonly", "no", "--dir", str(self.folder)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        until = time.monotonic() + 10
        while self.cli("ping") != "PONG":
            assert time.monotonic() < until, "redis-server does not start"
            time.sleep(0.02)

    def cli(self, *command: str) -> str:
        """What redis-cli answers."""
        run = ["redis-cli", "-s", str(self.socket), *command]
        return subprocess.run(run, capture_output=True, text=True, check=False).stdout.strip()

    def kill(self) -> None:
        """As `kill -9` does it."""
        self._signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()
            self._process = None

    def hang(self) -> None:
        """Connections stay open and nothing answers."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """After `hang`."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)


@contextmanager
def redis_server() -> Generator[RedisServer]:
    """A running server, gone with its folder afterwards."""
    # pytest's own temporary folders can be too deep for the name of a socket.
    with tempfile.TemporaryDirectory(prefix="redis-", dir="/tmp") as folder:
        server = RedisServer(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.kill()
