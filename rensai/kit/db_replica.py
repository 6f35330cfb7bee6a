"""A read replica that may be away: its reads then go to the primary."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import TypeVar

from rensai.kit.db_connections import PoolUse
from rensai.kit.db_errors import Contended, Lost
from rensai.kit.db_pool import Pool
from rensai.kit.db_statements import Query
from rensai.kit.db_tx import Tx
from rensai.kit.errors import Unavailable

T = TypeVar("T")

RETRY_SECONDS = 5.0
_ALIVE = Query("SELECT 1 AS alive", int)
_log = logging.getLogger(__name__)


class Replica:
    """The replica while it answers, else the primary; it says once when that changes."""

    def __init__(self, primary: Pool, open_pool: Callable[[], Awaitable[Pool]]) -> None:
        self._primary = primary
        self._open_pool = open_pool
        self._pool: Pool | None = None
        self._answers = True
        self._watch: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Connect to the replica, or go on without it for now."""
        try:
            self._pool = await self._open_pool()
        except Unavailable as error:
            self._lose(error)

    @property
    def answers(self) -> bool:
        """Whether reads go to the replica at the moment."""
        return self._answers

    @property
    def use(self) -> PoolUse:
        """How busy its own connections are."""
        return self._pool.use if self._pool else PoolUse(0, 0, 0, 0)

    async def all(self, query: Query[T], *args: object) -> list[T]:
        """Every row of the answer."""
        if self._pool and self._answers:
            try:
                return await self._pool.all(query, *args)
            except Lost as error:
                self._lose(error)
            except Contended:
                pass  # a standby cancels reads that hold up what it must replay
        return await self._primary.all(query, *args)

    async def first(self, query: Query[T], *args: object) -> T | None:
        """The first row of the answer, if there is one."""
        rows = await self.all(query, *args)
        return rows[0] if rows else None

    def transaction(self, timeout: timedelta | None = None) -> AbstractAsyncContextManager[Tx]:
        """Several reads from the same server."""
        return self._transaction(timeout)

    async def close(self) -> None:
        """Close its connections."""
        if self._watch:
            self._watch.cancel()
        if self._pool:
            await self._pool.close()

    @asynccontextmanager
    async def _transaction(self, limit: timedelta | None) -> AsyncGenerator[Tx, None]:
        async with AsyncExitStack() as stack:
            yield await self._begin(stack, limit)

    async def _begin(self, stack: AsyncExitStack, limit: timedelta | None) -> Tx:
        if self._pool and self._answers:
            try:
                return await stack.enter_async_context(self._pool.transaction(limit))
            except Lost as error:
                self._lose(error)
        return await stack.enter_async_context(self._primary.transaction(limit, read_only=True))

    def _lose(self, error: Unavailable) -> None:
        if not self._answers:
            return
        self._answers = False
        why = error.private or error.message
        _log.warning("the database replica does not answer; reads go to the primary: %s", why)
        self._watch = asyncio.get_running_loop().create_task(self._wait_for_it())

    async def _wait_for_it(self) -> None:
        while not self._answers:
            await asyncio.sleep(RETRY_SECONDS)
            try:
                self._pool = self._pool or await self._open_pool()
                await self._pool.first(_ALIVE)
            except Unavailable:
                continue
            self._answers = True
            _log.info("the database replica answers again")
