"""SQL of accounts."""

from datetime import datetime
from uuid import UUID

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.readers.model import Credentials, User
from rensai.rooms.readers.store.columns import USER

# Held to the end of the transaction, so that of two first admins the second sees the first.
_LOCK_ADMINS = Query("SELECT pg_advisory_xact_lock(7310576410911002)::text AS locked", str)
_ADMIN_EXISTS = Query("SELECT EXISTS (SELECT FROM users WHERE role = 'admin') AS found", bool)
_INSERT = Query(
    f"""
    INSERT INTO users (
        uid, username, email, password_hash, display_name, role,
        portable_public_key, portable_key_fingerprint, created_at, updated_at
    ) VALUES ($1, $2, $3, $4, $9, $5, $6, $7, $8, $8)
    ON CONFLICT DO NOTHING
    RETURNING {USER}
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
_BY_ID = Query(f"SELECT {USER} FROM users WHERE users.id = $1", User)
_HOLD = Query("SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE", int)
_REHASH = Command("UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2")
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
    display_name: str,
    role: str,
    public_key: str,
    fingerprint: str,
    now: datetime,
) -> User | None:
    """The new account, or None when its name or address is taken."""
    return await tx.first(
        _INSERT,
        uid,
        username,
        email,
        password_hash,
        role,
        public_key,
        fingerprint,
        now,
        display_name,
    )


async def credentials(reads: Reads, login: str) -> Credentials | None:
    """By username or e-mail address, whatever their case."""
    return await reads.first(_CREDENTIALS, login)


async def by_id(reads: Reads, user_id: int) -> User | None:
    return await reads.first(_BY_ID, user_id)


async def hold(tx: Tx, user_id: int) -> None:
    """Wait until nobody else changes what this account is signed in with."""
    await tx.first(_HOLD, user_id)


async def rehash(tx: Tx, user_id: int, *, old: str, new: str) -> None:
    """Replace a hash unless somebody has replaced it meanwhile."""
    await tx.run(_REHASH, user_id, old, new)


async def count(reads: Reads) -> int:
    return await reads.first(_COUNT) or 0
