"""What somebody has read, for those who show chapters; what is not written yet included."""

from collections.abc import Collection, Sequence
from datetime import datetime

from rensai.kit.db import Reads
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.shelf.model import Progress, ReadChapter, Step
from rensai.rooms.shelf.service.buffer import ProgressBuffer
from rensai.rooms.shelf.store import history as store
from rensai.rooms.shelf.store import progress as progress_store


class ShelfMarks(catalogue.ReadMarks):
    """Which chapters somebody has read: the `read_marks` of the catalogue."""

    def __init__(self, reads: Reads, progress: ProgressBuffer) -> None:
        self._reads = reads
        self._progress = progress

    async def read_of(self, user_id: int, chapter_ids: Sequence[int]) -> Collection[int]:
        """Those of the chapters that this account has read."""
        if not chapter_ids:
            return ()
        here = self._progress.chapters_of(user_id).keys() & set(chapter_ids)
        return here | set(await store.read(self._reads, user_id, chapter_ids))


async def reading_of_chapter(
    reads: Reads, progress: ProgressBuffer, user_id: int, chapter_id: int
) -> ReadChapter | None:
    """What is known of somebody's reading of a chapter."""
    step = progress.chapters_of(user_id).get(chapter_id)
    (known,) = await store.of_chapters(reads, user_id, [chapter_id]) or (None,)
    return known if step is None else _joined(known, step)


async def place_in_story(
    reads: Reads, progress: ProgressBuffer, user_id: int, story_id: int
) -> Progress | None:
    """Where somebody is in a story."""
    await progress.settle(user_id)
    return await progress_store.find(reads, user_id, story_id)


def _joined(known: ReadChapter | None, step: Step) -> ReadChapter:
    """What will be known once the step is written."""
    if known is not None and known.updated_at > step.at:
        return known
    completed = step.completed
    if completed is None and known is not None:
        completed = known.completed
    read_at: datetime = step.at
    if known is not None and known.read_at is not None:
        read_at = max(read_at, known.read_at)
    return ReadChapter(
        step.chapter_id,
        step.story_id,
        step.page_number,
        completed,
        step.scroll_position,
        read_at,
        step.at,
    )
