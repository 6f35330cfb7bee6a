"""Passwords and addresses of accounts: changed by their owners, or won back by letter."""

from datetime import timedelta

from rensai.config import Config
from rensai.kit import texts
from rensai.kit.clock import Clock
from rensai.kit.db import Database, Tx
from rensai.kit.errors import Forbidden
from rensai.kit.events import emit
from rensai.kit.limits import Limits, Rule
from rensai.rooms.readers.adapters import passwords
from rensai.rooms.readers.errors import LinkExpired, MailDisabled, NameTaken, WrongPassword
from rensai.rooms.readers.events import (
    EmailChanged,
    PasswordChanged,
    ResetAsked,
    VerificationAsked,
)
from rensai.rooms.readers.model import EMAIL, PASSWORD_LENGTH, User
from rensai.rooms.readers.model.letters import Purpose
from rensai.rooms.readers.service.ending import delete_account, end_sign_ins, hash_of
from rensai.rooms.readers.store import accounts, letters, profiles

CONFIRM = Rule("confirm-password", 10, timedelta(minutes=15))
RESETS_OF_ADDRESS = Rule("reset-caller", 10, timedelta(hours=1))
RESETS_TO_MAILBOX = Rule("reset-mailbox", 3, timedelta(hours=1))
MARKS_TRIED = Rule("letter-marks", 20, timedelta(minutes=10))
VERIFICATIONS = Rule("verification", 5, timedelta(hours=1))


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
    session: str | None,
    clock: Clock,
) -> None:
    """Another password; everything else that is signed in is signed out, tokens too.

    `session` is the cookie of whoever asks, who stays.
    """
    require_password(new, user.username, user.email)
    old_hash = await confirm_password(db, limits, user.id, current)
    new_hash = await passwords.hash_password(new)
    now = clock.now()
    async with db.transaction() as tx:
        if not await profiles.set_password(tx, user.id, old=old_hash, new=new_hash, now=now):
            raise WrongPassword  # it has been changed meanwhile
        await end_sign_ins(tx, user.id, but_session=session)
        await emit(tx, PasswordChanged(user_id=user.id))


async def change_email(
    db: Database, limits: Limits, user: User, *, password: str, email: str, clock: Clock
) -> User:
    """Another address, not confirmed yet; the one before is told."""
    require_email(email)
    await confirm_password(db, limits, user.id, password)
    async with db.transaction() as tx:
        if not await profiles.set_email(tx, user.id, email, clock.now()):
            raise NameTaken
        await letters.end_marks(tx, user.id)
        changed = await accounts.by_id(tx, user.id)
        if changed is None:
            raise Forbidden
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


async def ask_for_reset(
    db: Database, config: Config, limits: Limits, *, email: str, address: str
) -> None:
    """Have a letter sent to this address if there is an account with it.

    Nothing is looked up here, so the answer and its time are the same for every address; one
    that was written to often lately is passed over in silence.
    """
    require_mail(config)
    require_email(email)
    await limits.check(RESETS_OF_ADDRESS, address)
    if (await limits.hit(RESETS_TO_MAILBOX, email.lower())).allowed:
        async with db.transaction() as tx:
            await emit(tx, ResetAsked(email=email))


async def reset_password(
    db: Database, limits: Limits, *, mark: str, password: str, address: str, clock: Clock
) -> None:
    """Set a password by the link of a letter, once; everything is signed out."""
    await limits.check(MARKS_TRIED, address)
    require_password(password)
    hashed_mark, now = hash_of(mark), clock.now()
    found = await letters.good_mark(db.primary, hashed_mark, Purpose.RESET.value, now)
    if found is None:
        raise LinkExpired
    user = await accounts.by_id(db.primary, found.user_id)
    if user is not None:
        require_password(password, user.username, user.email)
    hashed = await passwords.hash_password(password)
    async with db.transaction() as tx:
        used = await letters.use_mark(tx, hashed_mark, Purpose.RESET.value, now)
        if used is None or not await letters.set_password(tx, used, hashed, now):
            raise LinkExpired
        await end_sign_ins(tx, used.user_id)
        await emit(tx, PasswordChanged(user_id=used.user_id))


async def ask_for_verification(tx: Tx, config: Config, limits: Limits, user: User) -> None:
    """Have the letter sent again that asks to confirm an address; none if that is done."""
    require_mail(config)
    await limits.check(VERIFICATIONS, str(user.id))
    if not user.email_verified:
        await emit(tx, VerificationAsked(user_id=user.id))


async def verify_email(
    db: Database, limits: Limits, *, mark: str, address: str, clock: Clock
) -> None:
    """Confirm an address by the link of a letter, once."""
    await limits.check(MARKS_TRIED, address)
    now = clock.now()
    async with db.transaction() as tx:
        used = await letters.use_mark(tx, hash_of(mark), Purpose.VERIFY.value, now)
        if used is None or not await letters.set_verified(tx, used, now):
            raise LinkExpired


async def clear_expired_marks(tx: Tx, clock: Clock) -> int:
    """Forget the links that nobody followed in time; says how many."""
    return await letters.clear_expired_marks(tx, clock.now())


def require_mail(config: Config) -> None:
    """Say so when this site sends no mail."""
    if config.smtp_url is None:
        raise MailDisabled


def require_email(email: str) -> None:
    if len(email) > 254 or not EMAIL.fullmatch(email) or not email.isprintable():
        raise texts.wrong("email", "It must be an e-mail address.")


def require_password(password: str, *names: str) -> None:
    """Refuse a password that is too short or too long, or is no secret."""
    shortest, longest = PASSWORD_LENGTH
    if not shortest <= len(password) <= longest:
        raise texts.wrong("password", f"It must have {shortest} to {longest} characters.")
    if password.casefold() in {name.casefold() for name in names}:
        raise texts.wrong("password", "It must not be the name or the address of the account.")
