"""Servers under measurement: started on a free port, with a log of their own, ended by their id.

As a program (`python -m bench.servers full|bare PORT`) it serves the empty route, either through
the whole application or through Litestar alone, by the same granian in the same event loop.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import uvloop
from granian.constants import Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server
from litestar import Litestar, get

from bench.load import wait_for
from rensai.config import load
from rensai.kit import log
from rensai.kit.web.asgi import App
from rensai.wiring.app import create_app
from rensai.wiring.services import open_services

ROOT = Path(__file__).parent.parent
BASE_PATH = "/api/v1/empty"


@get(BASE_PATH, sync_to_thread=False)
def empty() -> dict[str, str]:
    """Nothing but the way in and out."""
    return {"status": "ok"}


def free_port() -> int:
    """A port of the loopback address that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(
    command: list[str], environment: Mapping[str, str], *, url: str, folder: Path = ROOT
) -> Generator[subprocess.Popen[bytes]]:
    """A server process that answers at `url`."""
    with tempfile.NamedTemporaryFile(suffix=".log") as log_file:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=log_file,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for(url, process, Path(log_file.name))
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def settings(database_url: str, data_dir: Path, port: int) -> dict[str, str]:
    """The environment of a site for a measurement: one web process, its log on."""
    return {
        "DATABASE_PRIMARY_URL": database_url,
        "RENSAI_DATA_DIR": str(data_dir),
        "RUN_MODE": "web",
        "WEB_PROCESSES": "1",
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "BASE_URL": f"http://127.0.0.1:{port}",
        "LOG_FORMAT": "json",
        "LOG_LEVEL": "info",
    }


async def _serve(application: App | Litestar, port: int) -> None:
    server = Server(
        application,
        address="127.0.0.1",
        port=port,
        interface=Interfaces.ASGI,
        websockets=False,
        http1_settings=HTTP1Settings(header_read_timeout=15_000),
    )
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, server.stop)
    await server.serve()


async def _full(port: int) -> None:
    config = load()
    log.configure(config.log_level, config.log_format)
    async with open_services(config) as services:
        await _serve(create_app(services, [empty]), port)


async def _bare(port: int) -> None:
    await _serve(Litestar([empty], openapi_config=None, logging_config=None), port)


if __name__ == "__main__":
    uvloop.run({"full": _full, "bare": _bare}[sys.argv[1]](int(sys.argv[2])))
