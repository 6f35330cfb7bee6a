"""One open transaction, and what may be asked inside it."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol, TypeVar

from rensai.kit.db_driver import Connection
from rensai.kit.db_errors import DRIVER_ERRORS, domain_errors, raise_domain
from rensai.kit.db_statements import Command, Copy, Query

T = TypeVar("T")

Subscriptions = Mapping[type[Any], tuple[object, ...]]  # Any: events are known further up
"""Which tasks each kind of event starts; the events give the tasks their type."""

_log = logging.getLogger(__name__)


class Reads(Protocol):
    """What a read needs; a pool and a transaction both offer it."""

    async def all(self, query: Query[T], *args: object) -> list[T]: ...

    async def first(self, query: Query[T], *args: object) -> T | None: ...


class TransactionMisused(RuntimeError):
    """A mistake in our own code around a transaction."""


class Tx:
    """An open transaction; news emitted through it leaves only when it commits."""

    __slots__ = ("_callbacks", "_connection", "_seconds", "subscriptions")

    def __init__(
        self,
        connection: Connection,
        subscriptions: Subscriptions,
        seconds: float | None = None,
    ) -> None:
        self._connection: Connection | None = connection
        self._seconds = seconds  # how long the driver waits for a statement, if not as usual
        self._callbacks: list[Callable[[], Awaitable[object]]] = []
        self.subscriptions = subscriptions

    @property
    def connection(self) -> Connection:
        """The driver's connection, for the kit alone."""
        if self._connection is None:
            raise TransactionMisused("this transaction is over")
        return self._connection

    async def all(self, query: Query[T], *args: object) -> list[T]:
        """Every row of the answer."""
        try:
            records = await self.connection.fetch(query.text, *args, timeout=self._seconds)
        except DRIVER_ERRORS as error:
            raise_domain(error)
        return query.rows(records)

    async def first(self, query: Query[T], *args: object) -> T | None:
        """The first row of the answer, if there is one."""
        rows = await self.all(query, *args)
        return rows[0] if rows else None

    async def run(self, command: Command, *args: object) -> int:
        """Run a command and say how many rows it touched."""
        try:
            status = await self.connection.execute(command.text, *args, timeout=self._seconds)
        except DRIVER_ERRORS as error:
            raise_domain(error)
        count = status.rpartition(" ")[2]
        return int(count) if count.isdigit() else 0

    async def run_many(self, command: Command, rows: Iterable[Sequence[object]]) -> None:
        """Run a command once for each row, in a few round trips."""
        try:
            await self.connection.executemany(command.text, rows, timeout=self._seconds)
        except DRIVER_ERRORS as error:
            raise_domain(error)

    async def copy(self, into: Copy, rows: Iterable[Sequence[object]]) -> None:
        """Add rows to a table; one that it refuses refuses them all."""
        try:
            await self.connection.copy_records_to_table(
                into.table,
                records=rows,
                columns=into.columns,
                schema_name=into.schema,
                timeout=self._seconds,
            )
        except DRIVER_ERRORS as error:
            raise_domain(error)

    def after_commit(self, callback: Callable[[], Awaitable[object]]) -> None:
        """Run something once this transaction has committed, and never if it does not.

        Its failure is logged and changes nothing: what must not be lost is a task instead.
        """
        self._callbacks.append(callback)

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None, None]:
        """A part that may fail alone: leaving it by an error undoes it and nothing else."""
        connection = self.connection
        kept = len(self._callbacks)
        with domain_errors():
            await connection.execute("SAVEPOINT part")
        try:
            yield
        except Exception:
            del self._callbacks[kept:]
            with domain_errors():
                await connection.execute("ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part")
            raise
        with domain_errors():
            await connection.execute("RELEASE SAVEPOINT part")

    def end(self) -> list[Callable[[], Awaitable[object]]]:
        """Refuse further use; what is left to do after a commit is handed over."""
        self._connection = None
        return self._callbacks


async def run_callbacks(callbacks: list[Callable[[], Awaitable[object]]]) -> None:
    """Do what was asked for after the commit; nothing here can undo it."""
    for callback in callbacks:
        try:
            await callback()
        except Exception:  # noqa: BLE001 - whatever it is, the commit has happened
            _log.exception("something that follows a commit failed")
