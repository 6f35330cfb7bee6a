"""SQL of reading lists."""

from datetime import datetime
from uuid import UUID

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.shelf.model import Key
from rensai.rooms.shelf.model.lists import ReadingList

_LIST = """id, uid, user_id, slug, title, description, is_public, entry_count, created_at,
        updated_at"""

# Held to the end of the transaction, so that nobody has more lists by making two at once.
_LOCK_OWNER = Query(
    "SELECT pg_advisory_xact_lock(hashtextextended('reading lists of ' || $1::bigint, 0))::text"
    " AS locked",
    str,
)
_SLUGS = Query("SELECT slug FROM reading_lists WHERE user_id = $1", str)
_INSERT = Query(
    f"""
    INSERT INTO reading_lists
        (uid, user_id, slug, title, description, is_public, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT DO NOTHING
    RETURNING {_LIST}
    """,
    ReadingList,
)
_UPDATE = Query(
    f"""
    UPDATE reading_lists SET
        slug = $2, title = $3, description = $4, is_public = $5,
        updated_at = greatest(updated_at, $6)
    WHERE id = $1
    RETURNING {_LIST}
    """,
    ReadingList,
)
_BY_UID = Query(f"SELECT {_LIST} FROM reading_lists WHERE uid = $1", ReadingList)
_BY_SLUG = Query(f"SELECT {_LIST} FROM reading_lists WHERE user_id = $1 AND slug = $2", ReadingList)
_LOCK = Query(
    f"SELECT {_LIST} FROM reading_lists WHERE uid = $1 AND user_id = $2 FOR UPDATE", ReadingList
)
_LOCK_BY_SLUG = Query(
    f"SELECT {_LIST} FROM reading_lists WHERE user_id = $1 AND slug = $2 FOR UPDATE", ReadingList
)
_DELETE = Command("DELETE FROM reading_lists WHERE uid = $1 AND user_id = $2")
_FORGET = Command(
    """
    DELETE FROM reading_lists WHERE id IN (
        SELECT id FROM reading_lists WHERE user_id = $1 ORDER BY id LIMIT $2
    )
    """
)
_CHANGED = Command(
    """
    UPDATE reading_lists SET
        entry_count = entry_count + $2, updated_at = greatest(updated_at, $3)
    WHERE id = $1
    """
)


def _lists(condition: str) -> Query[ReadingList]:
    """The lists of somebody, the last changed first."""
    return Query(
        f"""
        SELECT {_LIST} FROM reading_lists
        WHERE user_id = $1 AND {condition} (updated_at, id) < ($2::timestamptz, $3::bigint)
        ORDER BY updated_at DESC, id DESC
        LIMIT $4
        """,
        ReadingList,
    )


OWN = _lists("")
PUBLIC = _lists("is_public AND")


async def lock_owner(tx: Tx, user_id: int) -> None:
    """Wait until nobody else makes a list for this reader or gives one another address."""
    await tx.first(_LOCK_OWNER, user_id)


async def slugs(reads: Reads, user_id: int) -> list[str]:
    return await reads.all(_SLUGS, user_id)


async def insert(tx: Tx, given: ReadingList) -> ReadingList | None:
    """Write a new list; None when its address is taken."""
    return await tx.first(
        _INSERT,
        *(given.uid, given.user_id, given.slug, given.title, given.description, given.is_public),
        *(given.created_at, given.updated_at),
    )


async def update(tx: Tx, given: ReadingList) -> ReadingList | None:
    """Write what its owner may change."""
    told = (given.slug, given.title, given.description, given.is_public, given.updated_at)
    return await tx.first(_UPDATE, given.id, *told)


async def by_uid(reads: Reads, uid: UUID) -> ReadingList | None:
    return await reads.first(_BY_UID, uid)


async def by_slug(reads: Reads, user_id: int, slug: str) -> ReadingList | None:
    return await reads.first(_BY_SLUG, user_id, slug)


async def lock(tx: Tx, uid: UUID, user_id: int) -> ReadingList | None:
    """A list of this reader, held until the transaction ends."""
    return await tx.first(_LOCK, uid, user_id)


async def lock_by_slug(tx: Tx, user_id: int, slug: str) -> ReadingList | None:
    return await tx.first(_LOCK_BY_SLUG, user_id, slug)


async def delete(tx: Tx, uid: UUID, user_id: int) -> bool:
    return await tx.run(_DELETE, uid, user_id) > 0


async def forget(tx: Tx, user_id: int, limit: int) -> int:
    """Remove some of a reader's lists with all that is on them."""
    return await tx.run(_FORGET, user_id, limit)


async def changed(tx: Tx, list_id: int, more: int, now: datetime) -> None:
    """Note that so many entries have come, or gone, and when."""
    await tx.run(_CHANGED, list_id, more, now)


async def of_user(
    reads: Reads, user_id: int, after: Key, limit: int, *, public: bool
) -> list[ReadingList]:
    return await reads.all(PUBLIC if public else OWN, user_id, *after, limit)
