"""The one way by which stories from sources come in."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from rensai.kit.clock import Clock
from rensai.kit.db import Tx
from rensai.kit.events import Event, emit
from rensai.kit.ids import new_uid
from rensai.rooms.catalogue.events import StoryChanged, StoryDeleted
from rensai.rooms.catalogue.model import IncomingStory, Outcome, Result
from rensai.rooms.catalogue.service.names import given_names, renamed, write_names
from rensai.rooms.catalogue.service.plan_stories import (
    Plan,
    Write,
    newest,
    plan_stories,
    slug_taken,
)
from rensai.rooms.catalogue.store import received_stories as store
from rensai.rooms.catalogue.store import recounts
from rensai.rooms.catalogue.store.stories import other_translations


async def receive_stories(
    tx: Tx, clock: Clock, source: str, items: Sequence[IncomingStory]
) -> list[Outcome]:
    """Write a batch of one source; each item has one outcome, in no particular order.

    The newest `updated_at_source` wins. At the same time the later delivery wins, and a deletion
    wins over everything. What fails does so alone and leaves no trace; an error that comes out of
    here leaves the whole batch undone. A transaction receives from one source only.
    """
    if not items:
        return []
    now = clock.now()
    counting, outcomes = newest(items)
    await store.lock_source(tx, source)
    ids = [item.source_story_id for item in counting]
    known = {row.source_story_id: row for row in await store.find(tx, source, ids)}
    slugs = {item.slug for item in counting if not item.deleted}
    held = {row.slug: row.id for row in await store.held_slugs(tx, source, sorted(slugs))}
    names = await given_names(tx, counting, now)
    other_names = await renamed(tx, names, {story: row.id for story, row in known.items()})
    plan = plan_stories(counting, known, held, other_names, now)
    if plan.confirmed:
        await store.confirm(tx, plan.confirmed)
    written = await _write(tx, source, plan, now)
    if written:
        story_ids = {w.item.source_story_id: id_ for w, id_ in written if not w.item.deleted}
        await write_names(tx, names, story_ids)
        await recounts.touch(tx, dict.fromkeys((id_ for _, id_ in written), 1), now)
        await emit(tx, *_news(written), *await _news_of_translations(tx, written))
    done = {write.item.job_id for write, _ in written}
    lost = {write.item.job_id for write in plan.writes} - done
    outcomes += [slug_taken(one.job_id) if one.job_id in lost else one for one in plan.outcomes]
    return outcomes


async def _write(tx: Tx, source: str, plan: Plan, now: datetime) -> list[tuple[Write, int]]:
    """Everything that is to be written, and the ids of what was."""
    if plan.parked:
        await store.park(tx, plan.parked, now)
    written = [(write, write.known.id) for write in plan.writes if write.known is not None]
    if written:
        await store.update(tx, [id_ for _, id_ in written], [w.story for w, _ in written], now)
    relabelled = [id_ for write, id_ in written if _has_other_language(write)]
    if relabelled:
        await store.relabel_chapters(tx, relabelled, now)
    new: dict[UUID, Write] = {new_uid(): write for write in plan.writes if write.known is None}
    if new:
        rows = {uid: (write.item.source_story_id, write.story) for uid, write in new.items()}
        made = await store.insert(tx, source, rows, now=now)
        written += [(new[uid], id_) for uid, id_ in made.items()]
    return written


def _has_other_language(write: Write) -> bool:
    """A crawler says the language of a story and not that of each chapter."""
    return write.known is not None and write.known.language != write.story.language


def _news(written: list[tuple[Write, int]]) -> list[Event]:
    news: list[Event] = []
    for write, story_id in written:
        if write.result is not Result.DELETED:
            news.append(StoryChanged(story_id=story_id))
        elif write.known is not None:
            news.append(StoryDeleted(story_id=story_id))
    return news


async def _news_of_translations(tx: Tx, written: list[tuple[Write, int]]) -> list[Event]:
    """A story that can be read, or no longer, is one translation more or less for the others."""
    turned = [id_ for write, id_ in written if write.known and _was_seen(write) != _is_seen(write)]
    if not turned:
        return []
    others = await other_translations(tx, turned)
    return [StoryChanged(story_id=story_id) for story_id in others]


def _was_seen(write: Write) -> bool:
    return write.known is not None and write.known.deleted_at is None and write.known.status > 0


def _is_seen(write: Write) -> bool:
    return write.story.deleted_at is None and write.story.status > 0
