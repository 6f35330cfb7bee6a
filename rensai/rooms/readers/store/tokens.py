"""SQL of API tokens."""

from uuid import UUID

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.readers.model.signing import ApiToken

_COLUMNS = "id, name, prefix, scopes, created_at, last_used_at, expires_at"
_INSERT = Query(
    f"""
    INSERT INTO api_tokens (
        id, user_id, name, token_hash, prefix, scopes, created_at, expires_at
    ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    RETURNING {_COLUMNS}
    """,
    ApiToken,
)
COUNT = Query(
    "SELECT count(*) AS count FROM (SELECT FROM api_tokens WHERE user_id = $1 LIMIT $2) AS few",
    int,
)
FIRST_PAGE = Query(
    f"SELECT {_COLUMNS} FROM api_tokens WHERE user_id = $1 ORDER BY id DESC LIMIT $2", ApiToken
)
NEXT_PAGE = Query(
    f"SELECT {_COLUMNS} FROM api_tokens WHERE user_id = $1 AND id < $3 ORDER BY id DESC LIMIT $2",
    ApiToken,
)
_DELETE = Query("DELETE FROM api_tokens WHERE id = $1 AND user_id = $2 RETURNING id", UUID)
_DELETE_ALL = Command("DELETE FROM api_tokens WHERE user_id = $1")


async def insert(tx: Tx, user_id: int, token: ApiToken, token_hash: bytes) -> None:
    await tx.first(
        _INSERT,
        token.id,
        user_id,
        token.name,
        token_hash,
        token.prefix,
        token.scopes,
        token.created_at,
        token.expires_at,
    )


async def count(reads: Reads, user_id: int, most: int) -> int:
    """How many tokens the account has; counting ends at `most`."""
    return await reads.first(COUNT, user_id, most) or 0


async def page(reads: Reads, user_id: int, most: int, after: UUID | None) -> list[ApiToken]:
    """The tokens of an account, newest first."""
    if after is None:
        return await reads.all(FIRST_PAGE, user_id, most)
    return await reads.all(NEXT_PAGE, user_id, most, after)


async def delete(tx: Tx, token_id: UUID, user_id: int) -> bool:
    """False when the account has no such token."""
    return await tx.first(_DELETE, token_id, user_id) is not None


async def delete_all(tx: Tx, user_id: int) -> None:
    await tx.run(_DELETE_ALL, user_id)
