"""Pools, transactions and typed rows on a real server."""

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import timedelta

import msgspec
import pytest

from rensai.kit import errors
from rensai.kit.db import (
    Command,
    Database,
    DatabaseSettings,
    Query,
    TooSlow,
    TransactionMisused,
)
from rensai.kit.db_driver import Connection, connect

pytestmark = pytest.mark.anyio


class Pair(msgspec.Struct, frozen=True):
    number: int
    word: str


PAIRS = Query("SELECT n AS number, 'w' || n AS word FROM generate_series(1, $1::int) n", Pair)
COUNT = Query("SELECT count(*) AS count FROM scratch", int)
BACKEND = Query("SELECT pg_backend_pid() AS backend", int)
SLEEP = Query("SELECT true AS slept FROM (SELECT pg_sleep($1)) AS nap", bool)
SHOWN = Query("SELECT current_setting($1) AS value", str)
WRITE = Query("INSERT INTO scratch VALUES (1) RETURNING id", int)
ADD = Command("INSERT INTO scratch VALUES ($1)")
DELETE = Command("DELETE FROM scratch WHERE id >= $1")
IN_TRANSACTION = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
AND (state LIKE 'idle in transaction%' OR state = 'active')"""


@pytest.fixture
async def look(database_url: str) -> AsyncIterator[Connection]:
    """A connection of the test's own, beside the pools."""
    connection = await connect(database_url, seconds=10)
    await connection.execute("CREATE TABLE scratch (id int PRIMARY KEY)")
    yield connection
    await connection.close()


@pytest.fixture
async def small(database_url: str, look: Connection) -> AsyncIterator[Database]:
    """A database with two connections and little patience."""
    opened = await Database.open(
        DatabaseSettings(
            primary_url=database_url,
            pool_size=2,
            statement_timeout=timedelta(milliseconds=300),
            lock_timeout=timedelta(milliseconds=200),
            acquire_timeout=timedelta(milliseconds=300),
        )
    )
    yield opened
    await opened.close()


async def quiet(look: Connection) -> bool:
    """Whether nothing runs and no transaction is open any more."""
    for _ in range(100):
        if await look.fetchval(IN_TRANSACTION) == 0:
            return True
        await asyncio.sleep(0.01)
    return False


async def test_rows_become_structs_by_position(small: Database) -> None:
    assert await small.primary.all(PAIRS, 2) == [Pair(1, "w1"), Pair(2, "w2")]
    assert await small.primary.first(PAIRS, 1) == Pair(1, "w1")
    assert await small.primary.first(PAIRS, 0) is None


async def test_a_command_says_how_many_rows_it_touched(small: Database) -> None:
    async with small.transaction() as tx:
        await tx.run_many(ADD, [(1,), (2,), (3,)])
        assert await tx.run(DELETE, 2) == 2
    assert await small.primary.first(COUNT) == 1


