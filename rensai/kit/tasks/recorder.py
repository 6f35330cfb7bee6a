"""Writes down how attempts ended: many in one statement, and only what this worker still owns."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from uuid import UUID

import asyncpg

from rensai.kit.db import Query
from rensai.kit.log import get_logger
from rensai.kit.tasks import store
from rensai.kit.tasks.endings import Buried, Ending, GivenBack, Lost, Retried, Run, Succeeded
from rensai.kit.tasks.line import Line

_log = get_logger("rensai.tasks")

_STATEMENTS: dict[type[Ending], Query[int]] = {
    Succeeded: store.SUCCEEDED,
    Retried: store.RETRIED,
    Buried: store.BURIED,
    GivenBack: store.GIVEN_BACK,
}
_OUTCOMES: dict[type[Ending], str] = {
    Succeeded: "succeeded",
    Retried: "retried",
    Buried: "died",
    GivenBack: "given_back",
    Lost: "lost",
}

Ended = tuple[Run, Ending]


class Recorder:
    """Endings wait here until the database has them, however long that takes."""

    def __init__(self, worker: UUID, line: Line, forget: Callable[[Run], None]) -> None:
        self._worker = worker
        self._line = line
        self._forget = forget
        self._waiting: list[Ended] = []
        self._totals: defaultdict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0.0])
        self._new = asyncio.Event()
        self._busy = asyncio.Lock()

    def add(self, run: Run, ending: Ending) -> None:
        """Record this ending soon."""
        self._waiting.append((run, ending))
        self._new.set()

    async def step(self) -> None:
        """Wait for endings and write down what has gathered."""
        await self._new.wait()
        await self.flush()

    async def flush(self) -> None:
        """Write down everything that has ended so far; what cannot be written keeps waiting."""
        async with self._busy:
            self._new.clear()
            groups: defaultdict[type[Ending], list[Ended]] = defaultdict(list)
            for one in self._waiting:
                groups[type(one[1])].append(one)
            self._waiting = []
            try:
                for kind in list(groups):
                    await self._record(kind, groups[kind])
                    del groups[kind]
            finally:
                for group in groups.values():
                    self._waiting.extend(group)
                    self._new.set()

    async def flush_totals(self) -> None:
        """Add what has been counted since the last time to the totals of all workers."""
        if not self._totals:
            return
        counted, self._totals = self._totals, defaultdict(lambda: [0, 0.0])
        try:
            await self._line.ask(
                store.ADD_TOTALS,
                [task for task, _ in counted],
                [outcome for _, outcome in counted],
                [int(count) for count, _ in counted.values()],
                [seconds for _, seconds in counted.values()],
            )
        except BaseException:
            for key, (count, seconds) in counted.items():
                self._count(key, count, seconds)
            raise

    async def _record(self, kind: type[Ending], group: Sequence[Ended]) -> None:
        """Record endings of one kind in one statement, or one by one if that one is refused."""
        if kind is Lost:
            self._settle(kind, group, owned=set())
            return
        runs = [run for run, _ in group]
        columns = zip(*(ending for _, ending in group), strict=True)
        try:
            owned = await self._line.ask(
                _STATEMENTS[kind],
                self._worker,
                [run.id for run in runs],
                [run.stamp for run in runs],
                *map(list, columns),
            )
        except asyncpg.PostgresError:
            if len(group) > 1:
                for one in group:
                    await self._record(kind, [one])
                return
            # Without heartbeats it is picked again, and each time counts as an attempt.
            _log.exception("the ending of a task cannot be recorded", task=runs[0].task.name)
            self._forget(runs[0])
            return
        self._settle(kind, group, owned=set(owned))

    def _settle(self, kind: type[Ending], group: Sequence[Ended], owned: set[int]) -> None:
        for run, ending in group:
            self._forget(run)
            outcome = _OUTCOMES[kind if run.id in owned else Lost]
            self._count((run.task.name, outcome), 1, run.seconds)
            if outcome == "lost":
                _log.warning("another worker took over a task", task=run.task.name, id=run.id)
            elif isinstance(ending, Retried | Buried):
                _log.warning(
                    "a task failed",
                    task=run.task.name,
                    id=run.id,
                    outcome=outcome,
                    error=ending.error,
                    traceback=ending.traceback,
                )

    def _count(self, key: tuple[str, str], count: float, seconds: float) -> None:
        total = self._totals[key]
        total[0] += count
        total[1] += seconds
