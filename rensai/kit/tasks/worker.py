"""The worker: takes tasks, runs them side by side, keeps them alive, gives them back at the end."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from rensai.kit.errors import Unavailable
from rensai.kit.log import get_logger
from rensai.kit.tasks import store
from rensai.kit.tasks.attempt import attempt
from rensai.kit.tasks.cron import Cron
from rensai.kit.tasks.declare import AnyTask
from rensai.kit.tasks.endings import Buried, GivenBack, Lost, Run
from rensai.kit.tasks.line import Connect, Line, LineDownError
from rensai.kit.tasks.pick import Pick, Picker
from rensai.kit.tasks.recorder import Recorder

if TYPE_CHECKING:
    from rensai.kit.services import Services

_log = get_logger("rensai.tasks")

_STUBBORN_SECONDS = 2.0
_LAST_WORDS_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How much a worker does at once and how often it looks."""

    slots: int = 64
    heartbeat: timedelta = timedelta(seconds=12)
    """A worker that is silent for so long has died, and its tasks are taken by others."""

    poll: timedelta = timedelta(seconds=2)
    """The queue tells of new tasks by itself; this is for when that word got lost."""


class Worker:
    """Runs tasks until told to stop. Nothing that a task or the database does ends it."""

    def __init__(
        self,
        services: "Services",
        tasks: Sequence[AnyTask],
        connect: Connect,
        pace: Pace | None = None,
    ) -> None:
        self.id = uuid4()
        self._services = services
        self._pace = pace or Pace()
        self._tasks = {task.name: task for task in tasks}
        self._held: dict[int, Run] = {}
        self._busy = 0
        self._wake = asyncio.Event()
        self._picks = Line(connect, listen=(store.CHANNEL, self._wake.set))
        self._words = Line(connect)
        self._picker = Picker(self.id, self._picks, tasks, self._pace.heartbeat)
        self._recorder = Recorder(self.id, self._words, self._forget)
        self._cron = Cron(services.db, tasks)

    async def run(self, stop: asyncio.Event, shutdown: timedelta) -> None:
        """Work until `stop`; then what runs gets `shutdown` to end, and the rest goes back."""
        silence = self._pace.heartbeat.total_seconds()
        background = [
            asyncio.create_task(_forever("record", self._recorder.step)),
            asyncio.create_task(_forever("beat", self._beat, every=silence / 4)),
            asyncio.create_task(_forever("count", self._recorder.flush_totals, every=5.0)),
            asyncio.create_task(_forever("schedule", self._cron.step)),
        ]
        stopping = asyncio.create_task(stop.wait())
        stopping.add_done_callback(lambda _: self._wake.set())
        try:
            await self._work(stop)
            await self._finish(shutdown)
        finally:
            await _cancel([stopping, *background])
            for run in self._held.values():
                run.withdraw(GivenBack())
            await asyncio.gather(self._picks.close(), self._words.close())

    async def _work(self, stop: asyncio.Event) -> None:
        patience = _Patience(self._pace.poll.total_seconds())
        while not stop.is_set():
            self._wake.clear()
            room = self._pace.slots - self._busy
            try:
                taken = await self._take(room) if room > 0 else 0
                if taken < room:
                    due = None if taken else await self._picker.seconds_to_next()
                    await self._sleep(patience.after(taken, due))
                elif self._busy >= self._pace.slots:
                    await self._sleep(patience.longest)
            except LineDownError as error:
                _log.warning("the database cannot be reached", error=str(error))
                await asyncio.sleep(patience.broken())
            except Exception:  # noqa: BLE001 - the worker outlives whatever goes wrong
                _log.exception("taking tasks failed")
                await asyncio.sleep(patience.broken())

    async def _sleep(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), seconds)

    async def _take(self, room: int) -> int:
        """Pick tasks and start them; the answer is how many there were."""
        picks = await self._picker.take(room)
        for pick in picks:
            self._start(pick)
        return len(picks)

    def _start(self, pick: Pick) -> None:
        known = self._held.get(pick.id)
        if known is not None:
            # Our own heartbeats came late and we took it from ourselves: it still runs here.
            known.stamp = pick.stamp
            return
        run = Run(
            id=pick.id,
            task=self._tasks[pick.task],
            payload=pick.payload or b"",
            attempts=pick.attempts,
            stamp=pick.stamp,
        )
        self._held[run.id] = run
        if run.attempts >= run.task.retry.attempts:
            error = f"{run.attempts} attempts, the last of which ended its worker"
            self._recorder.add(run, Buried(run.attempts, error, None))
            return
        self._busy += 1
        run.job = asyncio.create_task(self._attempt(run))

    async def _attempt(self, run: Run) -> None:
        clock = asyncio.get_running_loop().time
        began = clock()
        ending = await attempt(self._services, run)
        run.seconds = clock() - began
        self._recorder.add(run, ending)
        self._busy -= 1
        if self._busy <= self._pace.slots * 3 // 4:
            self._wake.set()

    def _forget(self, run: Run) -> None:
        self._held.pop(run.id, None)

    async def _beat(self) -> None:
        """Say that we are alive; what is no longer ours is stopped at once."""
        before = {run.id: run for run in self._held.values()}
        if not before:
            return
        ours = {
            held.id: held.stamp for held in await self._words.ask(store.BEAT, self.id, list(before))
        }
        for run in before.values():
            if run.id not in ours and run.job is not None and not run.job.done():
                run.withdraw(Lost())

    async def _finish(self, shutdown: timedelta) -> None:
        jobs = {run.job for run in self._held.values() if run.job and not run.job.done()}
        if jobs:
            _log.info("waiting for running tasks", tasks=len(jobs))
            await asyncio.wait(jobs, timeout=shutdown.total_seconds())
        for run in self._held.values():
            if run.job is not None and not run.job.done():
                run.withdraw(GivenBack())
        unfinished = {job for job in jobs if not job.done()}
        if unfinished:
            await asyncio.wait(unfinished, timeout=_STUBBORN_SECONDS)
        for run in self._held.values():
            if run.job is not None and not run.job.done():
                self._recorder.add(run, GivenBack())
        with suppress(TimeoutError, LineDownError):
            async with asyncio.timeout(_LAST_WORDS_SECONDS):
                await self._recorder.flush()
                await self._recorder.flush_totals()


