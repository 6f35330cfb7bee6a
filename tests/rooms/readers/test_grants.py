"""Tokens of apps when several things happen to one account at the same moment."""

import asyncio

import pytest

from rensai.kit.clock import SetClock
from rensai.kit.db import Database, Query
from rensai.kit.limits import Limits
from rensai.rooms.readers.adapters.access_tokens import AccessKeys
from rensai.rooms.readers.errors import RefreshTokenInvalid
from rensai.rooms.readers.model.signing import Device, Grant, Lifetimes
from rensai.rooms.readers.service.grants import Grants
from rensai.rooms.readers.store import refresh, sessions
from tests.rooms.readers.accounts import NOON, an_admin

pytestmark = pytest.mark.anyio

SECRET = "s" * 40
PHONE = Device("192.0.2.1", "192.0.2.0/24", "a phone")
GRANTS = Grants(AccessKeys([SECRET]), Lifetimes(7, 30, 1), SECRET)

_ACTIVE = Query("SELECT count(*) AS count FROM refresh_tokens WHERE revoked_at IS NULL", int)
_WAITING = Query(
    "SELECT count(*) AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock'", int
)


async def until_somebody_waits(database: Database) -> None:
    async with asyncio.timeout(10):
        while not await database.primary.first(_WAITING):  # noqa: ASYNC110 - a table tells
            await asyncio.sleep(0.01)


async def begin(database: Database) -> Grant:
    user = (await an_admin(database)).user
    async with database.transaction() as tx:
        return await GRANTS.begin(tx, user, PHONE, NOON)


async def exchange(database: Database, token: str) -> Grant:
    clock = SetClock(NOON)
    return await GRANTS.exchange(database, Limits(clock), token=token, device=PHONE, clock=clock)


async def test_who_signs_in_waits_for_who_is_signing_in(database: Database) -> None:
    user = (await begin(database)).user

    async def second() -> Grant:
        async with database.transaction() as tx:
            return await GRANTS.begin(tx, user, PHONE, NOON)

    async with database.transaction() as tx:
        first = await GRANTS.begin(tx, user, PHONE, NOON)
        waiting = asyncio.create_task(second())
        await until_somebody_waits(database)
    last = await waiting
    assert await database.primary.first(_ACTIVE) == 1
    with pytest.raises(RefreshTokenInvalid):
        await exchange(database, first.refresh_token)
    await exchange(database, last.refresh_token)


async def test_an_exchange_waits_for_who_is_signing_its_device_out(database: Database) -> None:
    grant = await begin(database)
    async with database.transaction() as tx:
        await sessions.delete_all(tx, grant.user.id, but=None)
        waiting = asyncio.create_task(exchange(database, grant.refresh_token))
        await until_somebody_waits(database)
        await refresh.revoke_all(tx, grant.user.id, NOON, but=None)
    with pytest.raises(RefreshTokenInvalid):
        await waiting
    assert await database.primary.first(_ACTIVE) == 0
