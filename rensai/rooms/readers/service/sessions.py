"""Signing in and out of browsers."""

import os
from datetime import datetime, timedelta
from uuid import UUID

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Reads, Tx
from rensai.kit.ids import new_uid
from rensai.kit.limits import Limits
from rensai.rooms.readers.errors import WrongCredentials
from rensai.rooms.readers.model import Checked, OpenSession, User
from rensai.rooms.readers.model.signing import Device, NewSession
from rensai.rooms.readers.service.credentials import check_credentials
from rensai.rooms.readers.service.secrets import hash_of, looks_like, new_secret
from rensai.rooms.readers.store import accounts, sessions

SESSION_LENGTH = timedelta(days=30)


async def sign_in(
    db: Database,
    limits: Limits,
    *,
    login: str,
    password: str,
    device: Device,
    clock: Clock,
    replacing: str = "",
) -> OpenSession:
    """Check a name and a password, and begin a session.

    Takes the database and not a transaction: hashing takes its time, and no connection should
    wait for it. `replacing` is the cookie that the browser had before: its session ends, so that
    nobody goes on in a session that somebody else may know.
    """
    checked = await check_credentials(
        db.primary, limits, login=login, password=password, device=device, clock=clock
    )
    async with db.transaction() as tx:
        user = await enter(tx, checked)
        await sign_out(tx, replacing)
        return await begin_session(tx, user, device, clock.now())


async def enter(tx: Tx, checked: Checked) -> User:
    """The account whose credentials were right, with its hash renewed if need be."""
    account = checked.credentials
    if checked.rehashed is not None:
        await accounts.rehash(tx, account.id, old=account.password_hash, new=checked.rehashed)
    user = await accounts.by_id(tx, account.id)
    if user is None:
        raise WrongCredentials
    return user


async def begin_session(tx: Tx, user: User, device: Device, now: datetime) -> OpenSession:
    """A session of a browser, for its cookie."""
    token, expires_at = new_secret(), now + SESSION_LENGTH
    await sessions.insert_session(
        tx,
        NewSession(
            id_hash=hash_of(token),
            uid=new_uid(),
            user_id=user.id,
            kind="browser",
            device=device,
            created_at=now,
            expires_at=expires_at,
        ),
    )
    return OpenSession(user, token, expires_at)


async def begin_app(
    tx: Tx, user: User, device: Device, *, now: datetime, expires_at: datetime
) -> UUID:
    """A session of an app; no cookie fits it."""
    uid = new_uid()
    await sessions.insert_session(
        tx,
        NewSession(
            id_hash=os.urandom(32),
            uid=uid,
            user_id=user.id,
            kind="app",
            device=device,
            created_at=now,
            expires_at=expires_at,
        ),
    )
    return uid


async def sign_out(tx: Tx, token: str) -> bool:
    """End a session; True if there was one."""
    return looks_like(token) and await sessions.delete_session(tx, hash_of(token))


async def user_of_session(reads: Reads, token: str, now: datetime) -> User | None:
    """The account behind a session cookie, unless it has run out or the account is closed."""
    if not looks_like(token):
        return None
    return await sessions.by_session(reads, hash_of(token), now)


async def clear_expired_sessions(tx: Tx, now: datetime) -> int:
    """Forget sessions that have run out; says how many."""
    return await sessions.delete_expired_sessions(tx, now)
