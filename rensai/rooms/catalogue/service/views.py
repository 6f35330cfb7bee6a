"""Counting who looks at stories and reads chapters, without a write for each.

Each process counts in memory (`Views`). What it has counted is taken in batches, and each batch has
an id that is stored in the transaction that adds it up: when nobody knows whether a commit came
through, the same batch is tried again and counts once. `view_flushes` says when that happens.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Reads
from rensai.kit.ids import new_uid
from rensai.kit.log import get_logger
from rensai.kit.recently import Recently
from rensai.rooms.catalogue.model.views import ViewBatch
from rensai.rooms.catalogue.store import views as store

SAME_VISIT = timedelta(minutes=30)
"""A visitor who comes back within it is not counted again."""

BATCH = 1_000
"""So many stories and chapters are written in one transaction, which holds their rows."""

MOST = 100_000
"""So many are counted before they are written, or lost when they cannot be."""

_KEPT_IDS = timedelta(days=30)

_LOG = get_logger("rensai.catalogue.views")


class Views:
    """The counter of one process."""

    def __init__(self, secret: str, recently: Recently) -> None:
        self._key = hashlib.blake2b(secret.encode(), person=b"views", digest_size=32).digest()
        self._recently = recently
        self._stories: dict[int, int] = {}
        self._chapters: dict[int, int] = {}
        self._lost = 0

    def see_story(self, visitor: str | None, story_id: int, now: datetime) -> None:
        """Somebody looks at a story that can be read."""
        if visitor is not None and self._is_new(b"s", visitor, story_id, now):
            self._count(self._stories, story_id)

    def read_chapter(self, visitor: str | None, chapter_id: int, now: datetime) -> None:
        """Somebody gets the text of a chapter."""
        if visitor is not None and self._is_new(b"c", visitor, chapter_id, now):
            self._count(self._chapters, chapter_id)

    @property
    def size(self) -> int:
        """How many stories and chapters have been counted and not taken."""
        return len(self._stories) + len(self._chapters)

    def take(self) -> list[ViewBatch]:
        """All that was counted, no longer counted here."""
        stories, chapters = sorted(self._stories.items()), sorted(self._chapters.items())
        self._stories, self._chapters = {}, {}
        if self._lost:
            _LOG.warning("views were not counted: too many wait to be written", lost=self._lost)
            self._lost = 0
        return [
            *(ViewBatch(new_uid(), dict(part), {}) for part in _parts(stories)),
            *(ViewBatch(new_uid(), {}, dict(part)) for part in _parts(chapters)),
        ]

    def _count(self, counts: dict[int, int], id_: int) -> None:
        if id_ in counts:
            counts[id_] += 1
        elif self.size < MOST:
            counts[id_] = 1
        else:
            self._lost += 1

    def _is_new(self, kind: bytes, visitor: str, id_: int, now: datetime) -> bool:
        what = b"%s%d %s" % (kind, id_, visitor.encode("utf-8", "surrogatepass"))
        mark = hashlib.blake2b(what, key=self._key, digest_size=8).digest()
        return self._recently.note(int.from_bytes(mark), now.timestamp())


async def write_batch(db: Database, clock: Clock, batch: ViewBatch) -> bool:
    """Add a batch to what has been counted; False when that was done before."""
    now = clock.now()
    async with db.transaction() as tx:
        is_new = await store.begin(tx, batch.id, now)
        if is_new:
            await store.add(tx, batch.stories, batch.chapters)
        await store.forget(tx, now - _KEPT_IDS)
    return is_new


async def views_of(reads: Reads, story_ids: Sequence[int]) -> dict[int, int]:
    """How often each of these stories has been looked at, as far as it is written."""
    return await store.views_of(reads, story_ids)


def _parts(counted: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    return [counted[at : at + BATCH] for at in range(0, len(counted), BATCH)]
