"""SQL of nonces and of what keys have used of their quotas."""

from datetime import datetime

import msgspec

from rensai.kit.db import Command, Query, Reads, Tx


class Use(msgspec.Struct, frozen=True):
    """What a key has used in a part of the last minute."""

    requests: int
    bytes: int
    last_at: datetime


# What is admitted need not be safe on disk at once: a request that it admits and that changes
# anything commits after it, and so writes it out too.
_RELAX = Query("SELECT set_config('synchronous_commit', 'off', true) AS relaxed", str)
_ADD_NONCE = Query(
    """
    INSERT INTO nonces AS known (nonce_hash, key_id, expires_at) VALUES ($1, $2, $3)
    ON CONFLICT (nonce_hash) DO UPDATE SET expires_at = excluded.expires_at
    WHERE known.expires_at < $4
    RETURNING nonce_hash
    """,
    bytes,
)
_FORGET_NONCES = Command("DELETE FROM nonces WHERE expires_at < $1")
# One at a time for each key, so that two requests never both take what is left for one.
_QUEUE_UP = Query(
    "SELECT pg_advisory_xact_lock(731057, hashtext($1))::text AS locked",
    str,
)
_TAKE = Query(
    """
    WITH used AS (
        SELECT coalesce(sum(requests), 0)::bigint AS requests,
            coalesce(sum(bytes), 0)::bigint AS bytes
        FROM api_key_usage
        WHERE key_id = $1 AND last_at > $2::timestamptz - interval '1 minute'
    )
    INSERT INTO api_key_usage AS known (key_id, part, requests, bytes, last_at)
    SELECT $1, $3, 1, $4, $2 FROM used
    WHERE ($5 = 0 OR used.requests + 1 <= $5) AND ($6 = 0 OR used.bytes + $4::bigint <= $6)
    ON CONFLICT (key_id, part) DO UPDATE SET
        requests = known.requests + 1,
        bytes = known.bytes + excluded.bytes,
        last_at = greatest(known.last_at, excluded.last_at)
    RETURNING requests
    """,
    int,
)
_USED = Query(
    """
    SELECT requests, bytes, last_at FROM api_key_usage
    WHERE key_id = $1 AND last_at > $2::timestamptz - interval '1 minute'
    ORDER BY last_at
    """,
    Use,
)
_FORGET_USE = Command("DELETE FROM api_key_usage WHERE last_at < $1")


async def relax(tx: Tx) -> None:
    """Let this transaction commit without waiting for the disk."""
    await tx.first(_RELAX)


async def add_nonce(
    tx: Tx, nonce_hash: bytes, key_id: str, *, now: datetime, expires_at: datetime
) -> bool:
    """Whether it is new."""
    return await tx.first(_ADD_NONCE, nonce_hash, key_id, expires_at, now) is not None


async def forget_nonces(tx: Tx, before: datetime) -> int:
    return await tx.run(_FORGET_NONCES, before)


async def take(
    tx: Tx, key_id: str, size: int, *, most_requests: int, most_bytes: int, now: datetime
) -> bool:
    """Count a request of that size if both quotas have room for it."""
    await tx.first(_QUEUE_UP, key_id)
    part = int(now.timestamp() * 100) // 60
    taken = await tx.first(_TAKE, key_id, now, part, size, most_requests, most_bytes)
    return taken is not None


async def used(reads: Reads, key_id: str, now: datetime) -> list[Use]:
    """What the key has used within a minute, oldest first."""
    return await reads.all(_USED, key_id, now)


async def forget_use(tx: Tx, before: datetime) -> int:
    return await tx.run(_FORGET_USE, before)
