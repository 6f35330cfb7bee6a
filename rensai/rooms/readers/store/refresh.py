"""SQL of refresh tokens.

Whoever changes tokens holds their sessions first, and whoever holds several sessions of an account
holds the account before them: so nobody waits in a circle.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.readers.model.signing import HeldFamily, NewRefresh, RefreshRow
from rensai.rooms.readers.store.columns import USER

_INSERT = Query(
    """
    INSERT INTO refresh_tokens (
        user_id, family_id, token_hash, device_id, user_agent_hash, ip_hash, issued_at, expires_at
    ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    RETURNING id
    """,
    int,
)
# Without its session a token counts for nothing; holding that makes one exchange wait for another.
HOLD = Query(
    f"""
    SELECT {USER}, refresh_tokens.family_id FROM refresh_tokens
    JOIN sessions ON sessions.uid = refresh_tokens.family_id
    JOIN users ON users.id = sessions.user_id
    WHERE refresh_tokens.token_hash = $1 AND sessions.expires_at > $2
        AND users.is_active AND NOT users.is_banned
    FOR UPDATE OF sessions
    """,
    HeldFamily,
)
_ROTATE = Query(
    """
    WITH next AS (SELECT nextval(pg_get_serial_sequence('refresh_tokens', 'id')) AS id),
    used AS (
        UPDATE refresh_tokens
        SET last_used_at = $3, revoked_at = $3, replaced_by = next.id
        FROM next
        WHERE token_hash = $1 AND revoked_at IS NULL AND expires_at > $3
        RETURNING next.id, user_id, family_id, device_id
    ),
    extended AS (
        UPDATE sessions SET expires_at = $5, last_used_at = $3
        FROM used WHERE sessions.uid = used.family_id
    )
    INSERT INTO refresh_tokens (
        id, user_id, family_id, token_hash, device_id, user_agent_hash, ip_hash,
        issued_at, expires_at
    ) OVERRIDING SYSTEM VALUE
    SELECT id, user_id, family_id, $2, device_id, $6, $7, $3, $4 FROM used
    RETURNING family_id
    """,
    UUID,
)
BY_HASH = Query(
    """
    SELECT id, family_id, issued_at, expires_at, revoked_at, replaced_by
    FROM refresh_tokens WHERE token_hash = $1
    """,
    RefreshRow,
)
REVOKE_FAMILIES = Command(
    """
    UPDATE refresh_tokens SET revoked_at = $2
    WHERE family_id = ANY($1::uuid[]) AND revoked_at IS NULL
    """
)
_REVOKE_ALL = Command(
    """
    UPDATE refresh_tokens SET revoked_at = $2
    WHERE user_id = $1 AND revoked_at IS NULL AND family_id IS DISTINCT FROM $3::uuid
    """
)
# The devices that make room for one more: the same device, and the oldest beyond what is allowed.
DISPLACED = Query(
    """
    SELECT family_id FROM (
        SELECT family_id, device_id, row_number() OVER (
            PARTITION BY coalesce(device_id = $4, false) ORDER BY issued_at DESC, id DESC
        ) AS place
        FROM refresh_tokens
        WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2
    ) AS active
    WHERE place >= $3 OR device_id = $4
    """,
    UUID,
)
PURGE = Query(
    """
    WITH gone AS (
        DELETE FROM refresh_tokens WHERE id = ANY(ARRAY(
            (SELECT id FROM refresh_tokens WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
            UNION
            (SELECT id FROM refresh_tokens WHERE revoked_at < $1 ORDER BY revoked_at LIMIT $2)
        ))
        RETURNING 1
    )
    SELECT count(*) AS count FROM gone
    """,
    int,
)


async def insert(tx: Tx, new: NewRefresh) -> None:
    """A first token of a new family."""
    await tx.first(
        _INSERT,
        new.user_id,
        new.family_id,
        new.token_hash,
        new.device_id,
        new.user_agent_hash,
        new.ip_hash,
        new.issued_at,
        new.expires_at,
    )


async def hold(tx: Tx, token_hash: bytes, now: datetime) -> HeldFamily | None:
    """The account of a token whose device is signed in, held until the transaction ends."""
    return await tx.first(HOLD, token_hash, now)


async def rotate(tx: Tx, old: bytes, new: NewRefresh, *, session_until: datetime) -> bool:
    """Put the new token in the old one's place; False when the old one is good for nothing."""
    family = await tx.first(
        _ROTATE,
        old,
        new.token_hash,
        new.issued_at,
        new.expires_at,
        session_until,
        new.user_agent_hash,
        new.ip_hash,
    )
    return family is not None


async def by_hash(reads: Reads, token_hash: bytes) -> RefreshRow | None:
    return await reads.first(BY_HASH, token_hash)


async def revoke_families(tx: Tx, families: Sequence[UUID], now: datetime) -> None:
    await tx.run(REVOKE_FAMILIES, list(families), now)


async def revoke_all(tx: Tx, user_id: int, now: datetime, *, but: UUID | None) -> None:
    """Every token of an account, save those of one device."""
    await tx.run(_REVOKE_ALL, user_id, now, but)


async def displaced(
    reads: Reads, user_id: int, now: datetime, *, most: int, device_id: str | None
) -> list[UUID]:
    """The families that end when one more begins."""
    return await reads.all(DISPLACED, user_id, now, most, device_id)


async def purge(tx: Tx, before: datetime, most: int) -> int:
    """Forget some of what ran out or was revoked before then; says how many."""
    return await tx.first(PURGE, before, most) or 0
