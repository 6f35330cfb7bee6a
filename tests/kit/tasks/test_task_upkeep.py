"""Housekeeping: what is old or too much goes, and nothing else."""

from datetime import timedelta

import pytest

from rensai.kit.tasks import TaskContext, task, upkeep
from rensai.kit.tasks.cron import Cron
from tests.kit.tasks.workshop import N, Workshop, until

pytestmark = pytest.mark.anyio


@task()
async def known(context: TaskContext, args: N) -> None:
    """Does nothing."""


async def _count(workshop: Workshop, table: str, where: str = "true") -> object:
    return (await workshop.rows(f"select count(*) from tasks.{table} where {where}"))[0][0]  # noqa: S608


async def _dead(workshop: Workshop, number: int, age: timedelta) -> None:
    await workshop.change(
        "insert into tasks.dead (id, task, priority, attempts, error, created_at, died_at)"
        " select nextval('tasks.pgqueuer_id_seq'), 'x', 0, 3, 'e', now(), now() - $2::interval"
        " from generate_series(1, $1)",
        number,
        age,
    )


async def _log(workshop: Workshop, status: str, number: int, age: timedelta) -> None:
    await workshop.change(
        "insert into tasks.pgqueuer_log (job_id, status, priority, entrypoint, created)"
        " select n, $1::text::tasks.pgqueuer_status, 0, 'x', now() - $3::interval"
        " from generate_series(1, $2) as n",
        status,
        number,
        age,
    )


async def test_dead_letters_stay_a_week(workshop: Workshop) -> None:
    await _dead(workshop, 30, timedelta(days=6, hours=23))
    await _dead(workshop, 20, timedelta(days=7, minutes=1))
    await upkeep.prune(workshop.db)
    assert await _count(workshop, "dead") == 30


async def test_no_more_than_five_thousand_dead_letters_stay(workshop: Workshop) -> None:
    await _dead(workshop, 12_000, timedelta(days=2))
    await _dead(workshop, 4_000, timedelta(days=1))
    await upkeep.prune(workshop.db)
    assert await _count(workshop, "dead") == 5_000
    assert await _count(workshop, "dead", "died_at > now() - interval '25 hours'") == 4_000


async def test_completed_tasks_stay_an_hour_and_no_more_than_a_thousand(
    workshop: Workshop,
) -> None:
    await _log(workshop, "successful", 500, timedelta(minutes=61))
    await _log(workshop, "successful", 300, timedelta(minutes=59))
    await upkeep.prune(workshop.db)
    assert await _count(workshop, "pgqueuer_log") == 300
    await _log(workshop, "picked", 9_000, timedelta(minutes=1))
    await _log(workshop, "successful", 2_000, timedelta(minutes=1))
    await upkeep.prune(workshop.db)
    assert await _count(workshop, "pgqueuer_log", "status = 'successful'") == 1_000
    assert await _count(workshop, "pgqueuer_log", "status = 'picked'") == 0


async def test_failures_outlive_what_went_well(workshop: Workshop) -> None:
    await _log(workshop, "exception", 10, timedelta(days=8))
    await _log(workshop, "exception", 6_000, timedelta(days=1))
    await _log(workshop, "successful", 10, timedelta(minutes=1))
    await upkeep.prune(workshop.db)
    assert await _count(workshop, "pgqueuer_log", "status = 'exception'") == 5_000
    assert await _count(workshop, "pgqueuer_log", "status = 'successful'") == 10


async def test_old_statistics_and_forgotten_schedules_go(workshop: Workshop) -> None:
    await workshop.change(
        "insert into tasks.pgqueuer_statistics (count, priority, status, entrypoint, created)"
        " select 1, n, 'successful', 'x', now() - n * interval '1 day'"
        " from generate_series(1, 10) as n"
    )
    await workshop.change(
        "insert into tasks.pgqueuer_schedules (expression, entrypoint, next_run, last_run, created)"
        " values ('a', 'gone', now() - interval '8 days', null, now() - interval '9 days'),"
        " ('b', 'yearly', now() + interval '300 days', now() - interval '65 days', now()),"
        " ('c', 'late', now() - interval '8 days', now() - interval '9 days', now())"
    )
    await upkeep.prune(workshop.db)
    assert await _count(workshop, "pgqueuer_statistics") == 6
    assert await workshop.rows("select entrypoint from tasks.pgqueuer_schedules") == [("yearly",)]


async def test_a_task_that_nobody_has_known_for_an_hour_is_dead(workshop: Workshop) -> None:
    await workshop.ask(known)
    await workshop.change(
        "insert into tasks.pgqueuer (priority, status, entrypoint, execute_after, heartbeat)"
        " values (0, 'queued', 'old', now() - interval '2 hours', now() - interval '2 hours'),"
        " (0, 'queued', 'new', now(), now()),"
        " (0, 'queued', 'later', now() + interval '1 day', now() - interval '2 hours')"
    )
    await upkeep.bury_unknown(workshop.db, [known.name])
    rest = await workshop.rows("select entrypoint from tasks.pgqueuer order by id")
    assert rest == [(known.name,), ("new",), ("later",)]
    assert await workshop.rows("select task, error from tasks.dead") == [
        ("old", "no worker knows this task")
    ]


async def test_every_worker_of_the_installation_keeps_the_queue_tidy(workshop: Workshop) -> None:
    tasks = [known]
    keeper = upkeep.upkeep(lambda: tasks)
    tasks.append(keeper)
    await _dead(workshop, 3, timedelta(days=8))
    await Cron(workshop.db, tasks).declare()
    await workshop.change(
        "update tasks.pgqueuer_schedules set next_run = now() - interval '1 minute'"
    )

    async def tidy() -> bool:
        return await _count(workshop, "dead") == 0

    async with workshop.working(*tasks):
        await until(tidy)
