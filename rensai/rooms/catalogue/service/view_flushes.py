"""When what was counted is written: every so often, and before the process ends.

Without Redis each process writes its own counts. With Redis it hands them over every second,
so that a process that is killed takes a second of them with it, and whoever is due drains Redis
into the tables. While Redis is away processes write for themselves.
"""

import asyncio
from collections import deque

from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.kit.errors import RensaiError
from rensai.kit.log import get_logger
from rensai.kit.redis import RedisDownError, RedisLink
from rensai.rooms.catalogue.adapters.shared_views import SharedViews
from rensai.rooms.catalogue.model.views import ViewBatch
from rensai.rooms.catalogue.service.views import Views, write_batch

HAND_OVER_SECONDS = 1.0

_SOON = 5.0
"""What could not be written is tried again after so many seconds, if not sooner."""

_LAST_SECONDS = 10.0

_LOG = get_logger("rensai.catalogue.views")


class Flusher:
    """Writes what the counter of this process has counted."""

    def __init__(
        self,
        views: Views,
        db: Database,
        clock: Clock,
        *,
        every: float,
        redis: RedisLink | None = None,
    ) -> None:
        self._views = views
        self._db = db
        self._clock = clock
        self._every = every
        self._shared = None if redis is None else SharedViews(redis, clock)
        self._owed: deque[ViewBatch] = deque()
        self._writing = asyncio.Lock()

    async def run(self) -> None:
        """Hand over and flush until cancelled."""
        loop = asyncio.get_running_loop()
        due = loop.time() + self._every
        while True:
            await asyncio.sleep(min(self._pause(), max(0.0, due - loop.time())))
            try:
                if self._shared is not None:
                    await self.hand_over()
                if self._owed or loop.time() >= due:
                    await self.flush()
            except Exception:  # noqa: BLE001 - counting goes on whatever happens to one flush
                _LOG.exception("views could not be written")
            if loop.time() >= due:
                due = loop.time() + self._every

    async def hand_over(self) -> None:
        """Give Redis what has been counted here, if it is there."""
        if self._shared is None:
            return
        async with self._writing:
            try:
                await self._shared.add(self._views.take() if self._shared.is_there else [])
            except RedisDownError:
                return

    async def flush(self) -> bool:
        """Write all that was counted; whether it could be. What could not is tried again."""
        await self.hand_over()
        async with self._writing:
            try:
                await self._settle()
                if self._shared is not None:
                    self._owed.extend(self._shared.unsent())
                self._owed.extend(self._views.take())
                await self._settle()
                if self._shared is not None:
                    await self._drain(self._shared)
            except RensaiError as error:
                _LOG.warning("views wait to be written", error=error.private or error.message)
                return False
            except RedisDownError:
                return False
            return True

    async def close(self) -> None:
        """Write what is left, if that can be done in a few seconds."""
        try:
            async with asyncio.timeout(_LAST_SECONDS):
                await self.flush()
        except TimeoutError:
            _LOG.warning("views were not written in time")

    def _pause(self) -> float:
        if self._shared is not None:
            return HAND_OVER_SECONDS
        return _SOON if self._owed else self._every

    async def _settle(self) -> None:
        while self._owed:
            await write_batch(self._db, self._clock, self._owed[0])
            self._owed.popleft()

    async def _drain(self, shared: SharedViews) -> None:
        """Write what all processes have handed over; others may be doing so at the same time."""
        while (batch := await shared.take()) is not None:
            await write_batch(self._db, self._clock, batch)
            await shared.done(batch)
