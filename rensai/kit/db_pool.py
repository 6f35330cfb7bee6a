"""Reads and transactions on one server."""

import asyncio
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from types import TracebackType
from typing import TypeVar

import asyncpg

from rensai.kit.db_connect import GRACE, Connector
from rensai.kit.db_connections import Connections, PoolUse
from rensai.kit.db_driver import Connection, Record
from rensai.kit.db_errors import DRIVER_ERRORS, Lost, domain_error, domain_errors, raise_domain
from rensai.kit.db_statements import Query
from rensai.kit.db_tx import Subscriptions, TransactionMisused, Tx, run_callbacks

T = TypeVar("T")


class Pool:
    """Connections to one server; a read straight from the pool is a transaction of its own."""

    def __init__(
        self,
        connector: Connector,
        *,
        size: int,
        patience: timedelta,
        subscriptions: Subscriptions,
        writes: bool,
    ) -> None:
        self.connections = Connections(connector.connect, limit=size, patience=patience)
        self.connector = connector
        self.subscriptions = subscriptions
        self.writes = writes
        self.owners: set[asyncio.Task[object]] = set()
        self.chores: set[asyncio.Task[None]] = set()
        self._bracketed = connector.in_transaction_mode
        self._begin_read = connector.begin(write=False)

    @property
    def url(self) -> str:
        """The server's address, for whoever needs a connection of their own, to LISTEN on."""
        return self.connector.url

    @property
    def use(self) -> PoolUse:
        """How busy it is, for metrics."""
        return self.connections.use

    async def all(self, query: Query[T], *args: object) -> list[T]:
        """Every row of the answer."""
        return query.rows(await self._fetch(query.text, args))

    async def first(self, query: Query[T], *args: object) -> T | None:
        """The first row of the answer, if there is one."""
        rows = query.rows(await self._fetch(query.text, args))
        return rows[0] if rows else None

    def transaction(
        self, timeout: timedelta | None = None, *, read_only: bool = False
    ) -> AbstractAsyncContextManager[Tx]:
        """One transaction: all of it happens, or nothing.

        `timeout` replaces the limit of each statement in it.
        """
        return _Transaction(self, timeout, write=self.writes and not read_only)

    async def close(self, patience: timedelta = timedelta(seconds=5)) -> None:
        """Let running statements end, then close every connection."""
        if self.chores:
            await asyncio.wait(self.chores, timeout=patience.total_seconds())
        await self.connections.close(patience)

    async def _fetch(self, text: str, args: tuple[object, ...]) -> list[Record]:
        try:
            return await self._fetch_once(text, args)
        except Lost:
            # The server or the pooler restarted while the connection lay idle. A read can be
            # asked again; if the server is still away this says so.
            return await self._fetch_once(text, args)

    async def _fetch_once(self, text: str, args: tuple[object, ...]) -> list[Record]:
        connection = await self.connections.take()
        try:
            if self._bracketed:
                await connection.execute(self._begin_read)
                records = await connection.fetch(text, *args)
                await connection.execute("COMMIT")
            else:
                records = await connection.fetch(text, *args)
        except DRIVER_ERRORS as error:
            await self.settle(connection, domain_error(error))
            raise_domain(error)
        except BaseException as error:
            await self.settle(connection, error)
            raise
        self.connections.give_back(connection)
        return records

    async def settle(self, connection: Connection, error: BaseException) -> None:
        """Take back a connection after an error, so that nothing of it is left."""
        if isinstance(error, Lost):
            self.connections.discard(connection)
        else:
            await self.connections.mend(connection)


class _Transaction(AbstractAsyncContextManager[Tx]):
    """Opens a transaction on a pool, and ends it whatever happens inside."""

    def __init__(self, pool: Pool, timeout: timedelta | None, *, write: bool) -> None:
        self._pool = pool
        self._begin = pool.connector.begin(write=write, statement=timeout)
        self._timeout = timeout
        self._task: asyncio.Task[object] | None = None

    async def __aenter__(self) -> Tx:
        pool = self._pool
        task = asyncio.current_task()
        if task in pool.owners:
            raise TransactionMisused(
                "this task has a transaction open already: pass it on, or use its savepoint()"
            )
        try:
            self._connection = await self._open()
        except Lost:
            self._connection = await self._open()  # nothing has happened yet
        if task is not None:
            pool.owners.add(task)
        self._task = task
        seconds = None if self._timeout is None else (self._timeout + GRACE).total_seconds()
        self._tx = Tx(self._connection, pool.subscriptions, seconds)
        return self._tx

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        callbacks = self._tx.end()
        if self._task is not None:
            self._pool.owners.discard(self._task)
        if error is not None:
            await self._roll_back(error)
            return
        await self._commit()
        if callbacks:
            # The commit has happened: a request that is cancelled now cannot undo the rest.
            chore = asyncio.create_task(run_callbacks(callbacks))
            self._pool.chores.add(chore)
            chore.add_done_callback(self._pool.chores.discard)
            await asyncio.shield(chore)

    async def _open(self) -> Connection:
        connection = await self._pool.connections.take()
        try:
            with domain_errors():
                await connection.execute(self._begin)
        except BaseException as error:
            await self._pool.settle(connection, error)
            raise
        return connection

    async def _roll_back(self, error: BaseException) -> None:
        # Only asyncpg's own errors can come from the database here; an OSError may be a file's.
        if isinstance(error, asyncpg.PostgresError | asyncpg.InterfaceError):
            await self._pool.settle(self._connection, domain_error(error))
            raise_domain(error)
        else:
            await self._pool.settle(self._connection, error)

    async def _commit(self) -> None:
        try:
            with domain_errors():
                outcome = await self._connection.execute("COMMIT")
        except BaseException as error:
            await self._pool.settle(self._connection, error)
            raise
        self._pool.connections.give_back(self._connection)
        if outcome != "COMMIT":
            raise TransactionMisused(
                "a database error was caught inside the transaction, which has thereby failed: "
                "let it out, or guard that part with savepoint()"
            )
