"""Putting stories on reading lists, and their order."""

from collections.abc import Sequence
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from rensai.kit import texts
from rensai.kit.clock import Clock
from rensai.kit.db import Reads, Tx
from rensai.kit.errors import Invalid
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.shelf.errors import EntryNotFound, ShelfFull
from rensai.rooms.shelf.model.lists import (
    GAP,
    LONGEST_NOTE,
    MOST_ENTRIES,
    Entry,
    ReadingList,
    ShownEntry,
)
from rensai.rooms.shelf.service.lists import own_list
from rensai.rooms.shelf.service.pages import shown
from rensai.rooms.shelf.store import entries as store
from rensai.rooms.shelf.store import lists as list_store

BEFORE_ALL = (-(2**63), 0)


async def put_entry(
    tx: Tx,
    clock: Clock,
    user_id: int,
    uid: UUID,
    story_id: int,
    *,
    note: str | UnsetType = UNSET,
    after: int | UnsetType | None = UNSET,
) -> tuple[Entry, bool]:
    """Put a story on a list of one's own, or change its note or place; whether it is new there.

    `after` is the story that it is to follow, None for the first place. What is not said stays; a
    new entry comes last.
    """
    text = note if note is UNSET else texts.prose("note", note, most=LONGEST_NOTE)
    kept = await own_list(tx, user_id, uid)
    known = await store.one(tx, kept.id, story_id)
    if known is None and kept.entry_count >= MOST_ENTRIES:
        room = f"There is room for {MOST_ENTRIES:,} entries on a list."
        raise ShelfFull(room, details={"limit": MOST_ENTRIES})
    now = clock.now()
    entry = known or Entry(story_id, 0, "", now)
    if known is None or (after is not UNSET and after != story_id):
        place = await _place(tx, kept, after)
        entry = msgspec.structs.replace(entry, position=place)
    if text is not UNSET:
        entry = msgspec.structs.replace(entry, note=text)
    if known is None:
        await store.insert(tx, kept.id, [entry])
    else:
        await store.update(tx, kept.id, entry)
    await list_store.changed(tx, kept.id, int(known is None), now)
    return entry, known is None


async def drop_entry(tx: Tx, clock: Clock, user_id: int, uid: UUID, story_id: int) -> None:
    """Take a story from a list of one's own."""
    kept = await own_list(tx, user_id, uid)
    if not await store.delete(tx, kept.id, story_id):
        raise EntryNotFound
    await list_store.changed(tx, kept.id, -1, clock.now())


async def arrange(tx: Tx, clock: Clock, user_id: int, uid: UUID, first: Sequence[UUID]) -> None:
    """Put the entries of these stories first, in this order; the others follow as they were."""
    kept = await own_list(tx, user_id, uid)
    held = await store.on_lists(tx, [kept.id])
    cards = await catalogue.story_cards(tx, [one.story_id for one in held])
    ids = {card.uid: card.id for card in cards.values()}
    if len(set(first)) < len(first):
        raise _no_order("A series stands in it twice.")
    if any(uid not in ids for uid in first):
        raise _no_order("A series of it is not on the list.")
    await store.arrange(tx, kept.id, [ids[uid] for uid in first])
    await list_store.changed(tx, kept.id, 0, clock.now())


async def list_entries(
    reads: Reads, kept: ReadingList, *, after: tuple[int, int] | None, limit: int
) -> list[ShownEntry]:
    """What is on a list and can be read, in its order, and one more than `limit`."""

    found = await shown(
        lambda key, count: store.following(reads, kept.id, key, count),
        lambda entry: entry.key,
        lambda entry: entry.story_id,
        lambda ids: catalogue.story_cards(reads, ids),
        after=after or BEFORE_ALL,
        limit=limit,
    )
    return [ShownEntry(entry, story) for entry, story in found]


async def _place(tx: Tx, kept: ReadingList, after: int | UnsetType | None) -> int:
    """A position behind `after`, which nothing else has."""
    if after is UNSET:
        last = await store.last(tx, kept.id)
        return GAP if last is None else last.position + GAP
    before = None if after is None else await store.one(tx, kept.id, after)
    if after is not None and before is None:
        why = "It is not on this list."
        raise Invalid(details=[{"path": "after", "in": "body", "message": why}])
    place = BEFORE_ALL if before is None else before.key
    behind = next(iter(await store.following(tx, kept.id, place, 1)), None)
    if before is None:
        return GAP if behind is None else behind.position - GAP
    if behind is None:
        return before.position + GAP
    if behind.position - before.position < 2:
        await store.arrange(tx, kept.id)
        return await _place(tx, kept, after)
    return (before.position + behind.position) // 2


def _no_order(why: str) -> Invalid:
    return Invalid(
        "That is no order of this list.",
        details=[{"path": "series", "in": "body", "message": why}],
    )
