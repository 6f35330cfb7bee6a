"""A worker to test with: real tables, real tasks, and a look at what is left of them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import msgspec

from rensai.config import load
from rensai.kit.cache import open_cache
from rensai.kit.clock import SystemClock
from rensai.kit.db import Database
from rensai.kit.limits import Limits
from rensai.kit.services import Services
from rensai.kit.tasks import AnyTask, enqueue
from rensai.kit.tasks.line import direct
from rensai.kit.tasks.worker import Pace, Worker

QUICK = Pace(slots=8, heartbeat=timedelta(seconds=1), poll=timedelta(milliseconds=200))


class N(msgspec.Struct):
    """What the tasks of these tests take."""

    n: int = 0


class Workshop:
    """A database with a queue, and workers on it as they are asked for."""

    def __init__(self, database: Database, folder: Path) -> None:
        clock = SystemClock()
        self.db = database
        self.services = Services(
            config=load({"RENSAI_DATA_DIR": str(folder)}),
            db=database,
            clock=clock,
            cache=open_cache(clock),
            limits=Limits(clock),
        )

    def worker(self, tasks: Sequence[AnyTask], pace: Pace = QUICK) -> Worker:
        """A worker that is not running yet."""
        return Worker(self.services, tasks, direct(self.db.queue.url), pace)

    @asynccontextmanager
    async def working(
        self,
        *tasks: AnyTask,
        pace: Pace = QUICK,
        shutdown: timedelta = timedelta(seconds=2),
    ) -> AsyncGenerator[Worker, None]:
        """A running worker; it is stopped at the end."""
        worker = self.worker(tasks, pace)
        stop = asyncio.Event()
        running = asyncio.create_task(worker.run(stop, shutdown))
        try:
            yield worker
        finally:
            stop.set()
            await running

    async def ask(self, task: AnyTask, n: int = 0) -> int | None:
        """Ask for a task in a transaction of its own."""
        async with self.db.transaction() as tx:
            return await enqueue(tx, task, N(n))

    async def rows(self, statement: str, *args: object) -> list[tuple[object, ...]]:
        """Look at the tables themselves."""
        async with self.db.transaction() as tx:
            return [tuple(row) for row in await tx.connection.fetch(statement, *args)]

    async def change(self, statement: str, *args: object) -> None:
        """Play fate."""
        async with self.db.transaction() as tx:
            await tx.connection.execute(statement, *args)

    async def queue(self) -> list[tuple[object, ...]]:
        """Identifier, status and attempts of everything in the queue."""
        return await self.rows("select id, status::text, attempts from tasks.pgqueuer order by id")

    async def dead(self) -> list[tuple[object, ...]]:
        """Identifier, attempts and error of the dead letters."""
        return await self.rows("select id, attempts, error from tasks.dead order by id")

    async def dead_is_there(self, number: int = 1) -> bool:
        """Whether so many tasks have died."""
        return len(await self.dead()) == number


async def until(
    done: Callable[[], Awaitable[bool]] | Callable[[], bool], seconds: float = 10
) -> None:
    """Wait for something to become true, and fail if it does not."""
    async with asyncio.timeout(seconds):
        while True:
            answer = done()
            if answer if isinstance(answer, bool) else await answer:
                return
            await asyncio.sleep(0.01)
