"""A database that fails at a chosen moment, as if the worker or the server were gone."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from typing import TypeVar

from rensai.kit.db import Command, Database, Query, Tx

T = TypeVar("T")


class Killed(BaseException):
    """The worker is gone: nothing in it may catch this."""


class Fuse:
    """Burns one step at each statement and each commit, and goes off at its end."""

    def __init__(self) -> None:
        self._left: int | None = None
        self._error: BaseException = Killed()

    def light(self, steps: int, error: BaseException) -> None:
        """Let it go off after so many steps."""
        self._left, self._error = steps, error

    def put_out(self) -> None:
        self._left = None

    def burn(self) -> None:
        """Burn one step."""
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                self._left = None
                raise self._error


class FusedTx(Tx):
    """A transaction whose statements burn the fuse."""

    __slots__ = ("_fuse",)

    def __init__(self, tx: Tx, fuse: Fuse) -> None:
        super().__init__(tx.connection, tx.subscriptions)
        self._fuse = fuse

    async def all(self, query: Query[T], *args: object) -> list[T]:
        self._fuse.burn()
        return await super().all(query, *args)

    async def run(self, command: Command, *args: object) -> int:
        self._fuse.burn()
        return await super().run(command, *args)


class FusedDatabase(Database):
    """A database that may fail between any two statements, and between a commit and its answer."""

    def __init__(self, real: Database, fuse: Fuse) -> None:
        super().__init__(real.primary, real.replica, real.queue)
        self.fuse = fuse

    def transaction(self, timeout: timedelta | None = None) -> AbstractAsyncContextManager[Tx]:
        return self._fused(super().transaction(timeout))

    @asynccontextmanager
    async def _fused(self, real: AbstractAsyncContextManager[Tx]) -> AsyncGenerator[Tx]:
        async with real as tx:
            yield FusedTx(tx, self.fuse)
            self.fuse.burn()
        self.fuse.burn()
