"""Progress is accepted into memory and written every few seconds, many readers at once.

A reader who turns pages sends far more than is worth a transaction each. What was accepted is
written within `PROGRESS_FLUSH_SECONDS`; a process that is killed loses no more than that, one that
is told to stop writes everything first. Whoever asks in the same process finds what was accepted:
lists have it written first (`settle`), small questions look here too. While the database is away
everything is kept and tried again, up to a bound.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from datetime import timedelta

from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.kit.errors import RateLimited, Unavailable
from rensai.kit.log import get_logger
from rensai.rooms.shelf.model import Step
from rensai.rooms.shelf.service.unwritten import Unwritten, newest
from rensai.rooms.shelf.service.writing import write

MOST = 100_000
"""Chapters that may wait to be written, of all readers."""

MOST_OF_ONE = 1_000
"""Chapters of one reader."""

AT_ONCE = 5_000
"""Rows of one statement."""

PATIENCE = 3.0
"""Seconds that a process which is to stop waits for the database."""

_log = get_logger("rensai.shelf")


class _Batch:
    """What is being written at this moment."""

    __slots__ = ("readers", "writing")

    def __init__(self, readers: dict[int, Unwritten]) -> None:
        self.readers = readers
        self.writing: asyncio.Task[Unavailable | None] | None = None


class ProgressBuffer:
    """What was read and is not written yet, of one process."""

    def __init__(self, db: Database, clock: Clock, every: timedelta, *, most: int = MOST) -> None:
        self._db = db
        self._clock = clock
        self._every = every.total_seconds()
        self._most = most
        self._waiting: dict[int, Unwritten] = {}
        self._batches: set[_Batch] = set()
        self._count = 0
        self._loop: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        """How many chapters wait or are being written."""
        return self._count

    def start(self) -> None:
        """Write what comes in every few seconds from now on."""
        self._loop = asyncio.get_running_loop().create_task(self._write_now_and_then())

    async def close(self) -> None:
        """Write everything and stop; a database that is away is given a moment to come back."""
        if self._loop is not None:
            self._loop.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._loop
        loop = asyncio.get_running_loop()
        until = loop.time() + PATIENCE
        while True:
            for batch in list(self._batches):
                await self._outcome(batch)
            if await self.flush() and not self._count:
                return
            if loop.time() > until:
                _log.error("what was read cannot be written and is lost", chapters=self._count)
                return
            await asyncio.sleep(0.2)

    def accept(self, user_id: int, steps: Sequence[Step]) -> None:
        """Take in what somebody has read, all of it or nothing."""
        mine = self._waiting.get(user_id)
        if mine is None:
            mine = Unwritten()
        if len(mine) + len(steps) > MOST_OF_ONE:
            raise RateLimited(headers={"Retry-After": self._soon})
        if self._count + len(steps) > self._most:
            raise Unavailable(headers={"Retry-After": self._soon}, private="too much waits")
        before = len(mine)
        for step in steps:
            mine.add(step)
        self._waiting[user_id] = mine
        self._count += len(mine) - before

    def chapters_of(self, user_id: int) -> dict[int, Step]:
        """What is known here of a reader's chapters. To be asked before the database is."""
        found: dict[int, Step] = {}
        for unwritten in self._all_of(user_id):
            for chapter_id, step in unwritten.chapters.items():
                known = found.get(chapter_id)
                found[chapter_id] = step if known is None else newest(known, step)
        return found

    async def settle(self, user_id: int) -> None:
        """Have everything written that this reader has sent until now."""
        mine = self._waiting.pop(user_id, None)
        if mine is not None:
            self._send({user_id: mine})
        for batch in [batch for batch in self._batches if user_id in batch.readers]:
            problem = await self._outcome(batch)
            if problem is not None:
                raise problem

    async def flush(self) -> bool:
        """Write all that waits at this moment; whether the database took it."""
        left = self._count
        while self._waiting and left > 0:
            readers = self._take(AT_ONCE)
            left -= sum(map(len, readers.values()))
            problem = await self._outcome(self._send(readers))
            if problem is not None:
                _log.warning(
                    "what was read waits for the database",
                    chapters=self._count,
                    error=problem.private or problem.message,
                )
                return False
        return True

    @property
    def _soon(self) -> str:
        return str(max(1, round(self._every)))

    def _all_of(self, user_id: int) -> list[Unwritten]:
        """Everything of a reader, what was sent first before the rest."""
        places = [*(batch.readers for batch in self._batches), self._waiting]
        return [place[user_id] for place in places if user_id in place]

    def _take(self, most: int) -> dict[int, Unwritten]:
        """Some of those who wait, the longest waiting first."""
        taken: dict[int, Unwritten] = {}
        rows = 0
        for user_id, unwritten in self._waiting.items():
            if taken and rows + len(unwritten) > most:
                break
            taken[user_id] = unwritten
            rows += len(unwritten)
        for user_id in taken:
            del self._waiting[user_id]
        return taken

    def _send(self, readers: dict[int, Unwritten]) -> _Batch:
        """Begin to write; whoever asked for it may go away meanwhile."""
        batch = _Batch(readers)
        self._batches.add(batch)
        batch.writing = asyncio.get_running_loop().create_task(self._write(batch))
        return batch

    @staticmethod
    async def _outcome(batch: _Batch) -> Unavailable | None:
        assert batch.writing is not None  # noqa: S101 - every batch has been sent
        return await asyncio.shield(batch.writing)

    async def _write(self, batch: _Batch) -> Unavailable | None:
        written = False
        try:
            await write(self._db, self._clock, batch.readers)
            written = True
        except Unavailable as problem:
            return problem
        finally:
            self._batches.discard(batch)
            if written:
                self._count -= sum(map(len, batch.readers.values()))
            else:
                self._put_back(batch.readers)
        return None

    def _put_back(self, readers: dict[int, Unwritten]) -> None:
        for user_id, unwritten in readers.items():
            later = self._waiting.get(user_id)
            if later is not None:
                before = len(unwritten) + len(later)
                unwritten.add_all(later)
                self._count -= before - len(unwritten)
            self._waiting[user_id] = unwritten

    async def _write_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(self._every)
            try:
                await self.flush()
            except Exception:  # noqa: BLE001 - whatever it was, readers go on reading
                _log.exception("what was read could not be written")
