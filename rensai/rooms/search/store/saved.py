"""SQL of the searches that readers keep."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.search.model import SavedSearch

_SAVED = "id, user_id, name, query, created_at, updated_at"

# Held to the end of the transaction, so that nobody keeps more by saving two at once.
_LOCK_OWNER = Query(
    "SELECT pg_advisory_xact_lock(hashtextextended('searches of ' || $1::bigint, 0))::text"
    " AS locked",
    str,
)
_COUNT = Query("SELECT count(*) AS count FROM saved_searches WHERE user_id = $1", int)
_INSERT = Query(
    f"""
    INSERT INTO saved_searches ({_SAVED}) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT DO NOTHING
    RETURNING {_SAVED}
    """,
    SavedSearch,
)
_RESTORE = Query(
    f"""
    INSERT INTO saved_searches AS known ({_SAVED}) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (user_id, name) DO UPDATE SET
        query = excluded.query, updated_at = excluded.updated_at
    WHERE excluded.updated_at > known.updated_at
    RETURNING id
    """,
    UUID,
)
_LOCK = Query(
    f"SELECT {_SAVED} FROM saved_searches WHERE id = $1 AND user_id = $2 FOR UPDATE", SavedSearch
)
_NAMES = Query("SELECT name FROM saved_searches WHERE user_id = $1", str)
_ONE = Query(f"SELECT {_SAVED} FROM saved_searches WHERE id = $1 AND user_id = $2", SavedSearch)
_UPDATE = Command("UPDATE saved_searches SET name = $2, query = $3, updated_at = $4 WHERE id = $1")
_DELETE = Command("DELETE FROM saved_searches WHERE id = $1 AND user_id = $2")
_FORGET = Command("DELETE FROM saved_searches WHERE user_id = $1")
OF_USER = Query(
    f"""
    SELECT {_SAVED} FROM saved_searches
    WHERE user_id = $1 AND (created_at, id) < ($2::timestamptz, $3::uuid)
    ORDER BY created_at DESC, id DESC
    LIMIT $4
    """,
    SavedSearch,
)


async def lock_owner(tx: Tx, user_id: int) -> None:
    """Wait until nobody else saves or renames a search of this reader."""
    await tx.first(_LOCK_OWNER, user_id)


async def count(reads: Reads, user_id: int) -> int:
    return await reads.first(_COUNT, user_id) or 0


async def names(reads: Reads, user_id: int) -> list[str]:
    return await reads.all(_NAMES, user_id)


async def insert(tx: Tx, given: SavedSearch) -> SavedSearch | None:
    """Keep a search; None when its name is taken."""
    return await tx.first(
        _INSERT,
        *(given.id, given.user_id, given.name, given.query, given.created_at, given.updated_at),
    )


async def restore(tx: Tx, given: SavedSearch) -> bool:
    """Keep a search, also in place of an older one of that name; whether it was kept."""
    kept = await tx.first(
        _RESTORE,
        *(given.id, given.user_id, given.name, given.query, given.created_at, given.updated_at),
    )
    return kept is not None


async def lock(tx: Tx, search_id: UUID, user_id: int) -> SavedSearch | None:
    """A search of this reader, held until the transaction ends."""
    return await tx.first(_LOCK, search_id, user_id)


async def one(reads: Reads, search_id: UUID, user_id: int) -> SavedSearch | None:
    return await reads.first(_ONE, search_id, user_id)


async def update(tx: Tx, search_id: UUID, name: str, query: str, now: datetime) -> None:
    await tx.run(_UPDATE, search_id, name, query, now)


async def delete(tx: Tx, search_id: UUID, user_id: int) -> bool:
    return await tx.run(_DELETE, search_id, user_id) > 0


async def forget(tx: Tx, user_id: int) -> int:
    """Forget all that a reader keeps, which is never much."""
    return await tx.run(_FORGET, user_id)


async def of_user(
    reads: Reads, user_id: int, after: Sequence[object], limit: int
) -> list[SavedSearch]:
    """What a reader keeps, the latest first."""
    return await reads.all(OF_USER, user_id, *after, limit)
