"""A builder of the index that lets others write between its steps."""

from collections.abc import Awaitable, Callable
from typing import Any

from rensai.rooms.search.model import State
from rensai.rooms.search.service.rebuild import Rebuild
from rensai.rooms.search.store import state as states
from tests.rooms.search.library import Library

Meanwhile = Callable[[], Awaitable[object]]


async def nothing() -> None:
    """Does nothing meanwhile."""


class SlowRebuild(Rebuild):
    """Two stories at a time; `read` comes before each batch is written, `frozen` before the
    indexes of the new shelf are made and `indexed` before it goes live."""

    def __init__(
        self,
        library: Library,
        *,
        read: Meanwhile = nothing,
        frozen: Meanwhile = nothing,
        indexed: Meanwhile = nothing,
    ) -> None:
        super().__init__(library.db, library.clock, "slow", batch=2)
        self._read_hook = read
        self._frozen_hook = frozen
        self._indexed_hook = indexed

    async def _add(self, batch: Any) -> None:
        await self._read_hook()
        await super()._add(batch)

    async def _finish(self) -> None:
        await self._frozen_hook()
        await super()._finish()

    async def _index(self) -> None:
        await super()._index()
        await self._indexed_hook()


def once(meanwhile: Meanwhile) -> Meanwhile:
    """Done the first time alone."""
    left = [meanwhile]

    async def do() -> None:
        if left:
            await left.pop()()

    return do


async def state_of(library: Library) -> State:
    return await states.read(library.db.primary)
