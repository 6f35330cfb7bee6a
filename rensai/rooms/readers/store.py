"""SQL of the room."""

from datetime import datetime
from uuid import UUID

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.readers.model import Credentials, User

_USER = """users.id, users.uid, users.username, users.email, users.display_name, users.bio,
    users.role, users.is_active, users.is_banned, users.email_verified, users.created_at"""

# Held to the end of the transaction, so that of two first admins the second sees the first.
_LOCK_ADMINS = Query("SELECT pg_advisory_xact_lock(7310576410911002)::text AS locked", str)
_ADMIN_EXISTS = Query("SELECT EXISTS (SELECT FROM users WHERE role = 'admin') AS found", bool)
_INSERT = Query(
    f"""
    INSERT INTO users (
        uid, username, email, password_hash, display_name, role,
        portable_public_key, portable_key_fingerprint, created_at, updated_at
    ) VALUES ($1, $2, $3, $4, $2, $5, $6, $7, $8, $8)
    ON CONFLICT DO NOTHING
    RETURNING {_USER}
    """,
    User,
)
# A username has no @ and an address has one, so there is one row at most.
_CREDENTIALS = Query(
    """
    SELECT id, password_hash, is_active, is_banned FROM users
    WHERE lower(username) = lower($1) OR lower(email) = lower($1)
    """,
    Credentials,
)
_BY_ID = Query(f"SELECT {_USER} FROM users WHERE users.id = $1", User)
_REHASH = Command("UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2")
_INSERT_SESSION = Command(
    "INSERT INTO sessions (id_hash, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)"
)
_BY_SESSION = Query(
    f"""
    SELECT {_USER} FROM sessions JOIN users ON users.id = sessions.user_id
    WHERE sessions.id_hash = $1 AND sessions.expires_at > $2
        AND users.is_active AND NOT users.is_banned
    """,
    User,
)
_DELETE_SESSION = Command("DELETE FROM sessions WHERE id_hash = $1")
_DELETE_EXPIRED = Command("DELETE FROM sessions WHERE expires_at <= $1")
_COUNT = Query("SELECT count(*) AS count FROM users WHERE is_active", int)


async def lock_admins(tx: Tx) -> None:
    """Wait until nobody else is making an admin."""
    await tx.first(_LOCK_ADMINS)


async def admin_exists(reads: Reads) -> bool:
    return bool(await reads.first(_ADMIN_EXISTS))


async def insert(
    tx: Tx,
    *,
    uid: UUID,
    username: str,
    email: str,
    password_hash: str,
    role: str,
    public_key: str,
    fingerprint: str,
    now: datetime,
) -> User | None:
    """The new account, or None when its name or address is taken."""
    return await tx.first(
        _INSERT, uid, username, email, password_hash, role, public_key, fingerprint, now
    )


async def credentials(reads: Reads, login: str) -> Credentials | None:
    """By username or e-mail address, whatever their case."""
    return await reads.first(_CREDENTIALS, login)


async def by_id(reads: Reads, user_id: int) -> User | None:
    return await reads.first(_BY_ID, user_id)


async def rehash(tx: Tx, user_id: int, *, old: str, new: str) -> None:
    """Replace a hash unless somebody has replaced it meanwhile."""
    await tx.run(_REHASH, user_id, old, new)


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


async def count(reads: Reads) -> int:
    return await reads.first(_COUNT) or 0