class _Patience:
    """How long to wait before looking again."""

    def __init__(self, longest: float) -> None:
        self.longest = longest
        self._shortest = min(0.05, longest)
        self._wait = self._shortest

    def after(self, taken: int, due: float | None) -> float:
        """Until the next task is due; one that is due and was not to be had: a little longer
        each time, since somebody else holds it or its limit is reached."""
        if taken or due is None:
            self._wait = self._shortest
            return self.longest
        if due > 0:
            return min(self.longest, due + 0.001)
        return self.broken()

    def broken(self) -> float:
        self._wait = min(self._wait * 2, self.longest)
        return self._wait


async def _forever(name: str, step: Callable[[], Awaitable[None]], *, every: float = 0.0) -> None:
    """Repeat a step; when it fails, say so and go on, a little later each time."""
    patience = _Patience(2.0)
    while True:
        await asyncio.sleep(every)
        try:
            await step()
        except (LineDownError, Unavailable):
            await asyncio.sleep(patience.broken())
        except Exception:  # noqa: BLE001 - the worker outlives whatever goes wrong
            _log.exception("a part of the worker failed", part=name)
            await asyncio.sleep(patience.broken())
        else:
            patience.after(1, None)


async def _cancel(jobs: Sequence[asyncio.Task[Any]]) -> None:
    for job in jobs:
        job.cancel()
    await asyncio.gather(*jobs, return_exceptions=True)
