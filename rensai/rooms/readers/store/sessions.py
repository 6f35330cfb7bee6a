"""SQL of sessions."""

from datetime import datetime

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.readers.model import User
from rensai.rooms.readers.store.columns import USER

_INSERT_SESSION = Command(
    "INSERT INTO sessions (id_hash, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)"
)
_BY_SESSION = Query(
    f"""
    SELECT {USER} FROM sessions JOIN users ON users.id = sessions.user_id
    WHERE sessions.id_hash = $1 AND sessions.expires_at > $2
        AND users.is_active AND NOT users.is_banned
    """,
    User,
)
_DELETE_SESSION = Command("DELETE FROM sessions WHERE id_hash = $1")
_DELETE_EXPIRED = Command("DELETE FROM sessions WHERE expires_at <= $1")


async def insert_session(
    tx: Tx, id_hash: bytes, user_id: int, *, now: datetime, expires_at: datetime
) -> None:
    await tx.run(_INSERT_SESSION, id_hash, user_id, now, expires_at)


async def by_session(reads: Reads, id_hash: bytes, now: datetime) -> User | None:
    """Whose running session this is."""
    return await reads.first(_BY_SESSION, id_hash, now)


async def delete_session(tx: Tx, id_hash: bytes) -> bool:
    return await tx.run(_DELETE_SESSION, id_hash) > 0


async def delete_expired_sessions(tx: Tx, now: datetime) -> int:
    return await tx.run(_DELETE_EXPIRED, now)
