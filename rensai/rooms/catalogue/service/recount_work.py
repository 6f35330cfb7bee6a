"""A worker that counts stories anew when they are due, until told to stop."""

import asyncio
import os
import secrets
import socket
from contextlib import suppress
from datetime import timedelta

from rensai.kit.errors import Unavailable
from rensai.kit.log import get_logger
from rensai.kit.services import Services
from rensai.rooms.catalogue.service.recount import BATCH, give_back_recounts, recount_due

_log = get_logger("rensai.catalogue.recount")

_POLL_SECONDS = 5.0
_BROKEN_SECONDS = 1.0


class RecountWorker:
    """Counts in batches; several at once when asked to."""

    def __init__(
        self,
        services: Services,
        *,
        concurrency: int = 1,
        limit: int | None = None,
        runtime: timedelta | None = None,
        poll: float = _POLL_SECONDS,
    ) -> None:
        """It ends by itself after `limit` stories or when its time is over."""
        self.name = f"{socket.gethostname()[:30]}:{os.getpid()}:{secrets.token_hex(6)}"
        self.done = 0
        self._services = services
        self._concurrency = concurrency
        self._limit = limit
        self._runtime = runtime
        self._poll = poll
        self._taken = 0
        self._stop = asyncio.Event()

    async def run(self, stop: asyncio.Event) -> None:
        """Count what is due until `stop`; a batch that is under way is finished."""
        watching = asyncio.create_task(self._watch(stop))
        working = [asyncio.create_task(self._work()) for _ in range(self._concurrency)]
        try:
            await asyncio.gather(*working)
        finally:
            for one in (watching, *working):
                one.cancel()
            await asyncio.gather(watching, *working, return_exceptions=True)
            with suppress(Unavailable):
                await give_back_recounts(self._services.db, self.name)

    async def _watch(self, stop: asyncio.Event) -> None:
        with suppress(TimeoutError):
            runtime = self._runtime
            await asyncio.wait_for(stop.wait(), runtime.total_seconds() if runtime else None)
        self._stop.set()

    async def _work(self) -> None:
        services = self._services
        while not self._stop.is_set():
            size = BATCH if self._limit is None else min(BATCH, self._limit - self._taken)
            if size <= 0:
                return
            counted, wait = 0, 0.0
            self._taken += size  # before others ask how many they may have
            try:
                counted = await recount_due(services.db, services.clock, self.name, size)
                self.done += counted
                wait = 0.0 if counted == size else self._poll
            except Unavailable as error:
                _log.warning("the database cannot be reached", error=error.private or str(error))
                wait = _BROKEN_SECONDS
            except Exception:  # noqa: BLE001 - the worker outlives whatever goes wrong
                _log.exception("a recount failed")
                wait = _BROKEN_SECONDS
            finally:
                self._taken -= size - counted
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), wait)
