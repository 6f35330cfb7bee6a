"""Checking a name and a password, and how often that may be tried."""

from datetime import datetime, timedelta

from rensai.kit.clock import Clock
from rensai.kit.db import Reads
from rensai.kit.limits import Limits, Rule
from rensai.rooms.readers.adapters import passwords
from rensai.rooms.readers.errors import AccountClosed, WrongCredentials
from rensai.rooms.readers.model import EMAIL, USERNAME, Checked, Credentials
from rensai.rooms.readers.model.signing import Device
from rensai.rooms.readers.store import accounts, sessions

SIGN_IN = Rule("sign-in", 10, timedelta(minutes=1))
"""How often one address may try."""

FAILURES = Rule("sign-in failures", 20, timedelta(minutes=15))
"""How often the password of one account may be guessed, from however many addresses."""


async def check_credentials(
    reads: Reads, limits: Limits, *, login: str, password: str, device: Device, clock: Clock
) -> Checked:
    """The account with this name and password, for the same price if there is none.

    Wrong tries are counted by account too. They are counted apart for a network from which the
    account is signed in already: whoever guesses from elsewhere cannot lock its owner out there.
    """
    await limits.check(SIGN_IN, device.address)
    possible = USERNAME.fullmatch(login) or EMAIL.fullmatch(login)
    account = await accounts.credentials(reads, login) if possible else None
    guessed = await _guessed(reads, login, account, device, clock.now())
    passwords.require_room()
    await limits.check(FAILURES, *guessed)  # counted before, or many at once would all pass
    verdict = await passwords.check_password(password, account and account.password_hash)
    if account is None or not verdict.right:
        raise WrongCredentials
    await limits.forget(FAILURES, *guessed)
    if account.is_banned or not account.is_active:
        raise AccountClosed
    rehashed = await passwords.hash_password(password) if verdict.outdated else None
    return Checked(account, rehashed)


async def _guessed(
    reads: Reads, login: str, account: Credentials | None, device: Device, now: datetime
) -> tuple[str, str]:
    """Whose failures these are; names that nobody has are counted like those that somebody has."""
    user_id = 0 if account is None else account.id
    known = await sessions.from_network(reads, user_id, device.network, now)
    name = login.lower()[:254] if account is None else str(account.id)
    return ("nobody" if account is None else "account") + name, device.network if known else ""
