"""A worker's own direct connection, made again by itself whenever it breaks."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

import asyncpg

from rensai.kit import db_driver
from rensai.kit.db import Query
from rensai.kit.db_driver import Connection, Record

T = TypeVar("T")

Connect = Callable[[], Awaitable[Connection]]

_BROKEN = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
)


# What a worker writes may be lost when the server itself crashes: then a task runs again, as it
# may after any crash, so nobody waits for the disk. A queue fills faster than its statistics are
# renewed, and with those of an empty table the planner reads and sorts the whole backlog for each
# pick (500,000 tasks: 800 ms); without these two ways it can only follow the indexes (9 ms).
_SETTINGS = {
    "application_name": "rensai worker",
    "timezone": "UTC",
    "jit": "off",
    "synchronous_commit": "off",
    "enable_seqscan": "off",
    "enable_sort": "off",
}


def direct(url: str) -> Connect:
    """Connects a worker past any pooler."""

    async def connect() -> Connection:
        return await db_driver.connect(
            url,
            seconds=5,
            command_timeout=timedelta(seconds=20),
            settings=_SETTINGS,
        )

    return connect


class LineDownError(Exception):
    """The database cannot be reached at this moment."""


class Line:
    """One connection; statements wait for their turn. `listen` is kept across reconnects."""

    def __init__(
        self, connect: Connect, *, listen: tuple[str, Callable[[], None]] | None = None
    ) -> None:
        self._connect = connect
        self._listen = listen
        self._connection: Connection | None = None
        self._turn = asyncio.Lock()

    async def ask(self, query: Query[T], *args: object) -> list[T]:
        """Every row of the answer."""
        return query.rows(await self.fetch(query.text, *args))

    async def fetch(self, text: str, *args: object) -> list[Record]:
        """The records of the answer; `LineDownError` when there is no connection to be had."""
        async with self._turn:
            try:
                connection = await self._connected()
                return await connection.fetch(text, *args)
            except _BROKEN as error:
                self._drop()
                raise LineDownError(f"{type(error).__name__}: {error}") from error
            except asyncio.CancelledError:
                self._drop()
                raise

    async def close(self) -> None:
        """Say goodbye, if there is still somebody to say it to."""
        connection, self._connection = self._connection, None
        if connection is not None and not connection.is_closed():
            try:
                await connection.close(timeout=2)
            except (*_BROKEN, asyncpg.PostgresError):
                connection.terminate()

    async def _connected(self) -> Connection:
        if self._connection is not None and not self._connection.is_closed():
            return self._connection
        self._connection = connection = await self._connect()
        if self._listen is not None:
            channel, told = self._listen

            def wake(*_: object) -> None:
                told()

            await connection.add_listener(channel, wake)
            connection.add_termination_listener(wake)
        return connection

    def _drop(self) -> None:
        """A statement that did not end leaves a connection in an unknown state: use a new one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()
