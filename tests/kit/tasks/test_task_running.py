"""A worker runs what is asked for, and nothing that a task does ends it."""

import asyncio
import sys
import threading
import time
from datetime import timedelta

import msgspec
import pytest

from rensai.kit.tasks import PermanentFailure, Retry, TaskContext, enqueue, enqueue_many, task
from rensai.kit.tasks.worker import Pace
from tests.kit.tasks.workshop import N, Workshop, until

pytestmark = pytest.mark.anyio

AT_ONCE = Retry(attempts=3, first=timedelta(milliseconds=10))
seen: list[tuple[str, int]] = []


@pytest.fixture(autouse=True)
def forget() -> None:
    seen.clear()


@task()
async def good(context: TaskContext, args: N) -> None:
    seen.append(("good", args.n))


@task(retry=AT_ONCE)
async def bad(context: TaskContext, args: N) -> None:
    seen.append(("bad", context.attempt))
    raise ValueError("bad\0 \ud800luck")


@task(retry=AT_ONCE)
async def shaky(context: TaskContext, args: N) -> None:
    seen.append(("shaky", context.attempt))
    if context.attempt < 3:
        raise ValueError("not yet")


@task(retry=AT_ONCE)
async def hopeless(context: TaskContext, args: N) -> None:
    seen.append(("hopeless", context.attempt))
    async with asyncio.TaskGroup() as group:
        group.create_task(_give_up())


async def _give_up() -> None:
    raise PermanentFailure("the story is gone")


@task(retry=AT_ONCE)
async def leaves(context: TaskContext, args: N) -> None:
    sys.exit(3)


@task(retry=AT_ONCE)
async def cancels_itself(context: TaskContext, args: N) -> None:
    raise asyncio.CancelledError


@task(retry=Retry(attempts=1), timeout=timedelta(milliseconds=50))
async def slow(context: TaskContext, args: N) -> None:
    await asyncio.sleep(30)


@task()
def blocking(context: TaskContext, args: N) -> None:
    time.sleep(0.3)
    seen.append((threading.current_thread().name, args.n))


@task(concurrency=2)
async def two_at_once(context: TaskContext, args: N) -> None:
    seen.append(("in", args.n))
    await asyncio.sleep(0.05)
    seen.append(("out", args.n))


@task(priority=5)
async def urgent(context: TaskContext, args: N) -> None:
    seen.append(("urgent", args.n))


async def test_every_task_asked_for_is_run_once(workshop: Workshop) -> None:
    async with workshop.db.transaction() as tx:
        await enqueue_many(tx, good, (N(n) for n in range(300)))
    async with workshop.working(good):
        await until(lambda: len(seen) >= 300)
    assert sorted(n for _, n in seen) == list(range(300))
    assert await workshop.queue() == []


async def test_a_worker_that_waits_starts_a_new_task_at_once(workshop: Workshop) -> None:
    patient = Pace(poll=timedelta(seconds=30))
    async with workshop.working(good, pace=patient):
        await asyncio.sleep(0.3)
        for n in range(5):
            await workshop.ask(good, n)
            await until(lambda n=n: ("good", n) in seen, seconds=1)


async def test_a_delayed_task_starts_when_it_is_due(workshop: Workshop) -> None:
    async with workshop.working(good):
        async with workshop.db.transaction() as tx:
            await enqueue(tx, good, N(1), delay=timedelta(seconds=1))
        await asyncio.sleep(0.7)
        assert seen == []
        await until(lambda: seen == [("good", 1)], seconds=1)


async def test_a_task_that_fails_is_tried_again_and_then_kept_as_dead(workshop: Workshop) -> None:
    async with workshop.working(bad, shaky):
        failing = await workshop.ask(bad)
        await workshop.ask(shaky)
        await until(lambda: len(seen) >= 6)
    assert sorted(seen) == [(name, n) for name in ("bad", "shaky") for n in (1, 2, 3)]
    assert await workshop.queue() == []
    assert await workshop.dead() == [(failing, 3, "ValueError: bad\\0 ?luck")]
    trace = await workshop.rows("select traceback from tasks.dead")
    assert "in bad" in str(trace[0][0])


