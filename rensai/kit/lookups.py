"""Small questions that many ask at the same time, put to the database together.

Whoever asks while a question of the same kind is under way is in the next one. So an answer is
never older than the asking, as if everybody had asked alone, and a busy process asks a few
times where it would have asked a thousand times.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from rensai.kit.db import Reads

K = TypeVar("K")
V = TypeVar("V")

Question = Callable[[Reads, list[K]], Awaitable[Mapping[K, V]]]
"""A function of a store: what it knows of each of these keys."""

MOST_AT_ONCE = 200


class Lookups:
    """The questions of one process, each kind in a line of its own."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads
        self._lines: dict[object, _Line] = {}

    async def ask(self, question: Question[K, V], key: K) -> V | None:
        """What `question` knows of this key, which must be hashable; None when it knows nothing."""
        line = self._lines.get(question)
        if line is None:
            line = self._lines[question] = _Line(self._reads, question)
        return await line.join(key)


class _Line:
    """Who waits for answers to one kind of question."""

    # Any: the keys and values of any question.
    def __init__(self, reads: Reads, question: Question[Any, Any]) -> None:
        self._reads = reads
        self._question = question
        self._waiting: list[tuple[Any, asyncio.Future[Any]]] = []
        self._asking: asyncio.Task[None] | None = None

    def join(self, key: Any) -> asyncio.Future[Any]:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        self._waiting.append((key, answer))
        if self._asking is None:
            self._asking = loop.create_task(self._ask_until_nobody_waits())
        return answer

    async def _ask_until_nobody_waits(self) -> None:
        try:
            while self._waiting:
                asked = self._waiting[:MOST_AT_ONCE]
                del self._waiting[:MOST_AT_ONCE]
                await self._ask(asked)
        finally:
            self._asking = None
            for _, answer in self._waiting:  # there are some only when the process is ending
                answer.cancel()
            self._waiting.clear()

    async def _ask(self, asked: list[tuple[Any, asyncio.Future[Any]]]) -> None:
        try:
            found = await self._question(self._reads, list({key for key, _ in asked}))
        except BaseException as error:
            for _, answer in asked:
                if answer.done():
                    continue
                if isinstance(error, Exception):
                    answer.set_exception(error)
                else:
                    answer.cancel()
            if not isinstance(error, Exception):
                raise
            return
        for key, answer in asked:
            if not answer.done():  # whoever gave up meanwhile has no use for it
                answer.set_result(found.get(key))
