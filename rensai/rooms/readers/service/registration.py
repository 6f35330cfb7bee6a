"""New accounts, and what an account must look like."""

import asyncio
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from rensai.kit import texts
from rensai.kit.clock import Clock
from rensai.kit.db import Database, Tx
from rensai.kit.errors import Invalid
from rensai.kit.events import emit
from rensai.kit.ids import new_uid
from rensai.kit.limits import Limits, Rule
from rensai.rooms.readers.adapters import passwords, portable
from rensai.rooms.readers.adapters.common_passwords import is_common
from rensai.rooms.readers.errors import NameTaken, PasswordBreached, RegistrationClosed
from rensai.rooms.readers.events import VerificationAsked
from rensai.rooms.readers.model import EMAIL, PASSWORD_LENGTH, USERNAME, Created, OpenSession
from rensai.rooms.readers.model.signing import Device, NewAccount
from rensai.rooms.readers.service.sessions import begin_session, sign_out
from rensai.rooms.readers.store import accounts as store

REGISTER = Rule("register", 30, timedelta(hours=1))
"""How often one address may ask for an account."""

LONGEST_NAME = 100


class Prepared(msgspec.Struct, frozen=True):
    """An account that only needs to be written down; what takes long has been done."""

    uid: UUID
    username: str
    email: str
    display_name: str
    password_hash: str
    phrase: str
    identity: portable.Identity


async def prepare(limits: Limits, new: NewAccount, *, address: str, is_open: bool) -> Prepared:
    """Check a new account and hash its password, before any transaction."""
    if not is_open:
        raise RegistrationClosed
    await limits.check(REGISTER, address)
    require_account_shape(new.username, new.email, new.password)
    shown = new.username
    if new.display_name is not None:
        shown = texts.line("display_name", new.display_name, most=LONGEST_NAME)
    return await prepared(new.username, new.email, new.password, shown)


async def register(
    db: Database,
    limits: Limits,
    new: NewAccount,
    *,
    device: Device,
    is_open: bool,
    clock: Clock,
    replacing: str = "",
) -> tuple[Created, OpenSession]:
    """Make an account and sign its browser in; see `sign_in` for `replacing`."""
    account = await prepare(limits, new, address=device.address, is_open=is_open)
    now = clock.now()
    async with db.transaction() as tx:
        created = await insert(tx, account, now=now)
        await sign_out(tx, replacing)
        return created, await begin_session(tx, created.user, device, now)


async def prepared(username: str, email: str, password: str, display_name: str) -> Prepared:
    """The costly parts of an account whose shape has been checked."""
    hashed = await passwords.hash_password(password)
    phrase = portable.new_phrase()
    identity = await asyncio.to_thread(portable.identity_of, phrase)
    return Prepared(new_uid(), username, email, display_name, hashed, phrase, identity)


async def insert(tx: Tx, account: Prepared, *, role: str = "user", now: datetime) -> Created:
    """Write the account down; `NameTaken` when its name or address belongs to another."""
    user = await store.insert(
        tx,
        uid=account.uid,
        username=account.username,
        email=account.email,
        password_hash=account.password_hash,
        display_name=account.display_name,
        role=role,
        public_key=account.identity.public_key,
        fingerprint=account.identity.fingerprint,
        now=now,
    )
    if user is None:
        raise NameTaken
    await emit(tx, VerificationAsked(user_id=user.id))
    return Created(user, account.phrase)


def require_account_shape(username: str, email: str, password: str) -> None:
    """Refuse what cannot be an account, with all that is wrong with it."""
    wrong: dict[str, str] = {}
    if not USERNAME.fullmatch(username):
        wrong["username"] = (
            "the username needs 3 to 60 letters, digits, dots, dashes or underscores, and no dot "
            "or dash at its ends"
        )
    if not EMAIL.fullmatch(email):
        wrong["email"] = "the e-mail address is none"
    if not has_right_length(password):
        shortest, longest = PASSWORD_LENGTH
        wrong["password"] = f"the password needs {shortest} to {longest} characters"
    if wrong:
        raise Invalid(
            f"The account cannot be made: {'; '.join(wrong.values())}.",
            details=[{"path": path, "message": why} for path, why in wrong.items()],
        )
    require_good_password(username, email, password)


def has_right_length(password: str) -> bool:
    shortest, longest = PASSWORD_LENGTH
    return shortest <= len(password) <= longest


def require_good_password(username: str, email: str, password: str) -> None:
    """Refuse a password that is among the first to be tried."""
    path: list[object] = [{"path": "password", "message": "Choose another."}]
    folded = password.lower()
    if folded in {username.lower(), email.lower(), email.lower().partition("@")[0]}:
        raise PasswordBreached("The password must not be the name or the address.", details=path)
    if is_common(password):
        raise PasswordBreached(details=path)
