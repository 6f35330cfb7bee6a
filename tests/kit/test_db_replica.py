"""Reads go to the replica while it answers, and to the primary while it does not."""

import asyncio
import logging
import tempfile
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from rensai.kit import db_replica, errors
from rensai.kit.db import Command, Database, DatabaseSettings, Query, Replica
from tests.pgbouncer import PgBouncer
from tests.postgres import TestServer, fresh_database

pytestmark = pytest.mark.anyio

WHERE = Query("SELECT current_database() AS database", str)
WRITE = Command("CREATE TABLE scratch ()")


@pytest.fixture
async def replica_url(postgres_server: TestServer, anyio_backend: object) -> AsyncIterator[str]:
    """Another database, which stands for the replica."""
    async with fresh_database(postgres_server) as url:
        yield url


@pytest.fixture
def gate(replica_url: str) -> Iterator[PgBouncer]:
    """A way to the replica that can be shut."""
    with tempfile.TemporaryDirectory() as folder:
        made = PgBouncer(Path(folder), replica_url, size=5)
        yield made
        made.kill()


@pytest.fixture
async def both(
    database_url: str, gate: PgBouncer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Database]:
    """A primary and a replica that is away at first."""
    monkeypatch.setattr(db_replica, "RETRY_SECONDS", 0.05)
    opened = await Database.open(DatabaseSettings(database_url, replica_url=gate.url))
    yield opened
    await opened.close()


def name_in(url: str) -> str:
    """The name of the database that a URL points to."""
    return url.partition("?")[0].rpartition("/")[2]


async def until_it_answers(database: Database) -> None:
    """Wait until reads go to the replica."""
    assert isinstance(database.replica, Replica)
    for _ in range(200):
        if database.replica.answers:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the replica never answered")


async def test_without_a_replica_the_primary_answers(database: Database) -> None:
    assert database.replica is database.primary


async def test_reads_follow_the_replica_as_it_goes_and_comes_back(
    both: Database,
    gate: PgBouncer,
    database_url: str,
    replica_url: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    primary, replica = name_in(database_url), name_in(replica_url)
    assert await both.replica.first(WHERE) == primary
    gate.start()
    await until_it_answers(both)
    caplog.clear()
    assert await both.replica.first(WHERE) == replica
    async with both.replica.transaction() as tx:
        assert await tx.first(WHERE) == replica
    gate.kill()
    found = await asyncio.gather(*(both.replica.first(WHERE) for _ in range(20)))
    assert set(found) == {primary}
    assert len([line for line in caplog.records if line.levelno == logging.WARNING]) == 1
    gate.start()
    await until_it_answers(both)
    assert await both.replica.first(WHERE) == replica


async def test_a_transaction_begins_on_the_primary_when_the_replica_is_gone(
    both: Database, gate: PgBouncer, database_url: str
) -> None:
    gate.start()
    await until_it_answers(both)
    gate.kill()
    async with both.replica.transaction() as tx:
        assert await tx.first(WHERE) == name_in(database_url)


async def test_nothing_is_written_through_a_replica_even_on_the_primary(both: Database) -> None:
    async def write() -> None:
        async with both.replica.transaction(timeout=timedelta(seconds=1)) as tx:
            await tx.run(WRITE)

    with pytest.raises(errors.Unavailable):
        await write()
