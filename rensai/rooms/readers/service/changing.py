"""Passwords and addresses, changed by whoever owns the account, and its end."""

from datetime import datetime, timedelta
from uuid import UUID

from rensai.kit import texts
from rensai.kit.clock import Clock
from rensai.kit.db import Database, Tx
from rensai.kit.errors import Conflict
from rensai.kit.events import emit
from rensai.kit.limits import Limits, Rule
from rensai.rooms.readers.adapters import passwords
from rensai.rooms.readers.errors import AccountClosed, NameTaken, WrongPassword
from rensai.rooms.readers.events import EmailChanged, PasswordChanged, VerificationAsked
from rensai.rooms.readers.model import EMAIL, PASSWORD_LENGTH, User
from rensai.rooms.readers.service.ending import delete_account, end_sign_ins
from rensai.rooms.readers.service.registration import has_right_length, require_good_password
from rensai.rooms.readers.store import accounts, letters, profiles

CONFIRM = Rule("confirm-password", 10, timedelta(minutes=15))


async def confirm_password(db: Database, limits: Limits, user_id: int, password: str) -> str:
    """Make sure that whoever is signed in knows the password too; returns the hash it fits.

    Ten tries in a quarter of an hour: a session that was left open is no way to guess it.
    """
    await limits.check(CONFIRM, str(user_id))
    hashed = await profiles.password_hash(db.primary, user_id)
    verdict = await passwords.check_password(password, hashed)
    if hashed is None or not verdict.right:
        raise WrongPassword
    await limits.forget(CONFIRM, str(user_id))
    return hashed


async def change_password(
    db: Database,
    limits: Limits,
    user: User,
    *,
    current: str,
    new: str,
    session: UUID | None,
    clock: Clock,
) -> None:
    """Another password; everything else that is signed in is signed out, tokens too.

    `session` is that of whoever asks, who stays.
    """
    require_length(new)
    require_good_password(user.username, user.email, new)
    old_hash = await confirm_password(db, limits, user.id, current)
    new_hash = await passwords.hash_password(new)
    now = clock.now()
    async with db.transaction() as tx:
        if not await profiles.set_password(tx, user.id, old=old_hash, new=new_hash, now=now):
            raise WrongPassword  # it has been changed meanwhile
        await end_sign_ins(tx, user.id, now=now, but=session)
        await emit(tx, PasswordChanged(user_id=user.id))


async def change_email(
    db: Database, limits: Limits, user: User, *, password: str, email: str, clock: Clock
) -> User:
    """Another address, not confirmed yet; the one before is told."""
    require_email(email)
    await confirm_password(db, limits, user.id, password)
    try:
        async with db.transaction() as tx:
            return await _set_email(tx, user, email, clock.now())
    except NameTaken:
        raise
    except Conflict as problem:  # somebody took the address at the same moment
        raise NameTaken from problem


async def _set_email(tx: Tx, user: User, email: str, now: datetime) -> User:
    if not await profiles.set_email(tx, user.id, email, now):
        raise NameTaken
    await letters.end_marks(tx, user.id)
    changed = await accounts.by_id(tx, user.id)
    if changed is None:
        raise AccountClosed
    if email.lower() != user.email.lower():
        await emit(
            tx,
            EmailChanged(user_id=user.id, before=user.email),
            VerificationAsked(user_id=user.id),
        )
    return changed


async def delete_own_account(
    db: Database, limits: Limits, user: User, *, password: str, clock: Clock
) -> None:
    """Erase the account of whoever asks, and knows its password."""
    await confirm_password(db, limits, user.id, password)
    async with db.transaction() as tx:
        await delete_account(tx, user.id, actor_id=user.id, now=clock.now())


def require_email(email: str) -> None:
    if len(email) > 254 or not EMAIL.fullmatch(email) or not email.isprintable():
        raise texts.wrong("email", "It must be an e-mail address.")


def require_length(password: str) -> None:
    """Refuse a password that is too short or too long."""
    if not has_right_length(password):
        shortest, longest = PASSWORD_LENGTH
        raise texts.wrong("password", f"It must have {shortest} to {longest} characters.")
