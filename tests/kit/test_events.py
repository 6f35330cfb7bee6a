"""News: it leaves with the transaction that caused it, to everybody who asked for it."""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from rensai.kit.db import Command, Database, DatabaseSettings, Query, Tx
from rensai.kit.events import LONGEST_DIGEST, About, Digest, Event, Subscriber, Within, emit
from rensai.kit.tasks import TaskContext, task
from rensai.wiring.subscriptions import SUBSCRIPTIONS
from rensai.wiring.task_table import TASKS
from tests.kit.tasks.workshop import Workshop, until

pytestmark = pytest.mark.anyio

heard: list[tuple[str, Event]] = []


class ChapterRead(Event, frozen=True):
    chapter: int


class ReaderLeft(Event, frozen=True):
    reader: str


@task()
async def count_it(context: TaskContext, args: ChapterRead) -> None:
    heard.append(("count", args))


@task(dedupe=lambda event: str(event.chapter))
async def praise_it(context: TaskContext, args: ChapterRead) -> None:
    heard.append(("praise", args))


@task()
async def miss_them(context: TaskContext, args: ReaderLeft) -> None:
    heard.append(("miss", args))


class ChapterLeft(Event, frozen=True):
    chapter: int


@task()
async def sum_up(context: TaskContext, args: About) -> None:
    raise AssertionError("only asked for here")


@task(dedupe=lambda about: str(about.ids))
async def sum_up_each(context: TaskContext, args: About) -> None:
    raise AssertionError("only asked for here")


class ShelfSwept(Event, frozen=True):
    row: str


async def sweep(tx: Tx, event: ShelfSwept) -> None:
    if event.row == "stuck":
        raise RuntimeError("it is stuck")
    await tx.run(_SWEEP, event.row)


_SWEEP = Command("INSERT INTO genres (slug, name) VALUES ($1, $1)")
_SWEPT = Query("SELECT slug FROM genres ORDER BY slug", str)

_IN_SHORT = Digest(sum_up, lambda event: event.chapter)

TABLE: dict[type[Event], tuple[Subscriber, ...]] = {
    ShelfSwept: (Within(sweep),),
    ChapterRead: (count_it, praise_it),
    ReaderLeft: (miss_them,),
}
DIGESTED: dict[type[Event], tuple[Subscriber, ...]] = {
    ChapterRead: (_IN_SHORT, count_it),
    ChapterLeft: (_IN_SHORT,),
}


@pytest.fixture
async def listening(database_url: str) -> AsyncIterator[Database]:
    heard.clear()
    opened = await Database.open(DatabaseSettings(primary_url=database_url), subscriptions=TABLE)
    yield opened
    await opened.close()


async def _waiting(tx: Tx) -> int:
    rows = await tx.connection.fetch("select id from tasks.pgqueuer")
    return len(rows)


async def test_every_subscriber_hears_each_event_once(listening: Database, tmp_path: Path) -> None:
    workshop = Workshop(listening, tmp_path)
    async with listening.transaction() as tx:
        await emit(tx, ChapterRead(1), ChapterRead(2), ReaderLeft("an"))
        await emit(tx, ChapterRead(1))
    async with workshop.working(count_it, praise_it, miss_them):
        await until(lambda: len(heard) >= 6)
    names = sorted((name, *msgspec.structs.astuple(event)) for name, event in heard)
    assert names == [
        ("count", 1),
        ("count", 1),
        ("count", 2),
        ("miss", "an"),
        ("praise", 1),
        ("praise", 2),
    ]


async def test_nobody_hears_of_what_was_taken_back(listening: Database) -> None:
    async def change_of_mind() -> None:
        async with listening.transaction() as tx:
            await emit(tx, ChapterRead(1))
            assert await _waiting(tx) == 2
            raise KeyError

    with pytest.raises(KeyError):
        await change_of_mind()
    async with listening.transaction() as tx:
        assert await _waiting(tx) == 0


async def test_a_part_within_is_done_before_the_teller_goes_on(listening: Database) -> None:
    async with listening.transaction() as tx:
        await emit(tx, ShelfSwept("upper"), ShelfSwept("lower"))
        assert await tx.all(_SWEPT) == ["lower", "upper"]


async def test_a_part_within_that_fails_takes_everything_with_it(listening: Database) -> None:
    async def sweep_both() -> None:
        async with listening.transaction() as tx:
            await emit(tx, ShelfSwept("upper"), ShelfSwept("stuck"))

    with pytest.raises(RuntimeError):
        await sweep_both()
    assert await listening.primary.all(_SWEPT) == []


