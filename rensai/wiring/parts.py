"""What a web process has besides its services: made with it, at work from its first request to
its last.

Handlers ask for a part by its name, as they ask for `services`.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta

from litestar import Litestar
from litestar.di import Provide

from rensai.kit.recently import Recently
from rensai.kit.services import Services
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.readers.door import LastUsed
from rensai.rooms.search.door import Index, UnmutedLists
from rensai.rooms.shelf.door import ProgressBuffer, ShelfMarks

PART_NAMES = ("index", "last_used", "progress", "read_marks")


class Parts:
    """One of each part."""

    def __init__(self, services: Services) -> None:
        config = services.config
        self._services = services
        self.index = Index()
        self.unmuted = UnmutedLists(self.index)
        seen = Recently(catalogue.SAME_VISIT, config.data_dir / "run" / "seen")
        self.views = catalogue.Views(config.session_secret, seen)
        self.last_used = LastUsed(services.db, services.clock)
        every = timedelta(seconds=config.progress_flush_seconds)
        self.progress = ProgressBuffer(services.db, services.clock, every)
        self.read_marks = ShelfMarks(services.db.primary, self.progress)

    def dependencies(self) -> dict[str, Provide]:
        """What handlers may ask for."""
        return {name: self._provided(name) for name in PART_NAMES}

    def state(self) -> dict[str, object]:
        """What edges take from the application by its type, where each microsecond counts."""
        return {"Views": self.views, "UnmutedLists": self.unmuted}

    def _provided(self, name: str) -> Provide:
        part = getattr(self, name)
        return Provide(lambda: part, sync_to_thread=False)

    @asynccontextmanager
    async def working(self, _: Litestar) -> AsyncGenerator[None, None]:
        """Within it the parts are at work; what they still hold is written at its end."""
        self.index.begin(self._services.db.replica)
        self.progress.start()
        async with self._counting():
            yield
        await self.progress.close()
        await self.last_used.close()
        await self.index.close()

    @asynccontextmanager
    async def _counting(self) -> AsyncGenerator[None, None]:
        services = self._services
        flusher = catalogue.Flusher(
            self.views,
            services.db,
            services.clock,
            every=services.config.views_flush_seconds,
            redis=services.redis,
        )
        running = asyncio.create_task(flusher.run())
        try:
            yield
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await flusher.close()
