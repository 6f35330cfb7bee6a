"""The one way by which chapters from sources come in."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from rensai.kit.clock import Clock
from rensai.kit.db import Tx
from rensai.kit.events import Event, emit
from rensai.kit.ids import new_uid
from rensai.rooms.catalogue.events import ChapterChanged, ChapterDeleted, ChapterPublished
from rensai.rooms.catalogue.model import BodySource, IncomingChapter, Outcome, Result
from rensai.rooms.catalogue.service.plan_chapters import Plan, Write, plan_chapters
from rensai.rooms.catalogue.store import received_chapters as store
from rensai.rooms.catalogue.store import recounts
from rensai.rooms.catalogue.store.stories import raise_versions

_PART_BYTES = 24 << 20
"""How much text is moved at once, counted before packing."""


async def receive_chapters(
    tx: Tx, clock: Clock, source: str, items: Sequence[IncomingChapter], bodies: BodySource
) -> list[Outcome]:
    """Write a batch of one source; each item has one outcome, in no particular order.

    The newest `updated_at_source` wins. At the same time the later delivery wins, and a deletion
    wins over everything. What fails does so alone and leaves no trace; an error that comes out of
    here leaves the whole batch undone.
    """
    if not items:
        return []
    now = clock.now()
    wanted = {item.source_story_id for item in items}
    stories = {
        story.source_story_id: story for story in await store.stories(tx, source, sorted(wanted))
    }
    incoming = [
        (story, item) for item in items if (story := stories.get(item.source_story_id)) is not None
    ]
    outcomes = [_homeless(item) for item in items if item.source_story_id not in stories]
    if not incoming:
        return outcomes
    known = await store.find(
        tx,
        [story.id for story, _ in incoming],
        [item.source_chapter_id for _, item in incoming],
        [item.chapter_no for _, item in incoming],
        [item.slug for _, item in incoming],
    )
    plan = plan_chapters(incoming, known, now)
    written = await _carry_out(tx, plan, bodies, now)
    outcomes += [
        outcome if outcome.job_id not in written.refused else _taken(outcome.job_id)
        for outcome in plan.outcomes
    ]
    return outcomes


class _Written:
    """What was really written."""

    def __init__(self) -> None:
        self.ids: list[tuple[Write, int]] = []
        self.refused: set[int] = set()


async def _carry_out(tx: Tx, plan: Plan, bodies: BodySource, now: datetime) -> _Written:
    written = _Written()
    if plan.confirmed:
        # Whoever keeps an answer about the chapter asks by the version whether it is still true.
        await raise_versions(tx, sorted(await store.confirm(tx, plan.confirmed)))
    if not plan.writes:
        return written
    if plan.parked:
        await store.park(tx, plan.parked, now)
    changed = [(write, write.known.id) for write in plan.writes if write.known is not None]
    if changed:
        await store.update(tx, [id_ for _, id_ in changed], [w.chapter for w, _ in changed], now)
        written.ids += changed
    await _insert(tx, [write for write in plan.writes if write.known is None], written, now)
    await _write_bodies(tx, written, bodies, now)
    touches = Counter(write.story.id for write, _ in written.ids)
    if touches:
        await store.changed_stories(tx, sorted(touches), now)
        await recounts.touch(tx, touches, now)
        await emit(tx, *_news(written))
    return written


async def _insert(tx: Tx, new: list[Write], written: _Written, now: datetime) -> None:
    if not new:
        return
    uids = [new_uid() for _ in new]
    ids = await store.insert(tx, uids, [w.story for w in new], [w.chapter for w in new], now)
    for uid, write in zip(uids, new, strict=True):
        id_ = ids.get(uid)
        if id_ is None:
            written.refused.add(write.item.job_id)
        else:
            written.ids.append((write, id_))


async def _write_bodies(tx: Tx, written: _Written, bodies: BodySource, now: datetime) -> None:
    wanted = [(write.item, id_) for write, id_ in written.ids if write.new_body]
    for part in _by_size(wanted):
        packed = {
            body.job_id: body for body in await bodies.packed(tx, [item.job_id for item, _ in part])
        }
        rows: list[store.BodyToWrite] = []
        for item, id_ in part:
            body = packed.get(item.job_id)
            if body is None or item.content_hash is None:
                raise LookupError(f"no body for the job {item.job_id}")
            rows.append(
                store.BodyToWrite(
                    chapter_id=id_,
                    content_raw=body.raw,
                    content_html=body.html,
                    content_hash=item.content_hash,
                    content_size=item.content_size,
                    content_encoding=body.encoding,
                )
            )
        await store.write_bodies(tx, rows, now)


def _by_size(wanted: list[tuple[IncomingChapter, int]]) -> list[list[tuple[IncomingChapter, int]]]:
    """Parts of which each fits into memory easily."""
    parts: list[list[tuple[IncomingChapter, int]]] = []
    size = _PART_BYTES
    for one in wanted:
        size += one[0].content_size
        if size > _PART_BYTES:
            parts.append([])
            size = one[0].content_size
        parts[-1].append(one)
    return parts


def _news(written: _Written) -> list[Event]:
    found = [_news_of(write, id_) for write, id_ in written.ids]
    return [event for event in found if event is not None]


def _news_of(write: Write, chapter_id: int) -> Event | None:
    story, known = write.story.id, write.known
    if write.result is Result.DELETED:
        seen = known is not None and known.announced_at is not None
        return ChapterDeleted(story_id=story, chapter_id=chapter_id) if seen else None
    if write.chapter.announced_at is None:
        return None  # nobody has ever seen it
    if known is None or known.announced_at is None:
        return ChapterPublished(story_id=story, chapter_id=chapter_id)
    return ChapterChanged(story_id=story, chapter_id=chapter_id)


def _homeless(item: IncomingChapter) -> Outcome:
    return Outcome(
        item.job_id,
        Result.FAILED,
        "story_not_found",
        "There is no story with this source_story_id yet.",
        retryable=True,
    )


def _taken(job_id: int) -> Outcome:
    return Outcome(
        job_id,
        Result.FAILED,
        "chapter_conflict",
        "Somebody else wrote a chapter with this number or slug at the same moment.",
        retryable=True,
    )