async def test_an_event_without_subscribers_is_no_mistake(database: Database) -> None:
    async with database.transaction() as tx:
        await emit(tx, ChapterRead(1))
        await emit(tx)
        assert await _waiting(tx) == 0


async def test_a_digest_is_one_task_about_each_thing_once(database_url: str) -> None:
    settings = DatabaseSettings(primary_url=database_url)
    database = await Database.open(settings, subscriptions=DIGESTED)
    async with database.transaction() as tx:
        await emit(tx, ChapterRead(7), ChapterLeft(3), ChapterRead(7), ChapterRead(3))
        rows = await tx.connection.fetch("select entrypoint, payload from tasks.pgqueuer")
        told = [bytes(row[1]) for row in rows if row[0] == sum_up.name]  # type: ignore[arg-type]
        assert [sum_up.decode(payload) for payload in told] == [About([7, 3])]
        assert len(rows) == 1 + 3
    await database.close()


async def test_a_digest_of_very_many_is_a_few_tasks(database_url: str) -> None:
    settings = DatabaseSettings(primary_url=database_url)
    database = await Database.open(settings, subscriptions=DIGESTED)
    async with database.transaction() as tx:
        await emit(tx, *map(ChapterLeft, range(LONGEST_DIGEST + 1)))
        rows = await tx.connection.fetch("select payload from tasks.pgqueuer order by id")
        told = [sum_up.decode(bytes(row[0])).ids for row in rows]  # type: ignore[arg-type]
        assert [len(ids) for ids in told] == [LONGEST_DIGEST, 1]
    await database.close()


async def test_a_digest_that_waits_folds_in_what_is_told_meanwhile(database_url: str) -> None:
    later = Digest(sum_up_each, lambda event: event.chapter, after=timedelta(seconds=30))
    settings = DatabaseSettings(primary_url=database_url)
    database = await Database.open(settings, subscriptions={ChapterLeft: (later,)})
    for chapter in (7, 7, 3, 7):
        async with database.transaction() as tx:
            await emit(tx, ChapterLeft(chapter))
    async with database.transaction() as tx:
        payloads = await tx.connection.fetch("select payload from tasks.pgqueuer order by id")
        soonest = await tx.connection.fetchval(
            "select min(execute_after) - now() > interval '20 seconds' from tasks.pgqueuer"
        )
    told = [sum_up_each.decode(bytes(row[0])).ids for row in payloads]  # type: ignore[arg-type]
    assert told == [[7], [3]]
    assert soonest is True
    await database.close()


def _write_and_die(url: str, *, commit: bool) -> None:
    async def write() -> None:
        db = await Database.open(DatabaseSettings(primary_url=url), subscriptions=TABLE)
        async with db.transaction() as tx:
            await tx.connection.execute("create table chapter_read as select 1 as n")
            await emit(tx, ChapterRead(1))
            if not commit:
                os.kill(os.getpid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)

    asyncio.run(write())


@pytest.mark.parametrize("commit", [False, True], ids=["before", "after"])
async def test_a_process_killed_around_its_commit_leaves_all_or_nothing(
    database_url: str, listening: Database, commit: bool
) -> None:
    spawn = multiprocessing.get_context("spawn")
    process = spawn.Process(target=_write_and_die, args=(database_url,), kwargs={"commit": commit})
    process.start()
    await asyncio.to_thread(process.join)
    assert process.exitcode == -signal.SIGKILL

    async def settled() -> bool:
        async with listening.transaction() as tx:
            table = await tx.connection.fetchval("select to_regclass('chapter_read') is not null")
            assert await _waiting(tx) == (2 if table else 0)
            return table is commit

    await until(settled)


def test_every_subscriber_takes_its_event_and_has_a_worker() -> None:
    for event, subscribers in SUBSCRIPTIONS.items():
        for subscriber in subscribers:
            if isinstance(subscriber, Digest):
                assert subscriber.task.args_type is About, subscriber
                assert subscriber.task in TASKS, subscriber
            elif not isinstance(subscriber, Within):
                assert subscriber.args_type is event, subscriber
                assert subscriber in TASKS, subscriber


def test_an_event_survives_the_way_through_the_queue() -> None:
    event = ReaderLeft("Nguyễn")
    assert miss_them.decode(miss_them.encode(event)) == event
    with pytest.raises(msgspec.ValidationError):
        miss_them.decode(count_it.encode(ChapterRead(1)))
