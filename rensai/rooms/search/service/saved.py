"""Keeping searches."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec

from rensai.kit import texts
from rensai.kit.clock import Clock
from rensai.kit.db import Reads, Tx
from rensai.kit.ids import new_uid
from rensai.kit.limits import Rule
from rensai.rooms.search.adapters.questions import one_spelling
from rensai.rooms.search.errors import SearchNameTaken, SearchNotFound, TooManySearches
from rensai.rooms.search.model import LONGEST_NAME, MOST_SAVED, SavedSearch
from rensai.rooms.search.service.filtering import check
from rensai.rooms.search.service.index import Index
from rensai.rooms.search.store import saved as store

SAVING = Rule("saved searches", 60, timedelta(minutes=1))
"""How often one account may change what it keeps."""

_NEWEST = (datetime(9999, 1, 1, tzinfo=UTC), UUID(int=2**128 - 1))


async def checked(reads: Reads, index: Index, query: str) -> str:
    """The query in the one spelling in which it is kept, if search would answer it now."""
    spelt, question = one_spelling(query)
    check((await index.standing(reads)).picture, question.filters)
    return spelt


async def save(tx: Tx, clock: Clock, user_id: int, *, name: str, query: str) -> SavedSearch:
    """Keep a search, whose query was `checked`, under a name of its own."""
    called = texts.line("name", name, most=LONGEST_NAME)
    await store.lock_owner(tx, user_id)
    if await store.count(tx, user_id) >= MOST_SAVED:
        raise TooManySearches(
            f"There is room for {MOST_SAVED} searches.", details={"limit": MOST_SAVED}
        )
    now = clock.now()
    kept = await store.insert(tx, SavedSearch(new_uid(), user_id, called, query, now, now))
    if kept is None:
        raise SearchNameTaken
    return kept


async def change(
    tx: Tx,
    clock: Clock,
    user_id: int,
    search_id: UUID,
    *,
    name: str | None = None,
    query: str | None = None,
) -> SavedSearch:
    """Give a search another name, or ask something else under its name."""
    called = None if name is None else texts.line("name", name, most=LONGEST_NAME)
    await store.lock_owner(tx, user_id)
    known = await store.lock(tx, search_id, user_id)
    if known is None:
        raise SearchNotFound
    changed = msgspec.structs.replace(
        known,
        name=known.name if called is None else called,
        query=known.query if query is None else query,
        updated_at=max(known.updated_at, clock.now()),
    )
    if changed.name != known.name and changed.name in await store.names(tx, user_id):
        raise SearchNameTaken
    await store.update(tx, known.id, changed.name, changed.query, changed.updated_at)
    return changed


async def drop(tx: Tx, user_id: int, search_id: UUID) -> None:
    """Keep a search no longer."""
    if not await store.delete(tx, search_id, user_id):
        raise SearchNotFound


async def one_saved(reads: Reads, user_id: int, search_id: UUID) -> SavedSearch:
    """A search that a reader keeps."""
    found = await store.one(reads, search_id, user_id)
    if found is None:
        raise SearchNotFound
    return found


async def list_saved(
    reads: Reads, user_id: int, *, after: Sequence[object] | None, limit: int
) -> list[SavedSearch]:
    """What a reader keeps, the latest first, and one more than `limit`."""
    return await store.of_user(reads, user_id, after or _NEWEST, limit + 1)
