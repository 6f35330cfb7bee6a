"""What a child of the process tree runs: the web server or the worker, until told to stop.

The demo has one more, which fills its library and is done.
"""

import asyncio
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable

import uvloop

from rensai.config import Config, load, secrets_of
from rensai.kit import log
from rensai.kit.services import Services
from rensai.wiring.failure import one_line
from rensai.wiring.services import open_services

Work = Callable[[Services, asyncio.Event, Callable[[], None]], Awaitable[None]]


def main(arguments: list[str]) -> None:
    """`web <listening descriptor>`, `worker` or `demo`; then the pipes of readiness and of life."""
    role, *listening, readiness, alive = arguments
    with one_line():
        config = load()
        _end_with_supervisor(int(alive), config.shutdown_seconds)
        log.configure(config.log_level, config.log_format, secrets=secrets_of(config))
        uvloop.run(_run(config, _work_of(role, listening), int(readiness)))


def _work_of(role: str, listening: list[str]) -> Work:
    if role == "web":
        from rensai.wiring.serve_web import serve_web  # noqa: PLC0415 - a worker never needs it

        return serve_web(int(listening[0]))
    if role == "demo":
        from rensai.wiring.demo_filling import fill_library  # noqa: PLC0415 - only the demo does

        return fill_library
    from rensai.wiring.worker import run_background  # noqa: PLC0415 - the web never needs it

    async def work(services: Services, stop: asyncio.Event, ready: Callable[[], None]) -> None:
        ready()
        await run_background(services, stop)

    return work


async def _run(config: Config, work: Work, readiness: int) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.add_signal_handler(signal.SIGINT, stop.set)

    def ready() -> None:
        gc.collect()
        gc.freeze()  # what is loaded by now stays for good: later collections skip it
        os.write(readiness, b"ready")
        os.close(readiness)

    async with open_services(config) as services:
        await work(services, stop, ready)


def _end_with_supervisor(alive: int, grace: int) -> None:
    """End like on SIGTERM when the supervisor is gone, whatever took it away."""

    def watch() -> None:
        os.read(alive, 1)  # nobody ever writes: it returns when the other end is closed
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(grace + 5)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, name="supervisor-watch", daemon=True).start()


if __name__ == "__main__":
    main(sys.argv[1:])
