"""Devices that are signed in: browsers by their cookie, apps by their tokens, in one list."""

from datetime import datetime
from uuid import UUID

from rensai.kit.db import Reads, Tx
from rensai.kit.errors import NotFound
from rensai.rooms.readers.model.signing import SignedIn
from rensai.rooms.readers.store import accounts, refresh, tokens
from rensai.rooms.readers.store import sessions as store


async def list_devices(
    reads: Reads, user_id: int, *, now: datetime, limit: int, after: tuple[datetime, UUID] | None
) -> list[SignedIn]:
    """The devices of an account, newest first; one more than asked for if there are more."""
    return await store.page(reads, user_id, now, limit + 1, after)


async def end_device(tx: Tx, user_id: int, uid: UUID, now: datetime) -> None:
    """Sign a device out; that of another account is as if it were not there."""
    if not await store.delete_own(tx, uid, user_id):
        raise NotFound("You have no such device.")
    await refresh.revoke_families(tx, [uid], now)


async def end_devices(
    tx: Tx, user_id: int, now: datetime, *, but: UUID | None, with_tokens: bool = False
) -> int:
    """Sign all devices of an account out, save one; with its API tokens if wanted."""
    await accounts.hold(tx, user_id)
    ended = await store.delete_all(tx, user_id, but=but)
    await refresh.revoke_all(tx, user_id, now, but=but)
    if with_tokens:
        await tokens.delete_all(tx, user_id)
    return ended
