"""What a reader takes along of search: the searches that were kept."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

import msgspec

from rensai.kit import texts
from rensai.kit.db import Database, Reads, Tx
from rensai.kit.errors import Invalid
from rensai.kit.ids import new_uid
from rensai.rooms.readers.door import Belongings, User
from rensai.rooms.search.adapters.questions import one_spelling
from rensai.rooms.search.model import LONGEST_NAME, LONGEST_SAVED, MOST_SAVED, SavedSearch
from rensai.rooms.search.store import saved as store

_OLDEST = datetime(1970, 1, 1, tzinfo=UTC)
_NEWEST = (datetime(9999, 1, 1, tzinfo=UTC), UUID(int=2**128 - 1))
Moment = Annotated[datetime, msgspec.Meta(tz=True)]


class SearchLine(msgspec.Struct, frozen=True):
    """A search that somebody keeps; every field has bounds, since anybody may have written it."""

    name: Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]
    query: Annotated[str, msgspec.Meta(max_length=LONGEST_SAVED)]
    created_at: Moment
    updated_at: Moment


async def search_rows(reads: Reads, user_id: int) -> AsyncIterator[SearchLine]:
    """What a reader keeps, which is at most a hundred searches."""
    for one in await store.of_user(reads, user_id, _NEWEST, MOST_SAVED):
        yield SearchLine(one.name, one.query, one.created_at, one.updated_at)


async def restore_searches(tx: Tx, user: User, lines: Sequence[bytes], now: datetime) -> int:
    """Take in searches that search understands; how many lines were taken."""
    await store.lock_owner(tx, user.id)
    names = set(await store.names(tx, user.id))
    taken = 0
    for line in lines:
        kept = _read(user.id, line, now)
        if kept is None or (kept.name not in names and len(names) >= MOST_SAVED):
            continue
        await store.restore(tx, kept)
        names.add(kept.name)
        taken += 1
    return taken


async def forget_searches(db: Database, user_ids: Sequence[int]) -> None:
    """Erase what accounts that are gone have kept; twice is once."""
    for user_id in user_ids:
        async with db.transaction() as tx:
            await store.forget(tx, user_id)


def _read(user_id: int, line: bytes, now: datetime) -> SavedSearch | None:
    try:
        given = msgspec.json.decode(line, type=SearchLine)
        name = texts.line("name", given.name, most=LONGEST_NAME)
        query, _ = one_spelling(given.query)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, Invalid):
        return None
    updated_at = _moment(given.updated_at, now)
    created_at = _moment(given.created_at, updated_at)
    return SavedSearch(new_uid(), user_id, name, query, created_at, updated_at)


def _moment(given: datetime, latest: datetime) -> datetime:
    """A time of the past, and none so long ago that no calendar reaches it in every zone."""
    return latest if given >= latest else max(given, _OLDEST).astimezone(UTC)


BELONGINGS = (Belongings("saved_searches", search_rows, restore_searches),)
"""The file of an archive that is of this room."""
