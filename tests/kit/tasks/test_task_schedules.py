"""Schedules: each time once, whoever is there, and not forgotten while nobody was."""

import asyncio
import importlib
import importlib.util
import pkgutil
from datetime import UTC, datetime
from typing import cast

import pytest

import rensai.rooms
from rensai.kit.tasks import AnyTask, Task, TaskContext, task
from rensai.kit.tasks.cron import Cron, next_run
from rensai.wiring.task_table import TASKS
from tests.kit.tasks.workshop import N, Workshop, until

pytestmark = pytest.mark.anyio

ran: list[int] = []


@pytest.fixture(autouse=True)
def forget() -> None:
    ran.clear()


@task(schedule="0 3 * * *")
async def nightly(context: TaskContext, args: N) -> None:
    ran.append(context.task_id)


@task(schedule="* * * * * *")
async def every_second(context: TaskContext, args: N) -> None:
    ran.append(context.task_id)


async def _is_due(workshop: Workshop) -> None:
    await workshop.change(
        "update tasks.pgqueuer_schedules set next_run = now() - interval '3 days'"
    )


async def _declared(workshop: Workshop, *tasks: AnyTask) -> Cron:
    cron = Cron(workshop.db, tasks)
    await cron.declare()
    return cron


async def test_a_schedule_that_is_due_runs_once_however_many_workers_look(
    workshop: Workshop,
) -> None:
    crons = [await _declared(workshop, nightly) for _ in range(4)]
    assert sum([await cron.run_due() for cron in crons]) == 0
    await _is_due(workshop)
    assert sum(await asyncio.gather(*(cron.run_due() for cron in crons))) == 1
    assert sum([await cron.run_due() for cron in crons]) == 0
    assert len(await workshop.queue()) == 1


async def test_what_was_missed_while_nobody_worked_runs_once(workshop: Workshop) -> None:
    await _declared(workshop, nightly)
    await _is_due(workshop)
    async with workshop.working(nightly), workshop.working(nightly):
        await until(lambda: len(ran) == 1)
        await asyncio.sleep(0.5)
    assert len(ran) == 1
    upcoming = await workshop.rows("select next_run from tasks.pgqueuer_schedules")
    assert upcoming == [(next_run("0 3 * * *", datetime.now(UTC)),)]


async def test_a_worker_that_dies_between_looking_and_asking_loses_nothing(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    cron = await _declared(workshop, nightly)
    await _is_due(workshop)

    async def die(*_: object) -> None:
        raise RuntimeError("the power went")

    with monkeypatch.context() as patched:
        patched.setattr("rensai.kit.tasks.cron.enqueue_requests", die)
        with pytest.raises(RuntimeError):
            await cron.run_due()
    assert await cron.run_due() == 1


async def test_a_changed_schedule_replaces_the_old_one(workshop: Workshop) -> None:
    await _declared(workshop, nightly)
    await workshop.change("update tasks.pgqueuer_schedules set expression = '0 4 * * *'")
    await _declared(workshop, nightly)
    rows = await workshop.rows("select entrypoint, expression from tasks.pgqueuer_schedules")
    assert rows == [(nightly.name, "0 3 * * *")]


async def test_workers_keep_the_beat_together(workshop: Workshop) -> None:
    async with workshop.working(every_second), workshop.working(every_second):
        await asyncio.sleep(3.5)
    rows = await workshop.rows(
        "select count(*), count(distinct date_trunc('second', created)) from tasks.pgqueuer_log"
        " where status = 'picked'"
    )
    runs, seconds = rows[0]
    assert runs == seconds == len(ran)
    assert 3 <= len(ran) <= 4


def test_a_schedule_counts_in_utc() -> None:
    after = datetime.fromisoformat("2026-03-29T01:30:00+02:00")
    assert next_run("0 3 * * *", after) == datetime(2026, 3, 29, 3, tzinfo=UTC)


def test_every_schedule_of_the_installation_can_be_read() -> None:
    now = datetime.now(UTC)
    for one in TASKS:
        assert one.schedule is None or next_run(one.schedule, now) > now, one


def test_every_task_of_every_room_has_a_worker() -> None:
    rooms = [room.name for room in pkgutil.iter_modules(rensai.rooms.__path__, "rensai.rooms.")]
    edges = [f"{room}.tasks" for room in rooms if importlib.util.find_spec(f"{room}.tasks")]
    declared: set[AnyTask] = set()
    for edge in edges:
        contents: list[object] = list(vars(importlib.import_module(edge)).values())
        declared |= {cast("AnyTask", one) for one in contents if isinstance(one, Task)}
    assert declared
    assert declared <= set(TASKS)
