"""Signing in of apps: a token for each request, and one to get the next by.

A refresh token is good once. All that follow from one sign-in are a family, and belong to one
session. Who sends one that was exchanged before has stolen it, or the other one has: the whole
family ends, and with its session its access tokens.
"""

import hashlib
import hmac
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Tx
from rensai.kit.limits import Limits, Rule
from rensai.kit.log import get_logger
from rensai.kit.sealing import derive_key
from rensai.rooms.readers.adapters.access_tokens import TYPE, AccessKeys
from rensai.rooms.readers.errors import RefreshTokenInvalid
from rensai.rooms.readers.model import User
from rensai.rooms.readers.model.signing import (
    Claims,
    Device,
    Grant,
    Lifetimes,
    NewRefresh,
    bare_user,
)
from rensai.rooms.readers.service.credentials import check_credentials
from rensai.rooms.readers.service.secrets import REFRESH_TOKEN, hash_of, looks_like, new_secret
from rensai.rooms.readers.service.sessions import begin_app, enter
from rensai.rooms.readers.store import accounts, sessions
from rensai.rooms.readers.store import refresh as store

STOLEN_AFTER = timedelta(seconds=10)
"""An app that asks twice at once, or again because the answer got lost, has stolen nothing."""

WRONG_TOKENS = Rule("wrong refresh tokens", 30, timedelta(minutes=1))
_PURGED_AT_ONCE = 2000

_LOG = get_logger("rensai.readers")


class Grants:
    """Gives tokens to apps, as the settings of this site say."""

    def __init__(self, keys: AccessKeys, lifetimes: Lifetimes, secret: str) -> None:
        self._keys = keys
        self._access = timedelta(days=lifetimes.access_days)
        self._refresh = timedelta(days=lifetimes.refresh_days)
        self._session = max(self._access, self._refresh)
        self._most = lifetimes.per_account
        self._address_key = derive_key(secret, "addresses of refresh tokens")

    async def sign_in(
        self,
        db: Database,
        limits: Limits,
        *,
        login: str,
        password: str,
        device: Device,
        clock: Clock,
    ) -> Grant:
        """Check a name and a password, and give the first tokens of a new device."""
        checked = await check_credentials(
            db.primary, limits, login=login, password=password, device=device, clock=clock
        )
        async with db.transaction() as tx:
            return await self.begin(tx, await enter(tx, checked), device, clock.now())

    async def begin(self, tx: Tx, user: User, device: Device, now: datetime) -> Grant:
        """The first tokens of a device; the oldest devices beyond what is allowed make room."""
        await accounts.hold(tx, user.id)
        leaving = await store.displaced(
            tx, user.id, now, most=self._most, device_id=device.device_id
        )
        if leaving:
            await sessions.leave(tx, leaving, self._access)
            await store.revoke_families(tx, leaving, now)
        family = await begin_app(tx, user, device, now=now, expires_at=now + self._session)
        token = new_secret(REFRESH_TOKEN)
        await store.insert(tx, self._refresh_token(token, user, family, device, now))
        return self._grant(user, family, token, now)

    async def exchange(
        self, db: Database, limits: Limits, *, token: str, device: Device, clock: Clock
    ) -> Grant:
        """New tokens for a refresh token, which is used up by that."""
        grant = None
        if looks_like(token, REFRESH_TOKEN):
            async with db.transaction() as tx:
                grant = await self._rotate(tx, hash_of(token), device, clock.now())
        if grant is None:
            await limits.check(WRONG_TOKENS, device.address)
            raise RefreshTokenInvalid
        return grant

    async def sign_out(self, db: Database, *, token: str, clock: Clock) -> None:
        """End the device that this refresh token belongs to, if it still does."""
        if not looks_like(token, REFRESH_TOKEN):
            return
        async with db.transaction() as tx:
            found = await store.by_hash(tx, hash_of(token))
            if found is not None and found.revoked_at is None:
                await end_families(tx, [found.family_id], clock.now())

    async def _rotate(self, tx: Tx, old: bytes, device: Device, now: datetime) -> Grant | None:
        held = await store.hold(tx, old, now)
        if held is None:
            return None
        user, token = bare_user(held), new_secret(REFRESH_TOKEN)
        new = self._refresh_token(token, user, held.family_id, device, now)
        if await store.rotate(tx, old, new, session_until=now + self._session):
            return self._grant(user, held.family_id, token, now)
        await _end_if_stolen(tx, old, now)
        return None

    def _refresh_token(
        self, token: str, user: User, family: UUID, device: Device, now: datetime
    ) -> NewRefresh:
        return NewRefresh(
            user_id=user.id,
            family_id=family,
            token_hash=hash_of(token),
            device_id=device.device_id,
            user_agent_hash=hashlib.sha256(device.agent.encode("utf-8", "replace")).digest(),
            ip_hash=hmac.digest(self._address_key, device.address.encode(), "sha256"),
            issued_at=now,
            expires_at=now + self._refresh,
        )

    def _grant(self, user: User, family: UUID, refresh_token: str, now: datetime) -> Grant:
        begins = int(now.timestamp())
        ends = begins + int(self._access.total_seconds())
        claims = Claims(
            sub=user.id, username=user.username, iat=begins, exp=ends, type=TYPE, sid=family
        )
        expires_at = datetime.fromtimestamp(ends, UTC)
        return Grant(user, self._keys.sign(claims), refresh_token, expires_at)


async def _end_if_stolen(tx: Tx, token_hash: bytes, now: datetime) -> None:
    """End the device of a token that was exchanged a while ago."""
    found = await store.by_hash(tx, token_hash)
    if found is None or found.replaced_by is None or found.revoked_at is None:
        return
    if now - found.revoked_at < STOLEN_AFTER:
        return
    await end_families(tx, [found.family_id], now)
    _LOG.warning("a refresh token came twice; its device is signed out", family=found.family_id)


async def end_families(tx: Tx, families: Sequence[UUID], now: datetime) -> None:
    """Sign devices out, with whatever tokens they have."""
    await sessions.delete_uids(tx, families)
    await store.revoke_families(tx, families, now)


async def purge_refresh_tokens(db: Database, before: datetime) -> int:
    """Forget tokens that ran out or were revoked before then; says how many."""
    gone = 0
    while True:
        async with db.transaction() as tx:
            some = await store.purge(tx, before, _PURGED_AT_ONCE)
        gone += some
        if some < _PURGED_AT_ONCE:
            return gone
