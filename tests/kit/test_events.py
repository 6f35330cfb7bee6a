"""News: it leaves with the transaction that caused it, to everybody who asked for it."""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from rensai.kit.db import Database, DatabaseSettings, Tx
from rensai.kit.events import Event, emit
from rensai.kit.tasks import AnyTask, TaskContext, task
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


TABLE: dict[type[Event], tuple[AnyTask, ...]] = {
    ChapterRead: (count_it, praise_it),
    ReaderLeft: (miss_them,),
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


async def test_an_event_without_subscribers_is_no_mistake(database: Database) -> None:
    async with database.transaction() as tx:
        await emit(tx, ChapterRead(1))
        await emit(tx)
        assert await _waiting(tx) == 0


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
            assert subscriber.args_type is event, subscriber
            assert subscriber in TASKS, subscriber


def test_an_event_survives_the_way_through_the_queue() -> None:
    event = ReaderLeft("Nguyễn")
    assert miss_them.decode(miss_them.encode(event)) == event
    with pytest.raises(msgspec.ValidationError):
        miss_them.decode(count_it.encode(ChapterRead(1)))
