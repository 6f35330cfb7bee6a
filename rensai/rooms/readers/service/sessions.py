"""Signing in and out."""

import hashlib
import secrets
from datetime import datetime, timedelta

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Reads, Tx
from rensai.kit.limits import Limits, Rule
from rensai.rooms.readers.adapters import passwords
from rensai.rooms.readers.errors import AccountClosed, WrongCredentials
from rensai.rooms.readers.model import EMAIL, USERNAME, Checked, OpenSession, User
from rensai.rooms.readers.store import accounts, sessions

SESSION_LENGTH = timedelta(days=30)
SIGN_IN = Rule("sign-in", 10, timedelta(minutes=1))
_TOKEN_LENGTH = 43  # 32 random bytes in base64 without padding


async def sign_in(
    db: Database, limits: Limits, *, login: str, password: str, address: str, clock: Clock
) -> OpenSession:
    """Check a name and a password, and begin a session.

    Takes the database and not a transaction: hashing takes its time, and no connection should
    wait for it. One address may try ten times a minute.
    """
    await limits.check(SIGN_IN, address)
    checked = await _check_credentials(db.primary, login, password)
    token = secrets.token_urlsafe(32)
    now = clock.now()
    expires_at = now + SESSION_LENGTH
    account = checked.credentials
    async with db.transaction() as tx:
        if checked.rehashed is not None:
            await accounts.rehash(tx, account.id, old=account.password_hash, new=checked.rehashed)
        user = await accounts.by_id(tx, account.id)
        if user is None:
            raise WrongCredentials
        await sessions.insert_session(tx, _hashed(token), user.id, now=now, expires_at=expires_at)
    return OpenSession(user, token, expires_at)


async def _check_credentials(reads: Reads, login: str, password: str) -> Checked:
    possible = USERNAME.fullmatch(login) or EMAIL.fullmatch(login)
    account = await accounts.credentials(reads, login) if possible else None
    verdict = await passwords.check_password(password, account and account.password_hash)
    if account is None or not verdict.right:
        raise WrongCredentials
    if account.is_banned or not account.is_active:
        raise AccountClosed
    rehashed = await passwords.hash_password(password) if verdict.outdated else None
    return Checked(account, rehashed)


async def sign_out(tx: Tx, token: str) -> bool:
    """End a session; True if there was one."""
    return await sessions.delete_session(tx, _hashed(token))


async def user_of_session(reads: Reads, token: str, now: datetime) -> User | None:
    """The account behind a session cookie, unless it has run out or the account is closed."""
    if len(token) != _TOKEN_LENGTH:
        return None
    return await sessions.by_session(reads, _hashed(token), now)


async def clear_expired_sessions(tx: Tx, now: datetime) -> int:
    """Forget sessions that have run out; says how many."""
    return await sessions.delete_expired_sessions(tx, now)


def _hashed(token: str) -> bytes:
    """What is stored of a token. It is random, so one fast hash protects it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
