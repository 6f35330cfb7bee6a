"""Taking in the opinions that a reader has brought along from another server, or from here.

Lines may be anybody's: what cannot be read or kept, and what is about stories that are not here, is
passed over. The newer of two wins, so twice is once.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

import msgspec

from rensai.kit import texts
from rensai.kit.clock import SetClock
from rensai.kit.db import Tx
from rensai.kit.errors import Invalid
from rensai.kit.ids import new_uid
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.readers.door import User
from rensai.rooms.shelf.model.lists import (
    GAP,
    LONGEST_DESCRIPTION,
    LONGEST_NOTE,
    LONGEST_TITLE,
    MOST_ENTRIES,
    MOST_LISTS,
    SLUG,
    Entry,
    ReadingList,
)
from rensai.rooms.shelf.model.opinions import EntryLine, ListLine, RatingLine
from rensai.rooms.shelf.model.ratings import LONGEST_REVIEW, Rating
from rensai.rooms.shelf.service.track import moment_of
from rensai.rooms.shelf.store import entries as entry_store
from rensai.rooms.shelf.store import lists as list_store
from rensai.rooms.shelf.store import ratings as rating_store

T = TypeVar("T")

_RATINGS = msgspec.json.Decoder(RatingLine)
_LISTS: msgspec.json.Decoder[ListLine | EntryLine] = msgspec.json.Decoder(ListLine | EntryLine)


async def restore_ratings(tx: Tx, user: User, lines: Sequence[bytes], now: datetime) -> int:
    """Take in what somebody thinks of stories; how many lines were taken."""
    given = _read(lines, _RATINGS)
    stories = await catalogue.find_stories(tx, _addresses(given))
    ratings: dict[int, Rating] = {}
    taken = 0
    for one in given:
        rating = _rating(user.id, one, stories, now)
        if rating is None:
            continue
        taken += 1
        known = ratings.get(rating.story_id)
        if known is None or rating.updated_at >= known.updated_at:
            ratings[rating.story_id] = rating
    if ratings:
        changed = await rating_store.restore(tx, user.id, list(ratings.values()))
        await catalogue.touch_recounts_later(tx, SetClock(now), changed)
    return taken


async def restore_lists(tx: Tx, user: User, lines: Sequence[bytes], now: datetime) -> int:
    """Take in somebody's reading lists; how many lines were taken."""
    given = _read(lines, _LISTS)
    await list_store.lock_owner(tx, user.id)
    taken = 0
    for one in given:
        if isinstance(one, ListLine):
            taken += await _restore_list(tx, user.id, one, now)
    by_list: dict[str, list[EntryLine]] = {}
    for one in given:
        if isinstance(one, EntryLine):
            by_list.setdefault(one.list, []).append(one)
    for slug in sorted(by_list):
        taken += await _restore_entries(tx, user.id, slug, by_list[slug], now)
    return taken


def _read(lines: Sequence[bytes], decoder: msgspec.json.Decoder[T]) -> list[T]:
    found: list[T] = []
    for line in lines:
        try:
            found.append(decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
    return found


def _addresses(given: Sequence[RatingLine | EntryLine]) -> set[tuple[str, str]]:
    return {(one.source, one.slug) for one in given if one.source and one.slug}


def _rating(
    user_id: int, one: RatingLine, stories: dict[tuple[str, str], int], now: datetime
) -> Rating | None:
    story_id = stories.get((one.source or "", one.slug or ""))
    try:
        review = texts.prose("review", one.review_text or "", most=LONGEST_REVIEW)
    except Invalid:
        return None
    if story_id is None:
        return None
    updated_at = moment_of(one.updated_at, now)
    return Rating(
        id=0,
        uid=new_uid(),
        user_id=user_id,
        story_id=story_id,
        score=one.score,
        review_text=review or None,
        created_at=moment_of(one.created_at, updated_at),
        updated_at=updated_at,
    )


async def _restore_list(tx: Tx, user_id: int, one: ListLine, now: datetime) -> bool:
    """Make a list, or give it what is newer; False when there is no room or it is none."""
    updated_at = moment_of(one.updated_at, now)
    try:
        title = texts.line("title", one.title, most=LONGEST_TITLE)
        description = texts.prose("description", one.description, most=LONGEST_DESCRIPTION)
    except Invalid:
        return False
    if not SLUG.fullmatch(one.list):
        return False
    known = await list_store.lock_by_slug(tx, user_id, one.list)
    if known is None and len(await list_store.slugs(tx, user_id)) >= MOST_LISTS:
        return False
    told = ReadingList(
        id=0 if known is None else known.id,
        uid=new_uid(),
        user_id=user_id,
        slug=one.list,
        title=title,
        description=description,
        is_public=one.is_public,
        entry_count=0,
        created_at=moment_of(one.created_at, updated_at),
        updated_at=updated_at,
    )
    if known is None:
        await list_store.insert(tx, told)
    elif updated_at > known.updated_at:
        await list_store.update(tx, told)
    return True


async def _restore_entries(
    tx: Tx, user_id: int, slug: str, given: Sequence[EntryLine], now: datetime
) -> int:
    """Put what is not there yet behind what is, in its order; how many lines were taken."""
    kept = await list_store.lock_by_slug(tx, user_id, slug)
    if kept is None:
        return 0
    stories = await catalogue.find_stories(tx, _addresses(given))
    there = {one.story_id for one in await entry_store.on_lists(tx, [kept.id])}
    last = await entry_store.last(tx, kept.id)
    position = 0 if last is None else last.position
    new: dict[int, Entry] = {}
    taken = 0
    for one in given:
        story_id = stories.get((one.source or "", one.slug or ""))
        if story_id is None or not _is_clean(one.note):
            continue
        if story_id not in there and story_id not in new:
            if len(there) + len(new) >= MOST_ENTRIES:
                continue
            position += GAP
            note = texts.prose("note", one.note, most=LONGEST_NOTE)
            new[story_id] = Entry(story_id, position, note, moment_of(one.added_at, now))
        taken += 1
    if new:
        added = await entry_store.insert(tx, kept.id, list(new.values()))
        await list_store.changed(tx, kept.id, added, kept.updated_at)
    return taken


def _is_clean(note: str) -> bool:
    try:
        texts.prose("note", note, most=LONGEST_NOTE)
    except Invalid:
        return False
    return True
