"""What a worker process does without pause besides tasks: each takes the services and a stop."""

import asyncio
from collections.abc import Callable, Coroutine

from rensai.kit.services import Services
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.ingest import door as ingest

Loop = Callable[[Services, asyncio.Event], Coroutine[object, object, None]]


async def _ingest_stories(services: Services, stop: asyncio.Event) -> None:
    await ingest.Worker(services, ingest.STORIES).run(stop)


async def _ingest_chapters(services: Services, stop: asyncio.Event) -> None:
    # While one batch is at the database, the next is made ready.
    await ingest.Worker(services, ingest.CHAPTERS, concurrency=2).run(stop)


async def _recount_stories(services: Services, stop: asyncio.Event) -> None:
    await catalogue.RecountWorker(services).run(stop)


LOOPS: tuple[Loop, ...] = (_ingest_stories, _ingest_chapters, _recount_stories)
