"""The database through a real PgBouncer in transaction mode, with two server connections."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from rensai.kit.db import (
    Command,
    Database,
    DatabaseSettings,
    NotDirect,
    Query,
    TooSlow,
    Unusable,
)
from rensai.kit.db_driver import Connection, connect
from rensai.kit.errors import RensaiError, Unavailable
from rensai.kit.migrate import migrate
from tests.pgbouncer import PgBouncer

pytestmark = pytest.mark.anyio

CLIENTS = 20
LIMIT = timedelta(milliseconds=400)


class Echo(msgspec.Struct, frozen=True):
    """What came back, and which server connection answered."""

    number: int
    backend: int


ECHOES = [
    Query(f"SELECT $1::int + {extra} AS number, pg_backend_pid() AS backend", Echo)
    for extra in range(7)
]
SLEEP = Query("SELECT true AS slept FROM (SELECT pg_sleep($1)) AS nap", bool)
SHOWN = Query("SELECT current_setting($1) AS value", str)
COUNT = Query("SELECT sum(n) AS total FROM tally", int)
MAKE = Command("CREATE TABLE tally (id int PRIMARY KEY, n int NOT NULL)")
ADD = Command("INSERT INTO tally VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET n = tally.n + 1")
IN_TRANSACTION = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND state LIKE 'idle in transaction%'"""


@pytest.fixture
def pooler(database_url: str) -> Iterator[PgBouncer]:
    """PgBouncer with two server connections."""
    with tempfile.TemporaryDirectory() as folder:
        started = PgBouncer(Path(folder), database_url, size=2)
        started.start()
        yield started
        started.kill()


@asynccontextmanager
async def through(pooler: PgBouncer, url: str, limit: timedelta) -> AsyncGenerator[Database]:
    opened = await Database.open(
        DatabaseSettings(
            primary_url=pooler.url,
            queue_url=url,
            pool_size=CLIENTS,
            statement_timeout=limit,
            lock_timeout=limit,
            idle_in_transaction_timeout=limit,
        )
    )
    yield opened
    await opened.close()


@pytest.fixture
async def pooled(pooler: PgBouncer, database_url: str) -> AsyncIterator[Database]:
    """The database through PgBouncer, with limits that are soon reached."""
    async with through(pooler, database_url, LIMIT) as opened:
        yield opened


@pytest.fixture
async def patient(pooler: PgBouncer, database_url: str) -> AsyncIterator[Database]:
    """The same with limits that a busy machine does not reach."""
    async with through(pooler, database_url, timedelta(seconds=20)) as opened:
        yield opened


@pytest.fixture
async def look(database_url: str) -> AsyncIterator[Connection]:
    """A direct connection to look at the server with."""
    connection = await connect(database_url, seconds=10)
    yield connection
    await connection.close()


async def quiet(look: Connection) -> bool:
    """Whether no server connection is left inside a transaction."""
    for _ in range(100):
        if await look.fetchval(IN_TRANSACTION) == 0:
            return True
        await asyncio.sleep(0.01)
    return False


async def test_it_is_recognised_by_itself(pooled: Database) -> None:
    assert pooled.primary.connector.in_transaction_mode
    assert not pooled.queue.connector.in_transaction_mode


async def test_many_clients_share_two_connections_and_every_statement_is_found(
    patient: Database,
) -> None:
    async with patient.transaction() as tx:
        await tx.run(MAKE)
    backends: set[int] = set()

    async def client(number: int) -> None:
        for turn in range(15):
            echo = ECHOES[(number + turn) % len(ECHOES)]
            found = await patient.primary.first(echo, number)
            assert found is not None
            assert found.number == number + (number + turn) % len(ECHOES)
            backends.add(found.backend)
            async with patient.transaction() as tx:
                await tx.run(ADD, number)
                seen = await tx.all(echo, number)
                assert (await tx.all(echo, number)) == seen

    await asyncio.gather(*(client(number) for number in range(CLIENTS)))
    assert await patient.primary.first(COUNT) == CLIENTS * 15
    assert len(backends) == 2