async def test_a_permanent_failure_is_dead_at_once_even_inside_a_task_group(
    workshop: Workshop,
) -> None:
    async with workshop.working(hopeless):
        failing = await workshop.ask(hopeless)
        await until(lambda: seen != [])
    assert await workshop.dead() == [(failing, 1, "the story is gone")]


async def test_a_task_that_takes_too_long_is_stopped(workshop: Workshop) -> None:
    async with workshop.working(slow):
        failing = await workshop.ask(slow)
        await until(workshop.dead_is_there)
    assert await workshop.dead() == [(failing, 1, "it took longer than 0:00:00.050000")]


async def test_arguments_that_cannot_be_read_are_dead_with_a_reason(workshop: Workshop) -> None:
    payloads = [b"", b"{", b'{"n":"one"}', b"\xff\xfe", b"[" * 100_000, None]
    for payload in payloads:
        await workshop.change(
            "insert into tasks.pgqueuer (priority, status, entrypoint, payload)"
            " values (0, 'queued', $1, $2)",
            good.name,
            payload,
        )
    async with workshop.working(good):
        await workshop.ask(good, 7)
        await until(lambda: seen == [("good", 7)])
    dead = await workshop.dead()
    assert len(dead) == len(payloads)
    assert all(str(error).startswith("its arguments cannot be read") for _, _, error in dead)


async def test_a_task_cannot_end_its_worker(workshop: Workshop) -> None:
    async with workshop.working(leaves, cancels_itself, good):
        await workshop.ask(leaves)
        await workshop.ask(cancels_itself)
        await until(lambda: workshop.dead_is_there(2))
        await workshop.ask(good, 1)
        await until(lambda: seen == [("good", 1)])


async def test_a_plain_function_does_not_block_the_others(workshop: Workshop) -> None:
    async with workshop.working(blocking, good):
        for n in range(3):
            await workshop.ask(blocking, n)
        await workshop.ask(good, 9)
        await until(lambda: len(seen) == 4)
    assert seen[0] == ("good", 9)
    assert all(name != threading.main_thread().name for name, _ in seen[1:])


async def test_a_limit_holds_over_all_workers(workshop: Workshop) -> None:
    async with workshop.db.transaction() as tx:
        await enqueue_many(tx, two_at_once, (N(n) for n in range(10)))
    async with workshop.working(two_at_once), workshop.working(two_at_once):
        await until(lambda: len(seen) == 20)
    inside = 0
    for what, _ in seen:
        inside += 1 if what == "in" else -1
        assert inside <= 2


async def test_what_is_urgent_goes_first(workshop: Workshop) -> None:
    async with workshop.db.transaction() as tx:
        await enqueue_many(tx, good, (N(n) for n in range(20)))
        await enqueue(tx, urgent, N(1))
    async with workshop.working(good, urgent):
        await until(lambda: len(seen) == 21)
    assert seen[0] == ("urgent", 1)


def test_a_retry_waits_longer_each_time_and_never_beyond_its_limit() -> None:
    retry = Retry(first=timedelta(seconds=1), factor=4, jitter=0.2, longest=timedelta(minutes=1))
    for failed, expected in ((1, 1), (2, 4), (3, 16), (4, 60), (1000, 60)):
        waits = {retry.delay(failed).total_seconds() for _ in range(50)}
        assert len(waits) > 1
        assert all(expected * 0.8 <= wait <= expected * 1.2 for wait in waits)


def test_a_declaration_that_cannot_work_is_refused() -> None:
    async def without_args(context: TaskContext) -> None: ...

    async def loose(context: TaskContext, args: dict[str, int]) -> None: ...

    class Needy(msgspec.Struct):
        n: int

    async def needy(context: TaskContext, args: Needy) -> None: ...

    with pytest.raises(TypeError, match="must take"):
        task()(without_args)  # pyright: ignore[reportArgumentType] - that is the test
    with pytest.raises(TypeError, match="must take"):
        task()(loose)  # pyright: ignore[reportArgumentType] - that is the test
    with pytest.raises(TypeError, match="Missing required argument"):
        task(schedule="* * * * *")(needy)
    with pytest.raises(ValueError, match="two tasks are named"):
        task(name=good.name)(needy)
