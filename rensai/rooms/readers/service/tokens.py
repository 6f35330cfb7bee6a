"""API tokens: made once, shown once, good until they run out or are deleted."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from rensai.kit import texts
from rensai.kit.db import Reads, Tx
from rensai.kit.errors import NotFound
from rensai.kit.ids import new_uid
from rensai.rooms.readers.errors import ScopeMissing, TooManyTokens
from rensai.rooms.readers.model.signing import SCOPES, ApiToken, NewToken, Visit
from rensai.rooms.readers.service.secrets import API_TOKEN, hash_of, new_secret
from rensai.rooms.readers.store import accounts
from rensai.rooms.readers.store import tokens as store

MOST = 100
LONGEST_NAME = 100
_SHOWN = len(API_TOKEN) + 6


async def create_token(
    tx: Tx,
    visit: Visit,
    *,
    name: str,
    scopes: Collection[str] | None,
    expires_at: datetime | None,
    now: datetime,
) -> NewToken:
    """A token for the account that is asking; without scopes it may do all that the asker may.

    Nobody gives away by a token more than the token has by which they came.
    """
    allowed = SCOPES if visit.scopes is None else visit.scopes
    wanted = allowed if scopes is None else frozenset(scopes)
    if lacking := sorted(wanted - allowed):
        raise ScopeMissing(
            f"The token lacks the scope {lacking[0]}, so it cannot give it.",
            details={"scope": lacking[0]},
        )
    if expires_at is not None and expires_at <= now:
        raise texts.wrong("expiresAt", "It must lie in the future.")
    secret = new_secret(API_TOKEN)
    token = ApiToken(
        id=new_uid(),
        name=texts.line("name", name, most=LONGEST_NAME),
        prefix=secret[:_SHOWN],
        scopes=sorted(wanted),
        created_at=now,
        last_used_at=None,
        expires_at=expires_at,
    )
    await accounts.hold(tx, visit.user.id)  # so that two at once are not one too many
    if await store.count(tx, visit.user.id, MOST) >= MOST:
        raise TooManyTokens
    await store.insert(tx, visit.user.id, token, hash_of(secret))
    return NewToken(token, secret)


async def list_tokens(
    reads: Reads, user_id: int, *, limit: int, after: UUID | None
) -> list[ApiToken]:
    """The tokens of an account, newest first; one more than asked for if there are more."""
    return await store.page(reads, user_id, limit + 1, after)


async def delete_token(tx: Tx, user_id: int, token_id: UUID) -> None:
    """End a token; that of another account is as if it were not there."""
    if not await store.delete(tx, token_id, user_id):
        raise NotFound("You have no such token.")