async def test_a_transaction_that_raises_leaves_nothing(small: Database, look: Connection) -> None:
    async def fail() -> None:
        async with small.transaction() as tx:
            await tx.run(ADD, 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert await small.primary.first(COUNT) == 0
    assert await quiet(look)


async def test_a_read_outside_a_transaction_may_not_write(small: Database) -> None:
    with pytest.raises(errors.Unavailable):
        await small.primary.first(WRITE)
    async with small.transaction() as tx:
        assert await tx.first(WRITE) == 1


async def test_a_transaction_inside_another_is_refused(small: Database) -> None:
    async with small.transaction() as tx:
        with pytest.raises(TransactionMisused, match="open already"):
            await small.transaction().__aenter__()
        await tx.run(ADD, 1)
    async with small.transaction():
        assert await small.primary.first(COUNT) == 1


async def test_two_tasks_may_each_have_a_transaction(small: Database) -> None:
    async def add(number: int) -> None:
        async with small.transaction() as tx:
            await tx.run(ADD, number)
            await asyncio.sleep(0.01)

    async with small.transaction() as tx:
        await asyncio.gather(add(1), tx.run(ADD, 2))
    assert await small.primary.first(COUNT) == 2


async def test_a_transaction_is_of_no_use_after_its_end(small: Database) -> None:
    async with small.transaction() as tx:
        pass
    with pytest.raises(TransactionMisused, match="over"):
        await tx.first(COUNT)


async def test_a_swallowed_error_does_not_pass_for_a_commit(small: Database) -> None:
    async def swallow() -> None:
        async with small.transaction() as tx:
            await tx.run(ADD, 1)
            with pytest.raises(errors.Conflict):
                await tx.run(ADD, 1)

    with pytest.raises(TransactionMisused, match="has thereby failed"):
        await swallow()
    assert await small.primary.first(COUNT) == 0


async def test_a_savepoint_lets_a_part_fail_alone(small: Database) -> None:
    done: list[int] = []

    async def told(number: int) -> None:
        done.append(number)

    async def part(tx: object) -> None:
        assert isinstance(tx, type(outer))
        async with tx.savepoint():
            tx.after_commit(lambda: told(2))
            await tx.run(ADD, 2)
            await tx.run(ADD, 1)

    async with small.transaction() as outer:
        outer.after_commit(lambda: told(1))
        await outer.run(ADD, 1)
        with pytest.raises(errors.Conflict):
            await part(outer)
        async with outer.savepoint():
            await outer.run(ADD, 3)
    assert await small.primary.first(COUNT) == 2
    assert done == [1]


async def test_callbacks_run_after_the_commit_and_their_failures_are_logged(
    small: Database, look: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[object] = []

    async def fail() -> None:
        raise LookupError("no matter")

    async def count() -> None:
        seen.append(await look.fetchval("SELECT count(*) FROM scratch"))

    with caplog.at_level(logging.ERROR):
        async with small.transaction() as tx:
            tx.after_commit(fail)
            tx.after_commit(count)
            await tx.run(ADD, 1)
            assert not seen
    assert seen == [1]
    assert "no matter" in caplog.text


async def test_callbacks_do_not_run_without_a_commit(small: Database) -> None:
    seen: list[int] = []

    async def note() -> None:
        seen.append(1)

    async def fail() -> None:
        async with small.transaction() as tx:
            tx.after_commit(note)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert not seen


async def test_a_cancelled_request_leaves_no_transaction_and_a_clean_connection(
    small: Database, look: Connection
) -> None:
    async def request() -> None:
        async with small.transaction(timeout=timedelta(seconds=60)) as tx:
            await tx.run(ADD, 1)
            await tx.first(SLEEP, 60)

    async def read() -> None:
        await small.primary.first(SLEEP, 60)

    for work in (request, read):
        for _ in range(3):
            tasks = [asyncio.create_task(work()) for _ in range(2)]
            await asyncio.sleep(0.05)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            assert await quiet(look)
    assert await small.primary.first(COUNT) == 0
    assert small.primary.use.open <= 2
    assert small.primary.use.waiting == 0


async def test_a_request_cancelled_twice_leaves_nothing_either(
    small: Database, look: Connection
) -> None:
    async def request() -> None:
        async with small.transaction(timeout=timedelta(seconds=60)) as tx:
            await tx.run(ADD, 1)
            await tx.first(SLEEP, 60)

    task = asyncio.create_task(request())
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await quiet(look)
    assert await small.primary.first(COUNT) == 0


async def test_a_waiting_request_that_is_cancelled_takes_no_connection_away(
    small: Database,
) -> None:
    async with small.transaction():
        holder = asyncio.create_task(_hold(small))
        await asyncio.sleep(0.02)
        waiters = [asyncio.create_task(small.primary.first(BACKEND)) for _ in range(5)]
        await asyncio.sleep(0.02)
        assert small.primary.use.waiting == 5
        holder.cancel()
        for waiter in waiters[:3]:
            waiter.cancel()
        outcomes = await asyncio.gather(*waiters, return_exceptions=True)
    assert all(isinstance(outcome, int) for outcome in outcomes[3:])
    assert await asyncio.gather(*(small.primary.first(BACKEND) for _ in range(9)))


@pytest.mark.parametrize("lost", [False, True])
async def test_what_a_waiter_is_given_while_it_is_cancelled_goes_to_the_next(
    small: Database, lost: bool
) -> None:
    connections = small.primary.connections
    held = [await connections.take(), await connections.take()]
    waiter = asyncio.create_task(connections.take())
    await asyncio.sleep(0)
    if lost:
        connections.discard(held.pop())
    else:
        connections.give_back(held.pop())
    waiter.cancel()
    await asyncio.wait([waiter])
    assert waiter.cancelled()
    held.append(await connections.take())
    assert small.primary.use.open == 2
    for connection in held:
        connections.give_back(connection)


async def _hold(database: Database) -> None:
    async with database.transaction():
        await asyncio.sleep(60)


async def test_who_waits_too_long_for_a_connection_is_told_so(small: Database) -> None:
    async with small.transaction():
        holder = asyncio.create_task(_hold(small))
        await asyncio.sleep(0.02)
        with pytest.raises(errors.Unavailable) as caught:
            await small.primary.first(BACKEND)
        holder.cancel()
    assert caught.value.private == "every database connection is busy"
    assert await small.primary.first(BACKEND)


async def test_limits_hold_on_the_server(small: Database, look: Connection) -> None:
    with pytest.raises(TooSlow):
        await small.primary.first(SLEEP, 30)
    async with small.transaction(timeout=timedelta(seconds=5)) as tx:
        assert await tx.first(SHOWN, "statement_timeout") == "5s"
        assert await tx.first(SLEEP, 0.4)
    assert await small.primary.first(SHOWN, "statement_timeout") == "300ms"
    assert await quiet(look)


async def test_waiting_for_a_lock_ends_soon(small: Database, look: Connection) -> None:
    await look.execute("BEGIN; INSERT INTO scratch VALUES (1)")

    async def insert() -> None:
        async with small.transaction() as tx:
            await tx.run(ADD, 1)

    with pytest.raises(errors.Unavailable):
        await insert()
    await look.execute("ROLLBACK")
    await insert()


async def test_idle_connections_are_closed_and_busy_ones_kept(small: Database) -> None:
    connections = small.primary.connections
    await asyncio.gather(*(small.primary.first(SLEEP, 0.02) for _ in range(2)))
    assert small.primary.use.idle == 2
    connections.sweep()  # they were used since the last time
    await small.primary.first(BACKEND)
    assert small.primary.use.idle == 2
    connections.sweep()
    await asyncio.sleep(0.05)
    assert small.primary.use.open == 1
    assert await small.primary.first(BACKEND)


async def test_a_pool_that_closes_lets_running_reads_end(database_url: str) -> None:
    opened = await Database.open(DatabaseSettings(primary_url=database_url))
    reading = asyncio.create_task(opened.primary.first(SLEEP, 0.2))
    await asyncio.sleep(0.05)
    await opened.close()
    assert await reading is True
    with pytest.raises(errors.Unavailable):
        await opened.primary.first(BACKEND)
    assert opened.primary.use.open == 0


async def test_a_check_costs_one_statement(small: Database) -> None:
    await small.check()
    assert small.primary.use.open == 1