async def test_a_limit_of_one_transaction_is_not_left_to_the_next(
    pooled: Database, pooler: PgBouncer
) -> None:
    async with pooled.transaction(timeout=timedelta(seconds=77)) as tx:
        assert await tx.first(SHOWN, "statement_timeout") == "77s"
    for _ in range(6):
        assert await pooled.primary.first(SHOWN, "statement_timeout") == "400ms"
    bare = await connect(pooler.url, seconds=10, prepares=False)
    for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
        await bare.execute("BEGIN")
        assert await bare.fetchval(f"SHOW {name}") == "0"
        await bare.execute("COMMIT")
    await bare.close()


async def test_a_slow_read_is_stopped(pooled: Database, look: Connection) -> None:
    started = asyncio.get_running_loop().time()
    with pytest.raises(TooSlow):
        await pooled.primary.first(SLEEP, 30)
    assert asyncio.get_running_loop().time() - started < 3
    assert await quiet(look)


async def test_a_slow_statement_in_a_transaction_is_stopped(
    pooled: Database, look: Connection
) -> None:
    with pytest.raises(TooSlow):
        async with pooled.transaction() as tx:
            await tx.first(SLEEP, 30)
    assert await quiet(look)
    async with pooled.transaction(timeout=timedelta(seconds=5)) as tx:
        assert await tx.first(SLEEP, 0.6)


async def test_a_transaction_that_dawdles_is_ended_by_the_server(
    pooled: Database, look: Connection
) -> None:
    async def dawdle() -> None:
        async with pooled.transaction() as tx:
            await tx.first(ECHOES[0], 1)
            await asyncio.sleep(1)
            assert await look.fetchval(IN_TRANSACTION) == 0
            await tx.first(ECHOES[0], 1)

    with pytest.raises(Unavailable):
        await dawdle()
    assert await pooled.primary.first(ECHOES[0], 1) is not None


async def test_a_cancelled_request_leaves_no_transaction(
    pooled: Database, look: Connection
) -> None:
    async def request() -> None:
        async with pooled.transaction(timeout=timedelta(seconds=60)) as tx:
            await tx.first(SLEEP, 60)

    for read in (request, lambda: pooled.primary.first(SLEEP, 60)):
        tasks = [asyncio.create_task(read()) for _ in range(2)]
        await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes)
        assert await quiet(look)
        found = await asyncio.gather(*(pooled.primary.first(ECHOES[0], 4) for _ in range(CLIENTS)))
        assert all(echo and echo.number == 4 for echo in found)


async def test_requests_recover_when_it_restarts(patient: Database, pooler: PgBouncer) -> None:
    over = asyncio.Event()
    failures: list[BaseException] = []

    async def client(number: int) -> None:
        while not over.is_set():
            try:
                found = await patient.primary.first(ECHOES[0], number)
                async with patient.transaction() as tx:
                    assert await tx.first(ECHOES[0], number) is not None
            except Unavailable as error:
                failures.append(error)
                await asyncio.sleep(0.02)
            else:
                assert found is not None
                assert found.number == number

    clients = [asyncio.create_task(client(number)) for number in range(CLIENTS)]
    await asyncio.sleep(0.2)
    pooler.kill()
    await asyncio.sleep(0.2)
    pooler.start()
    await asyncio.sleep(0.3)
    assert failures
    failures.clear()
    await asyncio.sleep(0.3)
    over.set()
    await asyncio.gather(*clients)
    assert not failures


async def test_a_restart_between_two_requests_goes_unnoticed(
    patient: Database, pooler: PgBouncer
) -> None:
    await asyncio.gather(*(patient.primary.first(ECHOES[0], 1) for _ in range(CLIENTS)))
    pooler.kill()
    pooler.start()
    found = await asyncio.gather(*(patient.primary.first(ECHOES[0], 1) for _ in range(CLIENTS)))
    assert all(found)


async def test_a_read_may_not_write(pooled: Database) -> None:
    write = Query("INSERT INTO tally VALUES (1, 1) RETURNING id", int)
    async with pooled.transaction() as tx:
        await tx.run(MAKE)
    with pytest.raises(RensaiError):
        await pooled.primary.first(write)


async def test_it_cannot_stand_before_the_task_queue(pooler: PgBouncer) -> None:
    with pytest.raises(NotDirect, match="set DATABASE_QUEUE_URL"):
        await Database.open(DatabaseSettings(primary_url=pooler.url))


async def test_it_cannot_be_migrated_through(pooler: PgBouncer) -> None:
    with pytest.raises(Unusable, match="set DATABASE_QUEUE_URL"):
        await migrate(pooler.url)
