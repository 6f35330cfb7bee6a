"""PostgreSQL: typed statements, pools and transactions.

A store declares its statements as constants (`Query`, `Command`) and hands them to a `Reads`
or a `Tx`. Rows become msgspec Structs by position, which a test checks against the migrated
schema, so a mistyped column fails the suite and not a reader.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Generic, Protocol, TypeVar

import asyncpg
import msgspec

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

STATEMENTS: list["Query[object] | Command"] = []


class Query(Generic[T_co]):
    """A statement that returns rows; each becomes a `row`: a Struct, or one plain value."""

    def __init__(self, text: str, row: type[T_co]) -> None:
        self.text = text
        self.row = row
        self.whole = issubclass(row, msgspec.Struct)
        STATEMENTS.append(self)


class Command:
    """A statement that returns no rows."""

    def __init__(self, text: str) -> None:
        self.text = text
        STATEMENTS.append(self)


class Reads(Protocol):
    """What a read needs; a pool and a transaction both offer it."""

    async def all(self, query: Query[T], *args: object) -> list[T]: ...

    async def first(self, query: Query[T], *args: object) -> T | None: ...


class Tx:
    """An open transaction; news emitted through it leaves only when it commits."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self.connection = connection

    async def all(self, query: Query[T], *args: object) -> list[T]:
        return _rows(query, await self.connection.fetch(query.text, *args))

    async def first(self, query: Query[T], *args: object) -> T | None:
        rows = await self.all(query, *args)
        return rows[0] if rows else None

    async def run(self, command: Command, *args: object) -> int:
        """Run a command and say how many rows it touched."""
        status = await self.connection.execute(command.text, *args)
        return int(status.rpartition(" ")[2] or 0)

    async def run_many(self, command: Command, rows: Iterable[Sequence[object]]) -> None:
        await self.connection.executemany(command.text, rows)


def _rows(query: Query[T], records: list[asyncpg.Record]) -> list[T]:
    if query.whole:
        return [query.row(*record) for record in records]
    return [record[0] for record in records]


async def _keep_session(connection: object) -> None:
    """Nothing here leaves session state behind, so a release costs no round trip."""


class Pool:
    """Connections to one server; reads straight from the pool are single statements."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def all(self, query: Query[T], *args: object) -> list[T]:
        async with self._pool.acquire() as connection:
            return _rows(query, await connection.fetch(query.text, *args))

    async def first(self, query: Query[T], *args: object) -> T | None:
        rows = await self.all(query, *args)
        return rows[0] if rows else None

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Tx]:
        async with self._pool.acquire() as connection, connection.transaction():
            yield Tx(connection)


class Database:
    """The three ways to the data: `primary` writes, `replica` may lag, `queue` is direct."""

    def __init__(self, primary: Pool, replica: Pool, queue: Pool) -> None:
        self.primary = primary
        self.replica = replica
        self.queue = queue

    def transaction(self):
        return self.primary.transaction()
