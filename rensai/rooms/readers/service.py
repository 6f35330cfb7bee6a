"""What can be done with accounts and sessions."""

import hashlib
import secrets
from datetime import datetime, timedelta

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Reads, Tx
from rensai.kit.errors import Invalid
from rensai.kit.ids import new_uid
from rensai.kit.limits import Limits, Rule
from rensai.rooms.readers import store
from rensai.rooms.readers.adapters import passwords, portable
from rensai.rooms.readers.errors import AccountClosed, AdminExists, NameTaken, WrongCredentials
from rensai.rooms.readers.model import (
    EMAIL,
    PASSWORD_LENGTH,
    USERNAME,
    Checked,
    Created,
    OpenSession,
    User,
)

SESSION_LENGTH = timedelta(days=30)
SIGN_IN = Rule("sign-in", 10, timedelta(minutes=1))
_TOKEN_LENGTH = 43  # 32 random bytes in base64 without padding


async def create_admin(
    tx: Tx, *, username: str, email: str, password: str, clock: Clock, another: bool = False
) -> Created:
    """Make an administrator: the first one, or, when asked for, one more."""
    _require_account_shape(username, email, password)
    hashed = await passwords.hash_password(password)
    await store.lock_admins(tx)
    if not another and await store.admin_exists(tx):
        raise AdminExists
    phrase = portable.new_phrase()
    identity = portable.identity_of(phrase)
    user = await store.insert(
        tx,
        uid=new_uid(),
        username=username,
        email=email,
        password_hash=hashed,
        role="admin",
        public_key=identity.public_key,
        fingerprint=identity.fingerprint,
        now=clock.now(),
    )
    if user is None:
        raise NameTaken
    return Created(user, phrase)


def _require_account_shape(username: str, email: str, password: str) -> None:
    shortest, longest = PASSWORD_LENGTH
    wrong: dict[str, str] = {}
    if not USERNAME.fullmatch(username):
        wrong["username"] = (
            "the username needs 3 to 60 letters, digits, dots, dashes or underscores, and no dot "
            "or dash at its ends"
        )
    if not EMAIL.fullmatch(email):
        wrong["email"] = "the e-mail address is none"
    if not shortest <= len(password) <= longest:
        wrong["password"] = f"the password needs {shortest} to {longest} characters"
    if wrong:
        raise Invalid(
            f"The account cannot be made: {'; '.join(wrong.values())}.",
            details=[{"path": path, "message": why} for path, why in wrong.items()],
        )


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
            await store.rehash(tx, account.id, old=account.password_hash, new=checked.rehashed)
        user = await store.by_id(tx, account.id)
        if user is None:
            raise WrongCredentials
        await store.insert_session(tx, _hashed(token), user.id, now=now, expires_at=expires_at)
    return OpenSession(user, token, expires_at)


async def _check_credentials(reads: Reads, login: str, password: str) -> Checked:
    possible = USERNAME.fullmatch(login) or EMAIL.fullmatch(login)
    account = await store.credentials(reads, login) if possible else None
    verdict = await passwords.check_password(password, account and account.password_hash)
    if account is None or not verdict.right:
        raise WrongCredentials
    if account.is_banned or not account.is_active:
        raise AccountClosed
    rehashed = await passwords.hash_password(password) if verdict.outdated else None
    return Checked(account, rehashed)


async def sign_out(tx: Tx, token: str) -> bool:
    """End a session; True if there was one."""
    return await store.delete_session(tx, _hashed(token))


async def user_of_session(reads: Reads, token: str, now: datetime) -> User | None:
    """The account behind a session cookie, unless it has run out or the account is closed."""
    if len(token) != _TOKEN_LENGTH:
        return None
    return await store.by_session(reads, _hashed(token), now)


async def clear_expired_sessions(tx: Tx, now: datetime) -> int:
    """Forget sessions that have run out; says how many."""
    return await store.delete_expired_sessions(tx, now)


async def count_accounts(reads: Reads) -> int:
    """How many accounts are open here."""
    return await store.count(reads)


def _hashed(token: str) -> bytes:
    """What is stored of a token. It is random, so one fast hash protects it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
