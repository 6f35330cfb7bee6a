"""SQL of who is asking: many at once, since it is asked before most answers."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.readers.model.signing import SessionRow, TokenRow
from rensai.rooms.readers.store.columns import USER

_SESSION = f"""
    SELECT {USER}, sessions.uid AS session, sessions.id_hash, sessions.expires_at,
        sessions.last_used_at, users.password_changed_at
    FROM sessions JOIN users ON users.id = sessions.user_id
    WHERE users.is_active AND NOT users.is_banned
"""
BROWSERS = Query(
    _SESSION + "AND sessions.kind = 'browser' AND sessions.id_hash = ANY($1::bytea[])", SessionRow
)
APPS = Query(_SESSION + "AND sessions.kind = 'app' AND sessions.uid = ANY($1::uuid[])", SessionRow)
TOKENS = Query(
    f"""
    SELECT {USER}, api_tokens.id AS token, api_tokens.token_hash, api_tokens.scopes,
        api_tokens.created_at AS issued_at, api_tokens.expires_at, api_tokens.last_used_at,
        users.password_changed_at
    FROM api_tokens JOIN users ON users.id = api_tokens.user_id
    WHERE users.is_active AND NOT users.is_banned AND api_tokens.token_hash = ANY($1::bytea[])
    """,
    TokenRow,
)
# What somebody else is writing to will be seen again; so nobody waits and nothing deadlocks.
_USE_SESSIONS = Command(
    """
    UPDATE sessions SET last_used_at = $2
    FROM (SELECT id_hash FROM sessions WHERE uid = ANY($1::uuid[]) FOR UPDATE SKIP LOCKED) AS free
    WHERE sessions.id_hash = free.id_hash
        AND (sessions.last_used_at IS NULL OR sessions.last_used_at < $2)
    """
)
_USE_TOKENS = Command(
    """
    UPDATE api_tokens SET last_used_at = $2
    FROM (SELECT id FROM api_tokens WHERE id = ANY($1::uuid[]) FOR UPDATE SKIP LOCKED) AS free
    WHERE api_tokens.id = free.id
        AND (api_tokens.last_used_at IS NULL OR api_tokens.last_used_at < $2)
    """
)


async def browsers(reads: Reads, id_hashes: list[bytes]) -> Mapping[bytes, SessionRow]:
    """The sessions of these cookies, of accounts that are open."""
    return {row.id_hash: row for row in await reads.all(BROWSERS, id_hashes)}


async def apps(reads: Reads, uids: list[UUID]) -> Mapping[UUID, SessionRow]:
    """The sessions that access tokens name, of accounts that are open."""
    return {row.session: row for row in await reads.all(APPS, uids)}


async def tokens(reads: Reads, token_hashes: list[bytes]) -> Mapping[bytes, TokenRow]:
    """The API tokens with these hashes, of accounts that are open."""
    return {row.token_hash: row for row in await reads.all(TOKENS, token_hashes)}


async def note_sessions(tx: Tx, uids: Sequence[UUID], now: datetime) -> None:
    """These sessions were used just now."""
    await tx.run(_USE_SESSIONS, list(uids), now)


async def note_tokens(tx: Tx, ids: Sequence[UUID], now: datetime) -> None:
    """These API tokens were used just now."""
    await tx.run(_USE_TOKENS, list(ids), now)
