"""SQL of keys and of the failures to use them."""

from datetime import datetime

import msgspec

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.ingest.model import Key

_KEY = """key_id, key_name, permissions, sources, networks::text [] AS networks,
    requests_per_minute, bytes_per_minute, is_active, previous_expires_at, last_used_at,
    created_at"""


class Access(Key, frozen=True):
    """A key with what is needed to judge a signature: its secrets, and how it has fared."""

    secret_sealed: bytes
    previous_secret_sealed: bytes | None
    failures: int | None
    locked_until: datetime | None


class Failure(msgspec.Struct, frozen=True):
    """How often a key has been misused from one address of late."""

    failures: int
    locked_until: datetime | None


_INSERT = Query(
    f"""
    INSERT INTO api_keys (
        key_id, key_name, secret_sealed, permissions, sources, networks,
        requests_per_minute, bytes_per_minute, created_at, updated_at
    ) VALUES ($1, $2, $3, $4, $5, $6::text []::cidr [], $7, $8, $9, $9)
    RETURNING {_KEY}
    """,
    Key,
)
_ALL = Query(f"SELECT {_KEY} FROM api_keys ORDER BY created_at, id", Key)
_KEY_BY_ID = Query(f"SELECT {_KEY} FROM api_keys WHERE key_id = $1", Key)
_ACCESS = Query(
    """
    SELECT k.key_id, k.key_name, k.permissions, k.sources, k.networks::text [] AS networks,
        k.requests_per_minute, k.bytes_per_minute, k.is_active, k.previous_expires_at,
        k.last_used_at, k.created_at, k.secret_sealed, k.previous_secret_sealed, f.failures,
        f.locked_until
    FROM api_keys AS k
    LEFT JOIN api_key_failures AS f ON f.key_id = k.key_id AND f.network = $2::text::inet
    WHERE k.key_id = $1
    """,
    Access,
)
_ROTATE = Query(
    f"""
    UPDATE api_keys SET
        previous_secret_sealed = CASE WHEN $3::timestamptz > $4 THEN secret_sealed END,
        previous_expires_at = CASE WHEN $3::timestamptz > $4 THEN $3::timestamptz END,
        secret_sealed = $2, updated_at = $4
    WHERE key_id = $1 AND is_active
    RETURNING {_KEY}
    """,
    Key,
)
_REVOKE = Query(
    f"""
    UPDATE api_keys SET
        is_active = false, previous_secret_sealed = NULL, previous_expires_at = NULL,
        updated_at = $2
    WHERE key_id = $1 AND is_active
    RETURNING {_KEY}
    """,
    Key,
)
_USED = Command(
    """
    UPDATE api_keys SET last_used_at = $2
    WHERE key_id = $1
        AND (last_used_at IS NULL OR last_used_at <= $2::timestamptz - interval '1 minute')
    """
)
_FAILED = Query(
    """
    INSERT INTO api_key_failures AS known (key_id, network, failures, since)
    VALUES ($1, $2::text::inet, 1, $3)
    ON CONFLICT (key_id, network) DO UPDATE SET
        failures = CASE WHEN known.since < $4 THEN 1 ELSE known.failures + 1 END,
        since = CASE WHEN known.since < $4 THEN excluded.since ELSE known.since END,
        locked_until = CASE
            WHEN known.since >= $4 AND known.failures + 1 >= $5 THEN $6::timestamptz
            WHEN known.locked_until > $3 THEN known.locked_until
        END
    RETURNING failures, locked_until
    """,
    Failure,
)
_FORGET_FAILURES = Command(
    "DELETE FROM api_key_failures WHERE key_id = $1 AND network = $2::text::inet"
)
_UNLOCK = Command("DELETE FROM api_key_failures WHERE key_id = $1")
_FORGET_OLD_FAILURES = Command(
    "DELETE FROM api_key_failures WHERE since < $1 AND (locked_until IS NULL OR locked_until < $2)"
)


async def insert(
    tx: Tx,
    *,
    key_id: str,
    name: str,
    secret_sealed: bytes,
    permissions: list[str],
    sources: list[str],
    networks: list[str],
    requests_per_minute: int,
    bytes_per_minute: int,
    now: datetime,
) -> Key | None:
    return await tx.first(
        _INSERT,
        key_id,
        name,
        secret_sealed,
        permissions,
        sources,
        networks,
        requests_per_minute,
        bytes_per_minute,
        now,
    )


async def every(reads: Reads) -> list[Key]:
    return await reads.all(_ALL)


async def by_id(reads: Reads, key_id: str) -> Key | None:
    return await reads.first(_KEY_BY_ID, key_id)


async def access(reads: Reads, key_id: str, network: str) -> Access | None:
    """The secrets of a key, and how it has fared from that network."""
    return await reads.first(_ACCESS, key_id, network)


async def rotate(
    tx: Tx, key_id: str, secret_sealed: bytes, *, overlap_ends: datetime, now: datetime
) -> Key | None:
    """A new secret for an active key; the old one goes on until then."""
    return await tx.first(_ROTATE, key_id, secret_sealed, overlap_ends, now)


async def revoke(tx: Tx, key_id: str, now: datetime) -> Key | None:
    """The key, if it was active until now."""
    return await tx.first(_REVOKE, key_id, now)


async def note_use(tx: Tx, key_id: str, now: datetime) -> None:
    """At most once a minute."""
    await tx.run(_USED, key_id, now)


async def note_failure(
    tx: Tx,
    key_id: str,
    network: str,
    now: datetime,
    *,
    counted_since: datetime,
    most: int,
    locked_until: datetime,
) -> Failure | None:
    """Count one more, and lock the key for that network when they are too many."""
    return await tx.first(_FAILED, key_id, network, now, counted_since, most, locked_until)


async def forget_failures(tx: Tx, key_id: str, network: str) -> None:
    await tx.run(_FORGET_FAILURES, key_id, network)


async def unlock(tx: Tx, key_id: str) -> int:
    """Forget every failure with that key; says from how many networks."""
    return await tx.run(_UNLOCK, key_id)


async def forget_old_failures(tx: Tx, before: datetime, now: datetime) -> int:
    return await tx.run(_FORGET_OLD_FAILURES, before, now)
