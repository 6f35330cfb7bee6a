"""Signing in and out."""

import asyncio
import hashlib
from datetime import timedelta

import argon2
import pytest

from rensai.kit.clock import SetClock
from rensai.kit.db import Command, Database, Query
from rensai.kit.errors import RateLimited
from rensai.kit.limits import Limits
from rensai.rooms.readers import service
from rensai.rooms.readers.adapters import passwords
from rensai.rooms.readers.errors import AccountClosed, WrongCredentials
from rensai.rooms.readers.model import OpenSession
from rensai.rooms.readers.model.signing import Device
from rensai.rooms.readers.service.credentials import FAILURES
from rensai.rooms.readers.store import accounts as store
from tests.rooms.readers.accounts import NOON, PASSWORD, an_admin

pytestmark = pytest.mark.anyio

_HASH = Query("SELECT password_hash FROM users", str)
_SESSIONS = Query("SELECT id_hash FROM sessions", bytes)
_SET_HASH = Command("UPDATE users SET password_hash = $1")
_BAN = Command("UPDATE users SET is_banned = true")
_CLOSE = Command("UPDATE users SET is_active = false")


async def sign_in(
    database: Database,
    login: str = "ada",
    password: str = PASSWORD,
    *,
    clock: SetClock | None = None,
    limits: Limits | None = None,
    address: str = "192.0.2.1",
    network: str = "",
) -> OpenSession:
    """Sign in with a limit that starts empty unless one is given."""
    clock = clock or SetClock(NOON)
    return await service.sign_in(
        database,
        limits or Limits(clock),
        login=login,
        password=password,
        device=Device(address, network or address, "a browser"),
        clock=clock,
    )


@pytest.mark.parametrize("login", ["ada", "ADA", "ada@example.com", "Ada@Example.COM"])
async def test_one_signs_in_by_name_or_address_whatever_the_case(
    database: Database, login: str
) -> None:
    created = await an_admin(database)
    session = await sign_in(database, login)
    assert session.user == created.user
    found = await service.user_of_session(database.primary, session.token, NOON)
    assert found == created.user


