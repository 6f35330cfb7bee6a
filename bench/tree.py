"""A whole process tree under measurement, with the embedded database, in a folder of its own."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import psutil

from bench.servers import free_port

PATIENCE = 60.0


@contextmanager
def data_folder() -> Generator[Path]:
    """An empty place that the database's own user may pass through, on a real disk."""
    folder = Path(tempfile.mkdtemp(prefix="rensai-bench-"))
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def site(data_dir: Path) -> Generator[tuple[subprocess.Popen[bytes], float]]:
    """A running site, and the seconds from its start to its first page."""
    port = free_port()
    settings = {
        "RENSAI_DATA_DIR": str(data_dir),
        "PORT": str(port),
        "BASE_URL": f"http://127.0.0.1:{port}",
        "LOG_LEVEL": "warning",
    }
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "rensai", "serve"],
        env={**os.environ, **settings},
        stdin=subprocess.DEVNULL,
    )
    try:
        _first_page(process, f"http://127.0.0.1:{port}/")
        yield process, time.perf_counter() - began
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


def _first_page(process: subprocess.Popen[bytes], url: str) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError("the site ended while it started")
        try:
            with urlopen(url, timeout=PATIENCE) as answer:  # noqa: S310 - our own address
                answer.read()
            return
        except (URLError, ConnectionError):
            time.sleep(0.01)
    raise TimeoutError(f"no page within {PATIENCE:g} s")


def proportional_memory(supervisor: int) -> dict[str, float]:
    """MiB of each process of a tree, shared pages counted once, by what the process does."""
    parent = psutil.Process(supervisor)
    sizes: dict[str, float] = {}
    for process in (parent, *parent.children(recursive=True)):
        line = " ".join(process.cmdline())
        name = next((role for role in ("web", "worker") if f"serve_child {role}" in line), None)
        name = name or ("database" if "postgres" in process.name() else "supervisor")
        sizes[name] = sizes.get(name, 0) + process.memory_full_info().pss / 2**20
    return sizes
