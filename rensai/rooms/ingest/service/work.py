"""A worker of the ingest queue: claims batches and works through them until told to stop.

Several batches are under way at once, each in a transaction of its own. A word from the queue, or
the time at which the next job is due, wakes those that wait. Whatever happens, the worker goes on;
what it holds when it is told to stop goes back to the queue, and what it holds when it is killed
is taken from it after two minutes.
"""

import asyncio
import os
import secrets
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from rensai.kit.errors import Unavailable
from rensai.kit.log import get_logger
from rensai.kit.services import Services
from rensai.kit.tasks.line import Line, LineDownError, direct
from rensai.rooms.ingest.service import claims
from rensai.rooms.ingest.service.endings import Tally
from rensai.rooms.ingest.service.pace import Pace, memory_used
from rensai.rooms.ingest.service.process import Bench, process
from rensai.rooms.ingest.service.totals import add_totals
from rensai.rooms.ingest.store import queue as store
from rensai.rooms.ingest.store.queue import Job

_log = get_logger("rensai.ingest")

_POLL_SECONDS = 2.0
_TOTALS_SECONDS = 5.0
_BROKEN_SECONDS = 1.0
_LOOK_FOR_SUSPECTS = 8
"""Of so many full batches one is left out to look for suspects."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """When a worker ends by itself."""

    jobs: int | None = None
    runtime: timedelta | None = None
    memory: int | None = None
    """In bytes: a worker that is larger stops, so that another begins small."""

    drained: bool = False
    """When nothing is due."""


class Worker:
    """Works on the jobs of one type."""

    def __init__(
        self,
        services: Services,
        job_type: str,
        *,
        concurrency: int = 1,
        bounds: Bounds | None = None,
        largest: int | None = None,
        poll: float = _POLL_SECONDS,
    ) -> None:
        """`largest` bounds a batch, else it adapts itself."""
        self.name = f"{socket.gethostname()[:30]}:{os.getpid()}:{secrets.token_hex(6)}"
        self.done = 0
        self._services = services
        self._job_type = job_type
        self._concurrency = concurrency
        self._bounds = bounds or Bounds()
        self._pace = Pace() if largest is None else Pace(largest)
        self._adapts = largest is None
        self._poll = poll
        self._stop = asyncio.Event()
        self._news = asyncio.Event()
        self._log_kept = timedelta(days=services.config.ingest_log_days)
        self._line = Line(direct(services.db.queue.url), listen=(store.CHANNEL, self._news.set))
        self._tally = Tally()
        self._claimed = 0
        self._held: dict[int, Job] = {}
        self._left: list[Job] = []

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop`, or until a bound is reached."""
        background = [
            asyncio.create_task(self._forever(self._keep, claims.BEAT.total_seconds())),
            asyncio.create_task(self._forever(self._reap, claims.BEAT.total_seconds())),
            asyncio.create_task(self._forever(self.flush_totals, _TOTALS_SECONDS)),
            asyncio.create_task(self._forever(self._listen, 0.0)),
            asyncio.create_task(self._hear(stop)),
        ]
        working = {asyncio.create_task(self._work()) for _ in range(self._concurrency)}
        stopping = asyncio.create_task(self._stop.wait())
        everybody = asyncio.ensure_future(asyncio.gather(*working))
        try:
            await asyncio.wait({stopping, everybody}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait(working, timeout=self._services.config.shutdown_seconds)
        finally:
            # What is under way is rolled back.
            for one in (stopping, everybody, *background):
                one.cancel()
            await asyncio.gather(stopping, everybody, *background, return_exceptions=True)
            await asyncio.gather(*working, return_exceptions=True)
            await self._say_goodbye()

    async def _say_goodbye(self) -> None:
        self._left = list(self._held.values())
        try:
            await self._give_back()
            await self.flush_totals()
        except Unavailable as error:
            _log.warning("items could not be given back", error=error.private or str(error))
        await self._line.close()

    async def _hear(self, stop: asyncio.Event) -> None:
        runtime = self._bounds.runtime
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), runtime.total_seconds() if runtime else None)
        self._end()

    def _end(self) -> None:
        self._stop.set()
        self._news.set()

    async def _work(self) -> None:
        rounds = 0
        while not self._stop.is_set():
            rounds += 1
            size = self._allowance()
            if size == 0:
                return
            try:
                self._news.clear()
                first_suspects = rounds % _LOOK_FOR_SUSPECTS == 0
                if not await self._round(size, first_suspects=first_suspects):
                    if self._bounds.drained:
                        return
                    await self._rest()
            except Unavailable as error:
                _log.warning("the database cannot be reached", error=error.private or str(error))
                await self._sleep(_BROKEN_SECONDS)
            except Exception:  # noqa: BLE001 - the worker outlives whatever goes wrong
                _log.exception("a batch failed")
                await self._sleep(_BROKEN_SECONDS)

    async def _round(self, size: int, *, first_suspects: bool) -> int:
        """Claim a batch and work through it; how many jobs that were."""
        if self._left:
            await self._give_back()
        for suspect in (first_suspects, not first_suspects):
            jobs = await self._claim(1 if suspect else size, suspect=suspect)
            if jobs:
                break
        else:
            return 0
        await self._through(jobs)
        if self._bounds.memory is not None and memory_used() > self._bounds.memory:
            _log.warning("the worker has grown too large and stops", bytes=memory_used())
            self._end()
        return len(jobs)

    async def _claim(self, size: int, *, suspect: bool) -> list[Job]:
        services = self._services
        jobs: list[Job] = []
        self._claimed += size  # before others ask how many they may have
        try:
            jobs = await claims.claim(
                services.db, services.clock, self._job_type, self.name, size, suspect=suspect
            )
        finally:
            self._claimed -= size - len(jobs)
        self._held.update((job.id, job) for job in jobs)
        return jobs

    async def _through(self, jobs: list[Job]) -> None:
        services = self._services
        bench = Bench(
            services.db,
            services.clock,
            self._job_type,
            self.name,
            self._stop.is_set,
            log_kept=self._log_kept,
        )
        began = asyncio.get_running_loop().time()
        left = jobs
        try:
            left = await process(bench, jobs)
        finally:
            self._tally.add(bench.tally)
            self._left += left  # those of them that have ended are not ours to give back
            for job in jobs:
                self._held.pop(job.id, None)
            self._held.update((job.id, job) for job in left)
        self.done += len(jobs) - len(left)
        if self._adapts:
            self._pace.learn(len(jobs), asyncio.get_running_loop().time() - began)

    async def _give_back(self) -> None:
        """Let others have what we have not ended, as soon as the database hears us."""
        left, self._left = self._left, []
        try:
            await claims.give_back(self._services.db, self._services.clock, left, self.name)
        except BaseException:
            self._left += left
            raise
        for job in left:
            self._held.pop(job.id, None)

    def _allowance(self) -> int:
        if self._bounds.jobs is None:
            return self._pace.size
        return max(0, min(self._pace.size, self._bounds.jobs - self._claimed))

    async def _rest(self) -> None:
        services = self._services
        due = await store.next_due(services.db.primary, self._job_type, services.clock.now())
        await self._sleep(self._poll if due is None else min(self._poll, max(0.05, due)))

    async def _sleep(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), seconds)

    async def _keep(self) -> None:
        if self._held:
            held = list(self._held.values())
            await claims.keep(self._services.db, self._services.clock, held, self.name)

    async def _reap(self) -> None:
        services = self._services
        if found := await claims.reap(services.db, services.clock, log_kept=self._log_kept):
            _log.warning("took items from workers that had ended", items=found)
            self._news.set()

    async def _listen(self) -> None:
        """Keep a connection that hears of new requests; asked for now and then, it mends itself."""
        await self._line.ask(store.ALIVE)
        await asyncio.sleep(self._poll * 5)

    async def flush_totals(self) -> None:
        """Add what has been counted since the last time to the totals of all workers."""
        if not self._tally:
            return
        counted, self._tally = self._tally, Tally()
        try:
            await add_totals(self._services.db, self._job_type, counted)
        except BaseException:
            self._tally.add(counted)
            raise

    async def _forever(self, step: Callable[[], Awaitable[None]], every: float) -> None:
        while True:
            try:
                await step()
            except (Unavailable, LineDownError):
                await asyncio.sleep(_BROKEN_SECONDS)
            except Exception:  # noqa: BLE001 - the worker outlives whatever goes wrong
                _log.exception("a part of the worker failed")
                await asyncio.sleep(_BROKEN_SECONDS)
            await asyncio.sleep(every)