@pytest.mark.parametrize(
    ("login", "password"),
    [
        ("ada", "wrong password"),
        ("ada", ""),
        ("nobody", PASSWORD),
        ("ada\x00", PASSWORD),
        ("' OR true --", PASSWORD),
        ("", PASSWORD),
        ("a" * 5000, PASSWORD),
        ("\ud800", "\ud800"),
    ],
)
async def test_wrong_credentials_all_look_the_same(
    database: Database, login: str, password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await an_admin(database)
    hashed: list[str | None] = []
    check = passwords.check_password

    async def watched(given: str, stored: str | None) -> passwords.Verdict:
        hashed.append(stored)
        return await check(given, stored)

    monkeypatch.setattr(passwords, "check_password", watched)
    with pytest.raises(WrongCredentials) as refused:
        await sign_in(database, login, password)
    assert refused.value.message == "The name or the password is wrong."
    assert len(hashed) == 1, "an unknown name must cost one hash, like a wrong password"
    assert await database.primary.all(_SESSIONS) == []


async def test_only_a_hash_of_the_token_is_stored(database: Database) -> None:
    await an_admin(database)
    session = await sign_in(database)
    stored = await database.primary.all(_SESSIONS)
    assert stored == [hashlib.sha256(session.token.encode()).digest()]


async def test_a_session_ends_after_thirty_days(database: Database) -> None:
    await an_admin(database)
    session = await sign_in(database)
    just_before = NOON + timedelta(days=30) - timedelta(seconds=1)
    assert await service.user_of_session(database.primary, session.token, just_before)
    assert session.expires_at == NOON + timedelta(days=30)
    assert not await service.user_of_session(database.primary, session.token, session.expires_at)


async def test_what_has_run_out_is_cleared_and_the_rest_stays(database: Database) -> None:
    await an_admin(database)
    await sign_in(database)
    later = await sign_in(database, clock=SetClock(NOON + timedelta(days=1)))
    async with database.transaction() as tx:
        assert await service.clear_expired_sessions(tx, NOON + timedelta(days=30)) == 1
    assert await service.user_of_session(database.primary, later.token, NOON + timedelta(days=30))


async def test_signing_out_ends_one_session_and_may_be_repeated(database: Database) -> None:
    await an_admin(database)
    first, second = await asyncio.gather(sign_in(database), sign_in(database))
    assert first.token != second.token
    async with database.transaction() as tx:
        assert await service.sign_out(tx, first.token)
        assert not await service.sign_out(tx, first.token)
    assert await service.user_of_session(database.primary, first.token, NOON) is None
    assert await service.user_of_session(database.primary, second.token, NOON)


@pytest.mark.parametrize("token", ["", "x", "x" * 43, "é" * 43, "\ud800" * 43, "\x00" * 43])
async def test_a_made_up_token_is_nobody(database: Database, token: str) -> None:
    assert await service.user_of_session(database.primary, token, NOON) is None


@pytest.mark.parametrize("closing", [_BAN, _CLOSE], ids=["banned", "closed"])
async def test_a_closed_account_is_out_at_once_and_stays_out(
    database: Database, closing: Command
) -> None:
    await an_admin(database)
    session = await sign_in(database)
    async with database.transaction() as tx:
        await tx.run(closing)
    assert await service.user_of_session(database.primary, session.token, NOON) is None
    with pytest.raises(AccountClosed):
        await sign_in(database)
    with pytest.raises(WrongCredentials):  # only who knows the password learns that it is closed
        await sign_in(database, password="wrong password")


async def test_an_outdated_hash_is_replaced_at_sign_in(database: Database) -> None:
    await an_admin(database)
    weak = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    async with database.transaction() as tx:
        await tx.run(_SET_HASH, weak)
    await asyncio.gather(sign_in(database), sign_in(database))
    stored = await database.primary.first(_HASH)
    assert stored != weak
    assert await passwords.check_password(PASSWORD, stored) == (True, False)


async def test_a_password_that_changed_meanwhile_is_not_changed_back(database: Database) -> None:
    created = await an_admin(database)
    current = await database.primary.first(_HASH)
    async with database.transaction() as tx:
        await store.rehash(tx, created.user.id, old="the hash that was checked", new="of yesterday")
    assert await database.primary.first(_HASH) == current


async def test_an_address_may_try_ten_times_a_minute(database: Database) -> None:
    await an_admin(database)
    clock = SetClock(NOON)
    limits = Limits(clock)
    for _ in range(10):
        with pytest.raises(WrongCredentials):
            await sign_in(database, password="wrong", clock=clock, limits=limits)
    with pytest.raises(RateLimited) as refused:
        await sign_in(database, clock=clock, limits=limits)
    assert int(refused.value.headers["Retry-After"]) > 0
    await sign_in(database, clock=clock, limits=limits, address="192.0.2.2")
    clock.advance(timedelta(minutes=1, seconds=1))
    await sign_in(database, clock=clock, limits=limits)


@pytest.mark.parametrize("login", ["ada", "nobody"])
async def test_one_password_is_not_guessed_from_many_addresses(
    database: Database, login: str
) -> None:
    await an_admin(database)
    clock = SetClock(NOON)
    limits = Limits(clock)
    for number in range(FAILURES.amount):
        with pytest.raises(WrongCredentials):
            await sign_in(
                database, login, "wrong", clock=clock, limits=limits, address=f"198.51.100.{number}"
            )
    with pytest.raises(RateLimited) as refused:
        await sign_in(database, login, clock=clock, limits=limits, address="203.0.113.1")
    assert 0 < int(refused.value.headers["Retry-After"]) <= 15 * 60
    clock.advance(timedelta(minutes=15, seconds=10))
    if login == "ada":
        await sign_in(database, login, clock=clock, limits=limits, address="203.0.113.1")


async def test_whoever_guesses_elsewhere_locks_nobody_out_at_home(database: Database) -> None:
    await an_admin(database)
    clock = SetClock(NOON)
    limits = Limits(clock)
    await sign_in(database, clock=clock, limits=limits, network="192.0.2.0/24")
    for number in range(FAILURES.amount):
        address = f"198.51.100.{number}"
        with pytest.raises(WrongCredentials):
            await sign_in(
                database,
                password="wrong",
                clock=clock,
                limits=limits,
                address=address,
                network="198.51.100.0/24",
            )
    with pytest.raises(RateLimited):
        await sign_in(
            database, clock=clock, limits=limits, address="198.51.100.99", network="198.51.100.0/24"
        )
    await sign_in(database, clock=clock, limits=limits, network="192.0.2.0/24")


async def test_the_right_password_makes_mistakes_of_before_count_no_more(
    database: Database,
) -> None:
    await an_admin(database)
    clock = SetClock(NOON)
    limits = Limits(clock)
    for home in range(3):
        for number in range(FAILURES.amount - 1):
            with pytest.raises(WrongCredentials):
                await sign_in(
                    database,
                    password="wrong",
                    clock=clock,
                    limits=limits,
                    address=f"198.51.100.{number}",
                )
        await sign_in(database, clock=clock, limits=limits, address=f"203.0.113.{home}")
        clock.advance(timedelta(minutes=1, seconds=1))


async def test_many_guesses_at_once_are_as_many_as_one_after_another(database: Database) -> None:
    await an_admin(database)
    clock = SetClock(NOON)
    limits = Limits(clock)
    outcomes = await asyncio.gather(
        *(
            sign_in(
                database, password="wrong", clock=clock, limits=limits, address=f"198.51.100.{n}"
            )
            for n in range(FAILURES.amount + 15)
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(outcome, WrongCredentials) for outcome in outcomes) == FAILURES.amount
    assert sum(isinstance(outcome, RateLimited) for outcome in outcomes) == 15
