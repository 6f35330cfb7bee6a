"""Schedules: whoever is first when one is due moves it on and asks for the task, in one step."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import croniter

from rensai.kit.db import Database
from rensai.kit.tasks import store
from rensai.kit.tasks.declare import AnyTask
from rensai.kit.tasks.enqueue import enqueue_requests, request

_LOOK_SECONDS = 30.0


def next_run(expression: str, after: datetime) -> datetime:
    """The first time after the given one that the expression names, in UTC."""
    return croniter.croniter(expression, after.astimezone(UTC)).get_next(datetime)


class Cron:
    """The schedules of the tasks that this worker knows."""

    def __init__(self, db: Database, tasks: Sequence[AnyTask]) -> None:
        self._db = db
        self._tasks = {task.name: task for task in tasks if task.schedule is not None}
        self._known = False

    async def step(self) -> None:
        """Make the schedules known, ask for what is due, and sleep until the next one is."""
        if not self._tasks:
            await asyncio.Event().wait()
        if not self._known:
            await self.declare()
            self._known = True
        await self.run_due()
        wait = await self._db.queue.first(store.NEXT_SCHEDULE, list(self._tasks))
        await asyncio.sleep(min(_LOOK_SECONDS, max(0.01, wait or 0.0)))

    async def run_due(self) -> int:
        """Ask for every task that is due; how many there were. Missed times count once."""
        names = list(self._tasks)
        async with self._db.queue.transaction() as tx:
            due = await tx.all(store.TAKE_SCHEDULES, names)
            if not due:
                return 0
            tasks = [self._tasks[one.task] for one in due]
            await tx.all(
                store.MOVE_SCHEDULES,
                [one.id for one in due],
                [next_run(one.expression, one.now) for one in due],
            )
            await enqueue_requests(tx, [request(task, task.args_type()) for task in tasks])
        return len(due)

    async def declare(self) -> None:
        """Make the schedules known; a changed one replaces what was there."""
        names = list(self._tasks)
        expressions = [task.schedule or "" for task in self._tasks.values()]
        async with self._db.queue.transaction() as tx:
            now = (await tx.all(store.NOW))[0]
            await tx.all(
                store.DECLARE_SCHEDULES,
                names,
                expressions,
                [next_run(expression, now) for expression in expressions],
            )
