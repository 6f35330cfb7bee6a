"""Pools, transactions and typed rows on a real server."""

import msgspec
import pytest

from rensai.kit.db import Command, Database, Query

pytestmark = pytest.mark.anyio


class Pair(msgspec.Struct, frozen=True):
    number: int
    word: str


PAIRS = Query("select n as number, 'w' || n as word from generate_series(1, $1::int) n", Pair)
COUNT = Query("select count(*) from pg_class where relname = 'scratch'", int)
MAKE = Command("create table scratch (id int primary key)")


async def test_rows_become_structs_by_position(database: Database) -> None:
    assert await database.primary.all(PAIRS, 2) == [Pair(1, "w1"), Pair(2, "w2")]


async def test_a_failed_transaction_leaves_nothing(database: Database) -> None:
    with pytest.raises(ZeroDivisionError):
        async with database.transaction() as tx:
            await tx.run(MAKE)
            raise ZeroDivisionError
    assert await database.primary.first(COUNT) == 0
