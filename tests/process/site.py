"""A site as a person runs it: real processes, a data folder of its own, a free port."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import httpx
import psutil

from rensai.config import SETTINGS

PATIENCE = 60.0


def free_port() -> int:
    """A port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def bare_environment() -> dict[str, str]:
    """Our environment without any setting of Rensai's."""
    names = {setting.name for setting in SETTINGS}
    return {name: value for name, value in os.environ.items() if name not in names}


def public_folder() -> Path:
    """A folder that the database's own user may pass through, as the default one is."""
    memory = "/dev/shm"  # noqa: S108 - far quicker than a disk that others use too
    roomy = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2 << 30
    folder = Path(tempfile.mkdtemp(prefix="rensai-process-", dir=memory if roomy else None))
    folder.chmod(0o711)
    return folder


class Site:
    """One data folder, and the process tree that runs on it."""

    def __init__(self, data_dir: Path, **settings: str) -> None:
        self.data_dir = data_dir
        self.port = int(settings.get("PORT") or free_port())
        descriptor, log = tempfile.mkstemp(prefix="rensai-process-", suffix=".log")
        os.close(descriptor)
        self.log = Path(log)
        self.environment = {
            **bare_environment(),
            "RENSAI_DATA_DIR": str(data_dir),
            "PORT": str(self.port),
            **settings,
        }
        self.process: subprocess.Popen[bytes] | None = None
        self._python = sys.executable

    def with_python(self, python: Path) -> "Site":
        """The same site, run by another Python."""
        self._python = str(python)
        return self

    def command(self, *arguments: str) -> list[str]:
        """How to run a command of Rensai."""
        return [self._python, "-P", "-m", "rensai", *arguments]

    @property
    def running(self) -> subprocess.Popen[bytes]:
        assert self.process is not None
        return self.process

    def start(self, command: str = "serve") -> "Site":
        """Start, in a session of its own as a terminal would."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(command),
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return self

    def wait_for_page(self, path: str = "/healthz") -> httpx.Response:
        """The first answer; fails at once when the process has ended."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            assert self.running.poll() is None, self.said()
            try:
                return httpx.get(f"http://127.0.0.1:{self.port}{path}", timeout=20)
            except httpx.TransportError:
                time.sleep(0.05)
        raise AssertionError(f"no answer: {self.said()}")

    def wait_until_ready(self) -> "Site":
        """Every process of the tree is ready, as the log says."""
        assert eventually(lambda: "Rensai is ready" in self.said(), PATIENCE), self.said()
        return self

    def run(
        self, *arguments: str, given: str = "", settings: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on the same data folder."""
        return subprocess.run(
            self.command(*arguments),
            env=self.environment | dict(settings or {}),
            input=given,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal to the supervisor and give the exit code."""
        self.running.send_signal(number)
        return self.running.wait(PATIENCE)

    def said(self) -> str:
        """Everything that was printed."""
        return self.log.read_text(errors="replace") if self.log.exists() else "nothing"

    def family(self) -> list[psutil.Process]:
        """The supervisor and all below it, the database too, while it lives."""
        supervisor = psutil.Process(self.running.pid)
        return [supervisor, *supervisor.children(recursive=True)]

    def child(self, role: str) -> psutil.Process:
        """The web or worker process; fails when there is none yet."""
        return next(
            child
            for child in psutil.Process(self.running.pid).children()
            if f"serve_child {role}" in " ".join(child.cmdline())
        )

    def leftovers(self) -> list[str]:
        """Processes that still have to do with this data folder, its database included."""
        mark = str(self.data_dir)
        found: list[str] = []
        for process in psutil.process_iter(["pid", "cmdline", "environ", "status"]):
            words = " ".join(process.info["cmdline"] or [])
            surroundings: dict[str, str] = process.info["environ"] or {}
            if process.pid == os.getpid() or process.info["status"] == psutil.STATUS_ZOMBIE:
                continue
            if f"{mark}/" in words or surroundings.get("RENSAI_DATA_DIR") == mark:
                found.append(f"{process.pid} {words}")
        return found

    def database_pid(self) -> int:
        """The process of the embedded database."""
        pid_file = self.data_dir / "postgres" / "data" / "postmaster.pid"
        return int(pid_file.read_text().splitlines()[0])

    def clean_up(self) -> None:
        """End whatever is left of it and remove its folder."""
        for line in self.leftovers():
            _kill(int(line.split()[0]))
        if self.process is not None:
            self.process.wait(10)
        eventually(lambda: not self.leftovers())
        home = self.data_dir / "postgres"
        if home.is_symlink():
            shutil.rmtree(home.resolve(), ignore_errors=True)
        shutil.rmtree(self.data_dir, ignore_errors=True)
        self.log.unlink(missing_ok=True)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def eventually(holds: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether it comes true in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if holds():
            return True
        time.sleep(0.05)
    return False
