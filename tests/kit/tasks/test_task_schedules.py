"""Schedules: each time once, whoever is there, and not forgotten while nobody was."""

import asyncio
from datetime import UTC, datetime

import pytest

from rensai.kit.tasks import AnyTask, TaskContext, task
from rensai.kit.tasks.cron import Cron, next_run
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
