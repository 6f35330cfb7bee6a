"""A real Redis of a test's own, on a socket in a temporary folder, that can die and come back."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

PATIENT = 10.0
"""Seconds for a call, in tests of what Redis does and not of how long it may take."""


# Redis as a child of a shell that ends it when its own input closes: however the tests end,
# nothing is left behind.
_GUARDED = """
redis-server "$@" >/dev/null &
echo $!
cat >/dev/null
kill -9 $! 2>/dev/null
wait
"""


class RedisServer:
    """One redis-server without persistence: what it is killed with is lost."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "s"
        self._guard: subprocess.Popen[str] | None = None
        self._pid = 0

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def start(self) -> None:
        """Start it unless it runs, and wait until it answers."""
        if self._guard is not None:
            return
        command = ["sh", "-c", _GUARDED, "redis", "--port", "0", "--unixsocket", str(self.socket)]
        command += ["--save", "", "--appendonly", "no", "--dir", str(self.folder)]
        pipe = subprocess.PIPE
        self._guard = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        assert self._guard.stdout is not None
        self._pid = int(self._guard.stdout.readline())
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
        if self._guard is not None:
            os.kill(self._pid, signal.SIGKILL)
            self._guard.communicate()
            self._guard = None

    def hang(self) -> None:
        """Connections stay open and nothing answers."""
        os.kill(self._pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """After `hang`."""
        os.kill(self._pid, signal.SIGCONT)


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
