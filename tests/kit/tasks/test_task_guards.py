"""What happens when a worker dies, falls silent, loses its database or is told to stop."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest

from rensai.kit.tasks import PermanentFailure, Retry, TaskContext, enqueue_many, task
from rensai.kit.tasks.worker import Pace
from tests.kit.tasks.workshop import QUICK, N, Workshop, until

pytestmark = pytest.mark.anyio

started: list[int] = []
ended: list[int] = []
cancelled: list[int] = []


class Gate:
    """Closed until a test opens it."""

    is_open = False

    def open(self) -> None:
        self.is_open = True

    async def passed(self) -> None:
        while not self.is_open:  # noqa: ASYNC110 - it outlives the loop of one test
            await asyncio.sleep(0.005)


gate = Gate()


@pytest.fixture(autouse=True)
def forget() -> None:
    for record in (started, ended, cancelled):
        record.clear()
    gate.is_open = False


@task(retry=Retry(attempts=3, first=timedelta(milliseconds=10)))
async def waits(context: TaskContext, args: N) -> None:
    """Runs until the test opens the gate; fails in the way that its number says."""
    started.append(context.attempt)
    try:
        await gate.passed()
    except asyncio.CancelledError:
        cancelled.append(context.attempt)
        raise
    ended.append(context.attempt)
    if args.n == 1:
        raise ValueError("again")
    if args.n == 2:
        raise PermanentFailure("never")


@task()
async def stubborn(context: TaskContext, args: N) -> None:
    """Takes no notice of being cancelled, for longer than a worker waits."""
    started.append(context.attempt)
    for _ in range(2):
        try:
            await asyncio.sleep(4)
        except asyncio.CancelledError:
            cancelled.append(context.attempt)


async def _picked_by_a_worker_that_died(workshop: Workshop, attempts: int) -> int:
    made = await workshop.ask(waits)
    await workshop.change(
        "update tasks.pgqueuer set status = 'picked', queue_manager_id = $1, attempts = $2,"
        " heartbeat = now() - interval '1 minute', updated = now() - interval '1 minute'",
        uuid4(),
        attempts,
    )
    assert made is not None
    return made


async def test_a_crashed_worker_counts_as_an_attempt(workshop: Workshop) -> None:
    await _picked_by_a_worker_that_died(workshop, attempts=0)
    gate.open()
    async with workshop.working(waits):
        await until(lambda: ended == [2])


async def test_a_task_that_ends_its_worker_each_time_becomes_dead(workshop: Workshop) -> None:
    made = await _picked_by_a_worker_that_died(workshop, attempts=2)
    async with workshop.working(waits):
        await until(workshop.dead_is_there)
    assert started == []
    assert await workshop.dead() == [(made, 3, "3 attempts, the last of which ended its worker")]


@pytest.mark.parametrize("outcome", [0, 1, 2], ids=["succeeds", "fails", "fails for good"])
async def test_a_worker_that_lost_a_task_cannot_say_how_it_ended(
    workshop: Workshop, outcome: int
) -> None:
    made = await workshop.ask(waits, outcome)
    other = uuid4()
    deaf = Pace(heartbeat=timedelta(minutes=1), poll=timedelta(milliseconds=200))
    async with workshop.working(waits, pace=deaf):
        await until(lambda: started == [1])
        await workshop.change("update tasks.pgqueuer set queue_manager_id = $1", other)
        gate.open()
        await until(lambda: ended == [1])
        await asyncio.sleep(0.3)
    rows = await workshop.rows(
        "select id, status::text, attempts, queue_manager_id from tasks.pgqueuer"
    )
    assert [(*row[:3], str(row[3])) for row in rows] == [(made, "picked", 1, str(other))]
    assert await workshop.dead() == []


async def test_a_worker_cannot_end_a_later_pick_of_its_own(workshop: Workshop) -> None:
    made = await workshop.ask(waits)
    async with workshop.working(waits, pace=Pace(heartbeat=timedelta(minutes=1))):
        await until(lambda: started == [1])
        await workshop.change("update tasks.pgqueuer set updated = now()")
        gate.open()
        await until(lambda: ended == [1])
        await asyncio.sleep(0.3)
        assert await workshop.queue() == [(made, "picked", 0)]


async def test_a_task_that_another_worker_took_is_stopped_here(workshop: Workshop) -> None:
    await workshop.ask(waits)
    async with workshop.working(waits):
        await until(lambda: started == [1])
        await workshop.change("update tasks.pgqueuer set queue_manager_id = $1", uuid4())
        await until(lambda: cancelled == [1], seconds=2)


async def test_a_long_task_keeps_its_worker(workshop: Workshop) -> None:
    await workshop.ask(waits)
    async with workshop.working(waits), workshop.working(waits):
        await asyncio.sleep(3 * QUICK.heartbeat.total_seconds())
        gate.open()
        await until(lambda: ended == [1])
    assert started == [1]
    assert await workshop.queue() == []


async def test_a_worker_that_takes_a_task_from_itself_goes_on_with_it(workshop: Workshop) -> None:
    await workshop.ask(waits)
    slow_heart = Pace(heartbeat=timedelta(seconds=4), poll=timedelta(milliseconds=50))
    async with workshop.working(waits, pace=slow_heart):
        await until(lambda: started == [1])
        before = await workshop.rows("select updated from tasks.pgqueuer")
        await workshop.change("update tasks.pgqueuer set heartbeat = now() - interval '1 hour'")

        async def taken_again() -> bool:
            return await workshop.rows("select updated from tasks.pgqueuer") != before

        await until(taken_again)
        gate.open()
        await until(lambda: ended == [1])
    assert started == [1]
    assert await workshop.queue() == []


async def test_what_runs_may_end_when_the_worker_stops(workshop: Workshop) -> None:
    await workshop.ask(waits)
    async with workshop.working(waits):
        await until(lambda: started == [1])
        asyncio.get_running_loop().call_later(0.5, gate.open)
    assert ended == [1]
    assert await workshop.queue() == []


async def test_what_does_not_end_in_time_goes_back_without_an_attempt(workshop: Workshop) -> None:
    made = await workshop.ask(waits)
    async with workshop.working(waits, shutdown=timedelta(milliseconds=200)):
        await until(lambda: started == [1])
    assert cancelled == [1]
    assert await workshop.queue() == [(made, "queued", 0)]
    gate.open()
    async with workshop.working(waits):
        await until(lambda: ended == [1])


async def test_a_task_that_will_not_stop_goes_back_too(workshop: Workshop) -> None:
    made = await workshop.ask(stubborn)
    async with workshop.working(stubborn, shutdown=timedelta(milliseconds=100)):
        await until(lambda: started == [1])
    assert cancelled == [1]
    assert await workshop.queue() == [(made, "queued", 0)]


async def test_a_stopping_worker_takes_nothing_new(workshop: Workshop) -> None:
    await workshop.ask(waits)
    async with workshop.working(waits) as worker:
        await until(lambda: started == [1])
        worker_ends = asyncio.get_running_loop().call_later(1.0, gate.open)
        del worker, worker_ends
        await workshop.ask(waits)
        await until(lambda: started == [1, 1])
    assert ended == [1, 1]
    made = await workshop.ask(waits)
    assert await workshop.queue() == [(made, "queued", 0)]


async def test_a_worker_survives_the_loss_of_its_connections(workshop: Workshop) -> None:
    gate.open()
    async with workshop.working(waits, pace=Pace(poll=timedelta(seconds=20))):
        for _ in range(3):
            await workshop.ask(waits)
            await until(lambda: len(ended) == len(started) == 1, seconds=3)
            await workshop.change(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where application_name = 'rensai worker'"
            )
            started.clear()
            ended.clear()
        await workshop.ask(waits)
        await until(lambda: ended == [1], seconds=3)


async def test_an_ending_waits_for_the_database_to_come_back(workshop: Workshop) -> None:
    async with workshop.db.transaction() as tx:
        await enqueue_many(tx, waits, [N(), N(), N()])
    async with workshop.working(waits):
        await until(lambda: started == [1, 1, 1])
        async with workshop.db.transaction() as tx:
            # While this lock is held no ending can be written, and the statement is cut off.
            await tx.connection.execute("lock table tasks.pgqueuer in exclusive mode")
            gate.open()
            await until(lambda: ended == [1, 1, 1])
            await tx.connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where application_name = 'rensai worker'"
            )

        async def empty() -> bool:
            return await workshop.queue() == []

        await until(empty)
    assert started == [1, 1, 1]
