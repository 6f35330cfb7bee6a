"""What is asked for and done by the links in letters: a new password, a confirmed address."""

from datetime import timedelta

from rensai.config import Config
from rensai.kit.clock import Clock
from rensai.kit.db import Database, Tx
from rensai.kit.events import emit
from rensai.kit.limits import Limits, Rule
from rensai.rooms.readers.adapters import passwords
from rensai.rooms.readers.errors import LinkExpired, MailDisabled
from rensai.rooms.readers.events import PasswordChanged, ResetAsked, VerificationAsked
from rensai.rooms.readers.model import User
from rensai.rooms.readers.model.letters import Purpose
from rensai.rooms.readers.service.changing import require_email, require_length
from rensai.rooms.readers.service.ending import end_sign_ins
from rensai.rooms.readers.service.registration import require_good_password
from rensai.rooms.readers.service.secrets import hash_of
from rensai.rooms.readers.store import accounts, letters

RESETS_OF_ADDRESS = Rule("reset-caller", 10, timedelta(hours=1))
RESETS_TO_MAILBOX = Rule("reset-mailbox", 3, timedelta(hours=1))
MARKS_TRIED = Rule("letter-marks", 20, timedelta(minutes=10))
VERIFICATIONS = Rule("verification", 5, timedelta(hours=1))


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
    require_length(password)
    hashed_mark, now = hash_of(mark), clock.now()
    found = await letters.good_mark(db.primary, hashed_mark, Purpose.RESET.value, now)
    if found is None:
        raise LinkExpired
    user = await accounts.by_id(db.primary, found.user_id)
    if user is None:
        raise LinkExpired
    require_good_password(user.username, user.email, password)
    hashed = await passwords.hash_password(password)
    async with db.transaction() as tx:
        used = await letters.use_mark(tx, hashed_mark, Purpose.RESET.value, now)
        if used is None or not await letters.set_password(tx, used, hashed, now):
            raise LinkExpired
        await end_sign_ins(tx, used.user_id, now=now)
        await emit(tx, PasswordChanged(user_id=used.user_id))


async def ask_for_verification(db: Database, config: Config, limits: Limits, user: User) -> None:
    """Have the letter sent again that asks to confirm an address; none if that is done."""
    require_mail(config)
    await limits.check(VERIFICATIONS, str(user.id))
    if not user.email_verified:
        async with db.transaction() as tx:
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
