"""Taking in what a reader has brought along from another server, or from here.

Lines may be anybody's: what cannot be read, and what is about stories or chapters that are not
here, is passed over. The newer of two wins, so twice is once.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import TypeVar

import msgspec

from rensai.kit.clock import SetClock
from rensai.kit.db import Tx
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.readers.door import User
from rensai.rooms.shelf.model import Bookmark, Step
from rensai.rooms.shelf.model.belongings import STATUS_OF, OwnBookmark, OwnProgress, OwnRead
from rensai.rooms.shelf.service.track import moment_of
from rensai.rooms.shelf.store import bookmarks as bookmark_store
from rensai.rooms.shelf.store import steps as store

T = TypeVar("T", bound=msgspec.Struct)
OfChapter = TypeVar("OfChapter", OwnProgress, OwnRead)


async def restore_progress(tx: Tx, user: User, lines: Sequence[bytes], now: datetime) -> int:
    """Take in where somebody is in stories; how many lines were taken."""
    found = await _with_chapters(tx, _read(lines, OwnProgress))
    steps = [_step(user.id, one, story_id, id_, now) for one, story_id, id_ in found]
    if steps:
        await store.write_progress(tx, _newest(steps, lambda step: step.story_id))
    return len(steps)


async def restore_history(tx: Tx, user: User, lines: Sequence[bytes], now: datetime) -> int:
    """Take in which chapters somebody has read; how many lines were taken."""
    found = await _with_chapters(tx, _read(lines, OwnRead))
    steps: list[Step] = []
    read_at: dict[int, datetime | None] = {}
    for one, story_id, chapter_id in found:
        step = _step(user.id, one, story_id, chapter_id, now)
        steps.append(msgspec.structs.replace(step, completed=one.completed))
        when = None if one.read_at is None else moment_of(one.read_at, now)
        known = read_at.get(chapter_id)
        read_at[chapter_id] = known if when is None else max(when, known or when)
    chosen = _newest(steps, lambda step: step.chapter_id)
    if chosen:
        await store.write_history(tx, chosen, [read_at[step.chapter_id] for step in chosen])
    return len(steps)


async def restore_bookmarks(tx: Tx, user: User, lines: Sequence[bytes], now: datetime) -> int:
    """Take in what somebody has on the shelf; how many lines were taken."""
    given = _read(lines, OwnBookmark)
    stories = await catalogue.find_stories(tx, {(one.source, one.slug) for one in given})
    bookmarks: dict[int, Bookmark] = {}
    taken = 0
    for one in given:
        story_id = stories.get((one.source, one.slug))
        if story_id is None:
            continue
        taken += 1
        updated_at = moment_of(one.updated_at, now)
        known = bookmarks.get(story_id)
        if known is None or updated_at >= known.updated_at:
            bookmarks[story_id] = Bookmark(
                story_id,
                STATUS_OF[one.status],
                one.notify_new_chapter,
                min(moment_of(one.added_at, now), updated_at),
                updated_at,
            )
    if bookmarks:
        changed = await bookmark_store.restore(tx, user.id, list(bookmarks.values()))
        # Whether they were followed before is not known: counting once more does no harm.
        await catalogue.touch_recounts_later(tx, SetClock(now), changed)
    return taken


def _read(lines: Sequence[bytes], kind: type[T]) -> list[T]:
    decoder = msgspec.json.Decoder(kind)
    found: list[T] = []
    for line in lines:
        try:
            found.append(decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
    return found


async def _with_chapters(tx: Tx, given: Sequence[OfChapter]) -> list[tuple[OfChapter, int, int]]:
    """Those whose chapters are here, with the keys of story and chapter."""
    stories = await catalogue.find_stories(tx, {(one.source, one.slug) for one in given})
    places = [
        (one, (story_id, _number(one.number), one.language))
        for one in given
        if (story_id := stories.get((one.source, one.slug))) is not None
    ]
    chapters = await catalogue.find_chapters(tx, {place for _, place in places})
    return [(one, place[0], chapters[place]) for one, place in places if place in chapters]


def _number(number: float) -> Decimal:
    return Decimal(str(number)).quantize(Decimal("0.01"))


def _step(
    user_id: int, one: OwnProgress | OwnRead, story_id: int, chapter_id: int, now: datetime
) -> Step:
    return Step(
        user_id,
        story_id,
        chapter_id,
        one.number,
        one.scroll_position,
        one.page_number,
        None,
        moment_of(one.updated_at, now),
    )


def _newest(steps: Sequence[Step], key: Callable[[Step], int]) -> list[Step]:
    """The newest step of each thing: a statement can write a row only once."""
    chosen: dict[int, Step] = {}
    for step in steps:
        known = chosen.get(key(step))
        if known is None or step.at >= known.at:
            chosen[key(step)] = step
    return list(chosen.values())
