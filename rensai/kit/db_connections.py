"""The open connections to one server, lent to one user at a time.

asyncpg's own pool makes a task and a proxy object for each loan. A loan here is a list pop, which
halves the processor time of a small read; what remains is the few rules below.

* The most recently used connection is lent first; those that were not needed for a whole
  minute are closed, so an idle server holds little memory.
* A connection comes back through `give_back` when its statement ended well, and through `mend`
  when not: then an open transaction is rolled back, in a task that a cancelled request cannot
  stop, or the connection is thrown away.
* Whoever waits for a connection longer than `patience` is told that the server is busy.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from weakref import WeakSet

from rensai.kit import errors
from rensai.kit.db_driver import Connection
from rensai.kit.db_errors import DRIVER_ERRORS, Lost, raise_domain

SWEEP_SECONDS = 60.0
MEND_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class PoolUse:
    """How busy a pool is."""

    limit: int
    open: int
    idle: int
    waiting: int


class Connections:
    """At most `limit` connections, opened when needed."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[Connection]],
        *,
        limit: int,
        patience: timedelta,
    ) -> None:
        self._connect = connect
        self._limit = limit
        self._patience = patience.total_seconds()
        self._idle: list[Connection] = []
        self._open = 0
        self._least_idle = 0
        self._waiting: deque[asyncio.Future[Connection | None]] = deque()
        self._opened: WeakSet[Connection] = WeakSet()
        self._chores: set[asyncio.Task[None]] = set()
        self._closing = False
        self._drained = asyncio.Event()
        self._sweeper = asyncio.get_running_loop().call_later(SWEEP_SECONDS, self.sweep)

    @property
    def use(self) -> PoolUse:
        """How busy this is, for metrics."""
        return PoolUse(self._limit, self._open, len(self._idle), len(self._waiting))

    async def take(self) -> Connection:
        """Borrow a connection; every loan ends in `give_back` or `mend`."""
        idle = self._idle
        while idle:
            connection = idle.pop()
            if not connection.is_closed():
                self._least_idle = min(self._least_idle, len(idle))
                return connection
            self._open -= 1
        self._least_idle = 0
        if self._closing:
            raise errors.Unavailable(private="the database pool is closing")
        if self._open < self._limit:
            self._open += 1
            return await self._open_one()
        return await self._wait_for_one()

    def give_back(self, connection: Connection) -> None:
        """End the loan of a connection whose last statement ended well."""
        if connection.is_closed():
            self._free_slot()
        elif connection.is_in_transaction():
            self._chore(self._clean(connection))
        else:
            self._lend_on(connection)

    async def mend(self, connection: Connection) -> None:
        """End the loan of a connection in an unknown state; nobody can interrupt this."""
        await asyncio.shield(self._chore(self._clean(connection)))

    def discard(self, connection: Connection) -> None:
        """End the loan of a connection that nobody should use again."""
        connection.terminate()
        self._free_slot()

    async def close(self, patience: timedelta) -> None:
        """Wait for the loans to end, then close every connection; cut those that never end."""
        self._closing = True
        self._sweeper.cancel()
        for connection in self._idle:
            self._chore(self._hang_up(connection))
        self._idle.clear()
        try:
            async with asyncio.timeout(patience.total_seconds()):
                while self._open or self._chores:
                    self._drained.clear()
                    await self._drained.wait()
        except TimeoutError:
            for connection in self._opened:
                connection.terminate()

    async def _open_one(self) -> Connection:
        """Open a connection in a slot that the caller has."""
        try:
            connection = await self._connect()
        except BaseException as error:
            self._free_slot()
            if isinstance(error, TimeoutError):
                raise Lost(private="no answer to an attempt to connect") from error
            if isinstance(error, DRIVER_ERRORS):
                raise_domain(error)
            raise
        self._opened.add(connection)
        return connection

    async def _wait_for_one(self) -> Connection:
        waiter: asyncio.Future[Connection | None]
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            async with asyncio.timeout(self._patience):
                connection = await waiter
        except BaseException as error:
            self._abandon(waiter)
            if isinstance(error, TimeoutError):
                raise errors.Unavailable(private="every database connection is busy") from None
            raise
        return connection if connection is not None else await self._open_one()

    def _abandon(self, waiter: asyncio.Future[Connection | None]) -> None:
        """Pass on what a waiter was given while it stopped waiting."""
        if not waiter.done() or waiter.cancelled():
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            return
        connection = waiter.result()
        if connection is None:
            self._free_slot()
        else:
            self.give_back(connection)

    def _lend_on(self, connection: Connection) -> None:
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(connection)
                return
        if self._closing:
            self._chore(self._hang_up(connection))
        else:
            self._idle.append(connection)

    def _free_slot(self) -> None:
        """A connection is gone: the first who waits may open another in its place."""
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
        self._open -= 1
        self._drained.set()

    async def _clean(self, connection: Connection) -> None:
        """Bring a connection back to rest, or close it."""
        try:
            async with asyncio.timeout(MEND_SECONDS):
                if not connection.is_in_transaction():
                    # Waits until a cancelled statement, which may have been BEGIN, has ended.
                    await connection.execute("SELECT")
                if connection.is_in_transaction():
                    await connection.execute("ROLLBACK")
        except (*DRIVER_ERRORS, asyncio.CancelledError):
            self.discard(connection)
        else:
            self._lend_on(connection)

    async def _hang_up(self, connection: Connection) -> None:
        try:
            await connection.close(timeout=MEND_SECONDS)
        except (*DRIVER_ERRORS, asyncio.CancelledError):
            connection.terminate()
        finally:
            self._free_slot()

    def _chore(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._chores.add(task)
        task.add_done_callback(self._chore_done)
        return task

    def _chore_done(self, task: asyncio.Task[None]) -> None:
        self._chores.discard(task)
        self._drained.set()

    def sweep(self) -> None:
        """Close what was idle through the whole time since the last sweep."""
        unneeded, self._idle = self._idle[: self._least_idle], self._idle[self._least_idle :]
        for connection in unneeded:
            self._chore(self._hang_up(connection))
        self._least_idle = len(self._idle)
        self._sweeper = asyncio.get_running_loop().call_later(SWEEP_SECONDS, self.sweep)
