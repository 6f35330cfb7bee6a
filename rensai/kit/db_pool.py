"""Connections to one server: single reads, and transactions."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Protocol, TypeVar

import asyncpg

from rensai.kit.db_statements import Command, Query

T = TypeVar("T")

Subscriptions = Mapping[type[object], tuple[object, ...]]


class Reads(Protocol):
    """What a read needs; a pool and a transaction both offer it."""

    async def all(self, query: Query[T], *args: object) -> list[T]: ...

    async def first(self, query: Query[T], *args: object) -> T | None: ...


class Tx:
    """An open transaction; news emitted through it leaves only when it commits."""

    def __init__(self, connection: asyncpg.Connection, subscriptions: Subscriptions) -> None:
        self.connection = connection
        self.subscriptions = subscriptions
        self.callbacks: list[Callable[[], Awaitable[object]]] = []

    async def all(self, query: Query[T], *args: object) -> list[T]:
        """Every row of the answer."""
        return query.rows(await self.connection.fetch(query.text, *args))

    async def first(self, query: Query[T], *args: object) -> T | None:
        """The first row of the answer, if there is one."""
        rows = await self.all(query, *args)
        return rows[0] if rows else None

    async def run(self, command: Command, *args: object) -> int:
        """Run a command and say how many rows it touched."""
        status = await self.connection.execute(command.text, *args)
        count = status.rpartition(" ")[2]
        return int(count) if count.isdigit() else 0

    async def run_many(self, command: Command, rows: Iterable[Sequence[object]]) -> None:
        """Run a command once for each row, in one round trip."""
        await self.connection.executemany(command.text, rows)

    def after_commit(self, callback: Callable[[], Awaitable[object]]) -> None:
        """Run something once this transaction has committed, and not if it does not."""
        self.callbacks.append(callback)


async def _keep_session(connection: object) -> None:
    """Nothing here leaves session state behind, so a release costs no round trip."""


class Pool:
    """Connections to one server; reads straight from the pool are single statements."""

    def __init__(self, pool: asyncpg.Pool, subscriptions: Subscriptions) -> None:
        self._pool = pool
        self._subscriptions = subscriptions

    @classmethod
    async def open(cls, url: str, *, size: int, subscriptions: Subscriptions) -> "Pool":
        """Connect to a server."""
        pool = await asyncpg.create_pool(url, min_size=0, max_size=size, reset=_keep_session)
        return cls(pool, subscriptions)

    async def close(self) -> None:
        """Let running statements end, then close every connection."""
        await self._pool.close()

    async def all(self, query: Query[T], *args: object) -> list[T]:
        """Every row of the answer."""
        async with self._pool.acquire() as connection:
            return query.rows(await connection.fetch(query.text, *args))

    async def first(self, query: Query[T], *args: object) -> T | None:
        """The first row of the answer, if there is one."""
        rows = await self.all(query, *args)
        return rows[0] if rows else None

    @asynccontextmanager
    async def transaction(self, timeout: timedelta | None = None) -> AsyncIterator[Tx]:  # noqa: ASYNC109
        """One transaction: all of it happens, or nothing."""
        async with self._pool.acquire() as connection:
            tx = Tx(connection, self._subscriptions)
            async with connection.transaction():
                if timeout is not None:
                    milliseconds = int(timeout / timedelta(milliseconds=1))
                    await connection.execute(f"SET LOCAL statement_timeout = {milliseconds}")
                yield tx
        for callback in tx.callbacks:
            await asyncio.shield(callback())
