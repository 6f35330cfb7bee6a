"""SQL of sessions: each is one device that is signed in."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.readers.model import User
from rensai.rooms.readers.model.signing import NewSession, SignedIn
from rensai.rooms.readers.store.columns import USER

_INSERT_SESSION = Command(
    """
    INSERT INTO sessions (
        id_hash, uid, user_id, kind, agent, network, device_id, created_at, last_used_at, expires_at
    ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)
    """
)
_BY_SESSION = Query(
    f"""
    SELECT {USER} FROM sessions JOIN users ON users.id = sessions.user_id
    WHERE sessions.id_hash = $1 AND sessions.kind = 'browser' AND sessions.expires_at > $2
        AND users.is_active AND NOT users.is_banned
    """,
    User,
)
_DELETE_SESSION = Command("DELETE FROM sessions WHERE id_hash = $1 AND kind = 'browser'")
_DELETE_EXPIRED = Command("DELETE FROM sessions WHERE expires_at <= $1")
DELETE_UIDS = Command(
    """
    DELETE FROM sessions WHERE id_hash = ANY(ARRAY(
        SELECT id_hash FROM sessions WHERE uid = ANY($1::uuid[]) ORDER BY uid FOR UPDATE
    ))
    """
)
_DELETE_OWN = Query("DELETE FROM sessions WHERE uid = $1 AND user_id = $2 RETURNING uid", UUID)
_DELETE_ALL = Command("DELETE FROM sessions WHERE user_id = $1 AND uid IS DISTINCT FROM $2::uuid")
# The refresh tokens of these are no longer good; the access token that is about may run out.
LEAVE = Command(
    """
    UPDATE sessions SET expires_at = least(expires_at, (
        SELECT max(issued_at) + $2::interval FROM refresh_tokens
        WHERE family_id = sessions.uid AND revoked_at IS NULL
    ))
    WHERE id_hash = ANY(ARRAY(
        SELECT id_hash FROM sessions WHERE uid = ANY($1::uuid[]) ORDER BY uid FOR UPDATE
    ))
    """
)
FROM_NETWORK = Query(
    """
    SELECT EXISTS (
        SELECT FROM sessions WHERE user_id = $1 AND network = $2 AND expires_at > $3
    ) AS known
    """,
    bool,
)
_SIGNED_IN = """
    SELECT uid, kind, agent, network, device_id, created_at, last_used_at, expires_at
    FROM sessions WHERE user_id = $1 AND expires_at > $2
"""
FIRST_PAGE = Query(f"{_SIGNED_IN} ORDER BY created_at DESC, uid DESC LIMIT $3", SignedIn)
NEXT_PAGE = Query(
    f"{_SIGNED_IN} AND (created_at, uid) < ($4, $5) ORDER BY created_at DESC, uid DESC LIMIT $3",
    SignedIn,
)


async def insert_session(tx: Tx, new: NewSession) -> None:
    device = new.device
    await tx.run(
        _INSERT_SESSION,
        new.id_hash,
        new.uid,
        new.user_id,
        new.kind,
        device.agent,
        device.network,
        device.device_id,
        new.created_at,
        new.expires_at,
    )


async def by_session(reads: Reads, id_hash: bytes, now: datetime) -> User | None:
    """Whose running session this is."""
    return await reads.first(_BY_SESSION, id_hash, now)


async def delete_session(tx: Tx, id_hash: bytes) -> bool:
    return await tx.run(_DELETE_SESSION, id_hash) > 0


async def delete_expired_sessions(tx: Tx, now: datetime) -> int:
    return await tx.run(_DELETE_EXPIRED, now)


async def delete_uids(tx: Tx, uids: Sequence[UUID]) -> None:
    await tx.run(DELETE_UIDS, list(uids))


async def delete_own(tx: Tx, uid: UUID, user_id: int) -> bool:
    """End a device of this account; False when it has no such device."""
    return await tx.first(_DELETE_OWN, uid, user_id) is not None


async def delete_all(tx: Tx, user_id: int, *, but: UUID | None) -> int:
    """End every device of an account, save one; says how many."""
    return await tx.run(_DELETE_ALL, user_id, but)


async def leave(tx: Tx, uids: Sequence[UUID], access_length: timedelta) -> None:
    """Let these devices go on until their last access token ends; then revoke their tokens."""
    await tx.run(LEAVE, list(uids), access_length)


async def from_network(reads: Reads, user_id: int, network: str, now: datetime) -> bool:
    """Whether the account has a device that signed in from there."""
    return bool(await reads.first(FROM_NETWORK, user_id, network, now))


async def page(
    reads: Reads, user_id: int, now: datetime, most: int, after: tuple[datetime, UUID] | None
) -> list[SignedIn]:
    """The devices of an account, newest first."""
    if after is None:
        return await reads.all(FIRST_PAGE, user_id, now, most)
    return await reads.all(NEXT_PAGE, user_id, now, most, *after)
