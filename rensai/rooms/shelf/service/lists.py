"""Keeping reading lists."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import msgspec

from rensai.kit import texts
from rensai.kit.clock import Clock
from rensai.kit.db import Reads, Tx
from rensai.kit.errors import Invalid
from rensai.kit.ids import new_uid
from rensai.kit.limits import Rule
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.readers import door as readers
from rensai.rooms.readers.door import Person
from rensai.rooms.shelf.errors import ListNotFound, ShelfFull, SlugTaken
from rensai.rooms.shelf.model import Key
from rensai.rooms.shelf.model.lists import (
    LONGEST_DESCRIPTION,
    LONGEST_SLUG,
    LONGEST_TITLE,
    MOST_LISTS,
    SLUG,
    ReadingList,
    ShownList,
    slug_for,
)
from rensai.rooms.shelf.service.pages import BEGINNING
from rensai.rooms.shelf.store import entries as entry_store
from rensai.rooms.shelf.store import lists as store

ARRANGING = Rule("reading lists", 120, timedelta(minutes=1))
"""How often one account may change its lists."""


async def make_list(
    tx: Tx,
    clock: Clock,
    user_id: int,
    *,
    title: str,
    description: str = "",
    is_public: bool = False,
    slug: str | None = None,
) -> ReadingList:
    """A new list of a reader, at an address made from its title unless one is given."""
    name = texts.line("title", title, most=LONGEST_TITLE)
    text = texts.prose("description", description, most=LONGEST_DESCRIPTION)
    await store.lock_owner(tx, user_id)
    taken = await store.slugs(tx, user_id)
    if len(taken) >= MOST_LISTS:
        raise ShelfFull(f"There is room for {MOST_LISTS} lists.", details={"limit": MOST_LISTS})
    now = clock.now()
    address = slug_for(name, taken) if slug is None else _checked(slug)
    made = await store.insert(
        tx,
        ReadingList(
            id=0,
            uid=new_uid(),
            user_id=user_id,
            slug=address,
            title=name,
            description=text,
            is_public=is_public,
            entry_count=0,
            created_at=now,
            updated_at=now,
        ),
    )
    if made is None:
        raise SlugTaken
    return made


async def change_list(
    tx: Tx,
    clock: Clock,
    user_id: int,
    uid: UUID,
    *,
    title: str | None = None,
    description: str | None = None,
    is_public: bool | None = None,
    slug: str | None = None,
) -> ReadingList:
    """Change what is not None of a list of one's own."""
    if slug is not None:
        _checked(slug)
        await store.lock_owner(tx, user_id)
    known = await own_list(tx, user_id, uid)
    if slug is not None and slug != known.slug and slug in await store.slugs(tx, user_id):
        raise SlugTaken
    changed = msgspec.structs.replace(
        known,
        title=known.title if title is None else texts.line("title", title, most=LONGEST_TITLE),
        description=known.description
        if description is None
        else texts.prose("description", description, most=LONGEST_DESCRIPTION),
        is_public=known.is_public if is_public is None else is_public,
        slug=slug or known.slug,
        updated_at=clock.now(),
    )
    return await store.update(tx, changed) or changed


async def own_list(tx: Tx, user_id: int, uid: UUID) -> ReadingList:
    """A list of one's own, held so that nobody else changes it meanwhile."""
    found = await store.lock(tx, uid, user_id)
    if found is None:
        raise ListNotFound
    return found


async def drop_list(tx: Tx, user_id: int, uid: UUID) -> None:
    """Remove a list of one's own with all that is on it."""
    if not await store.delete(tx, uid, user_id):
        raise ListNotFound


async def find_list(reads: Reads, viewer_id: int | None, uid: UUID) -> ReadingList:
    """A list if this visitor may see it: everybody's public ones, and one's own."""
    found = await store.by_uid(reads, uid)
    if found is None or not (found.is_public or found.user_id == viewer_id):
        raise ListNotFound
    return found


async def see_list(reads: Reads, viewer_id: int | None, uid: UUID) -> ShownList:
    """The same with its owner, and how much of it can be read."""
    found = await find_list(reads, viewer_id, uid)
    owner = (await readers.people_of(reads, {found.user_id})).get(found.user_id)
    if owner is None:
        raise ListNotFound
    return (await _counted(reads, owner, [found]))[0]


async def see_list_at(reads: Reads, viewer_id: int | None, username: str, slug: str) -> ShownList:
    """The same by the name of its owner and its address."""
    owner = await readers.person_named(reads, username)
    found = owner and await store.by_slug(reads, owner.id, slug)
    if owner is None or found is None or not (found.is_public or owner.id == viewer_id):
        raise ListNotFound
    return (await _counted(reads, owner, [found]))[0]


async def own_lists(
    reads: Reads, owner: Person, *, after: Key | None, limit: int
) -> list[ShownList]:
    """All lists of a reader, the last changed first, and one more than `limit`."""
    found = await store.of_user(reads, owner.id, after or BEGINNING, limit + 1, public=False)
    return await _counted(reads, owner, found)


async def public_lists(
    reads: Reads, owner: Person, *, after: Key | None, limit: int
) -> list[ShownList]:
    """What others see of somebody's lists."""
    found = await store.of_user(reads, owner.id, after or BEGINNING, limit + 1, public=True)
    return await _counted(reads, owner, found)


async def _counted(reads: Reads, owner: Person, lists: Sequence[ReadingList]) -> list[ShownList]:
    """Lists with how many of their entries can be read."""
    held = await entry_store.on_lists(reads, [one.id for one in lists if one.entry_count])
    visible = await catalogue.visible_among(reads, {one.story_id for one in held})
    counts = Counter(one.list_id for one in held if one.story_id in visible)
    return [ShownList(one, owner, counts[one.id]) for one in lists]


def _checked(slug: str) -> str:
    if len(slug) > LONGEST_SLUG or not SLUG.fullmatch(slug):
        why = "It has small letters and digits, with single dashes between them."
        raise Invalid(
            "That is no address for a list.",
            details=[{"path": "slug", "in": "body", "message": why}],
        )
    return slug
