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
from typing import IO
from urllib.error import URLError
from urllib.request import urlopen

import psutil

from bench.servers import free_port
from rensai.config_sources import record_path

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
    began = time.perf_counter()
    with _running("serve", data_dir, port) as process:
        _first_page(process, f"http://127.0.0.1:{port}/")
        yield process, time.perf_counter() - began


@contextmanager
def filled_demo(data_dir: Path) -> Generator[subprocess.Popen[bytes]]:
    """A demo that has just filled its library; what an earlier one recorded stays."""
    record = record_path()
    before = record.read_bytes() if record is not None and record.exists() else None
    with tempfile.TemporaryFile() as said:
        try:
            with _running("demo", data_dir, free_port(), said) as process:
                _wait_until_said(b"The library is filled", said, process)
                yield process
        finally:
            if record is not None and before is not None:
                record.write_bytes(before)
            elif record is not None:
                record.unlink(missing_ok=True)


@contextmanager
def _running(
    command: str, data_dir: Path, port: int, out: IO[bytes] | None = None
) -> Generator[subprocess.Popen[bytes]]:
    settings = {
        "RENSAI_DATA_DIR": str(data_dir),
        "PORT": str(port),
        "BASE_URL": f"http://127.0.0.1:{port}",
        "LOG_LEVEL": "warning",
    }
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "rensai", command],
        env={**os.environ, **settings},
        stdin=subprocess.DEVNULL,
        stdout=out,
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


def _wait_until_said(words: bytes, said: IO[bytes], process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE
    while words not in os.pread(said.fileno(), 1 << 16, 0):
        if process.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"the demo never said: {words.decode()}")
        time.sleep(0.05)


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
