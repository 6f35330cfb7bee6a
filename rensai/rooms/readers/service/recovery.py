"""Coming back into an account by its twelve words, with a new name, address and password."""

import asyncio
from datetime import datetime

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Tx
from rensai.kit.errors import Conflict
from rensai.kit.events import emit
from rensai.kit.limits import Limits
from rensai.rooms.readers.adapters import passwords, portable
from rensai.rooms.readers.errors import (
    AccountClosed,
    FingerprintNotFound,
    InvalidMnemonic,
    NameTaken,
)
from rensai.rooms.readers.events import VerificationAsked
from rensai.rooms.readers.model import OpenSession
from rensai.rooms.readers.model.signing import Device, NewAccount
from rensai.rooms.readers.service.credentials import SIGN_IN
from rensai.rooms.readers.service.ending import end_sign_ins
from rensai.rooms.readers.service.registration import require_account_shape
from rensai.rooms.readers.service.sessions import begin_session
from rensai.rooms.readers.store import accounts as store
from rensai.rooms.readers.store import letters, recovery


async def recover(
    db: Database,
    limits: Limits,
    *,
    phrase: str,
    new: NewAccount,
    device: Device,
    clock: Clock,
) -> OpenSession:
    """Give the account of these words new credentials, sign it out everywhere, and in here.

    The account stays what it is: its shelf, its comments, its role.
    """
    await limits.check(SIGN_IN, device.address)
    words = portable.normal_phrase(phrase)
    if not portable.is_phrase(words):
        raise InvalidMnemonic
    require_account_shape(new.username, new.email, new.password)
    identity = await asyncio.to_thread(portable.identity_of, words)
    found = await recovery.by_fingerprint(db.primary, identity.fingerprint)
    if found is None:
        raise FingerprintNotFound
    if found.is_banned or not found.is_active:
        raise AccountClosed
    hashed = await passwords.hash_password(new.password)
    try:
        async with db.transaction() as tx:
            return await _renew(tx, found.id, new, hashed, device=device, now=clock.now())
    except NameTaken:
        raise
    except Conflict as problem:  # somebody took the name at the same moment
        raise NameTaken from problem


async def _renew(
    tx: Tx, user_id: int, new: NewAccount, hashed: str, *, device: Device, now: datetime
) -> OpenSession:
    await store.hold(tx, user_id)
    if await recovery.names_taken(tx, user_id, new.username, new.email):
        raise NameTaken
    user = await recovery.renew(
        tx, user_id, username=new.username, email=new.email, password_hash=hashed, now=now
    )
    if user is None:
        raise AccountClosed
    await end_sign_ins(tx, user.id, now=now)
    await letters.end_marks(tx, user.id)
    if not user.email_verified:
        await emit(tx, VerificationAsked(user_id=user.id))
    return await begin_session(tx, user, device, now)
