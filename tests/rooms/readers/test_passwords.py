"""Password hashes: what is accepted, what is made anew, and what a wrong name costs."""

import asyncio
import os
import threading
import unicodedata

import argon2
import bcrypt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rensai.kit.errors import Unavailable
from rensai.rooms.readers.adapters import passwords
from rensai.rooms.readers.adapters.common_passwords import is_common

pytestmark = pytest.mark.anyio

CHEAP = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


async def test_a_password_matches_its_own_hash_and_no_other() -> None:
    hashed = await passwords.hash_password("correct horse")
    assert await passwords.check_password("correct horse", hashed) == (True, False)
    assert await passwords.check_password("correct hors", hashed) == (False, False)


async def test_the_same_letters_match_however_they_were_composed() -> None:
    hashed = await passwords.hash_password(unicodedata.normalize("NFD", "mật khẩu dài"))
    verdict = await passwords.check_password(unicodedata.normalize("NFC", "mật khẩu dài"), hashed)
    assert verdict.right


async def test_a_weaker_hash_is_right_but_outdated() -> None:
    assert await passwords.check_password("abc", CHEAP.hash("abc")) == (True, True)


@pytest.mark.parametrize("prefix", [b"2a", b"2b"])
async def test_a_bcrypt_hash_is_right_but_outdated(prefix: bytes) -> None:
    hashed = bcrypt.hashpw(b"imported", bcrypt.gensalt(4, prefix)).decode()
    assert await passwords.check_password("imported", hashed) == (True, True)
    assert await passwords.check_password("Imported", hashed) == (False, False)


async def test_a_bcrypt_hash_of_php_matches() -> None:
    hashed = bcrypt.hashpw(b"imported", bcrypt.gensalt(4)).decode().replace("$2b$", "$2y$")
    assert (await passwords.check_password("imported", hashed)).right


async def test_bcrypt_reads_72_bytes_as_it_always_did() -> None:
    hashed = bcrypt.hashpw(b"x" * 72, bcrypt.gensalt(4)).decode()
    assert (await passwords.check_password("x" * 100, hashed)).right


@pytest.mark.parametrize(
    "hashed", ["", "!", "plain", "$2b$04$short", "$argon2id$v=19$broken", "$argon2i$v=19$m=8", "é"]
)
async def test_what_is_no_hash_matches_nothing(hashed: str) -> None:
    assert not (await passwords.check_password(hashed, hashed)).right


async def test_no_account_matches_nothing_and_takes_a_hash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checked: list[str] = []
    verify = argon2.PasswordHasher.verify

    def watched(hasher: argon2.PasswordHasher, hashed: str, password: bytes) -> bool:
        checked.append(hashed)
        return verify(hasher, hashed, password)

    monkeypatch.setattr(argon2.PasswordHasher, "verify", watched)
    assert not (await passwords.check_password("anything", None)).right
    assert checked == [passwords.DECOY]


def test_the_decoy_costs_what_a_real_hash_costs() -> None:
    assert not passwords.HASHER.check_needs_rehash(passwords.DECOY)


async def test_a_flood_waits_in_a_line_that_ends() -> None:
    answers = await asyncio.gather(
        *(
            passwords.check_password("flood", CHEAP.hash("flood"))
            for _ in range(passwords.LONGEST_LINE + 10)
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(answer, Unavailable) for answer in answers) == 10
    assert (await passwords.check_password("flood", CHEAP.hash("flood"))).right


async def test_whoever_hashes_lets_the_loop_go_first() -> None:
    def own_priority() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before = own_priority()
    hashing = await passwords._in_thread(own_priority)  # pyright: ignore[reportPrivateUsage]
    assert hashing == passwords.NICE
    assert own_priority() == before


@pytest.mark.parametrize(
    "password", ["password", "PASSWORD1", "12345678", "trustno1", "qwertyuiop"]
)
def test_stolen_passwords_are_known_whatever_their_capitals(password: str) -> None:
    assert is_common(password)


@pytest.mark.parametrize(
    "password", ["a long enough password", "", "\n", "password\n12345678", "\ud800" * 8, "pass"]
)
def test_others_are_not(password: str) -> None:
    assert not is_common(password)


async def test_the_loop_goes_on_while_passwords_are_hashed() -> None:
    beats = 0
    hashing = asyncio.gather(*(passwords.hash_password("slow") for _ in range(4)))
    while not hashing.done():
        await asyncio.sleep(0.005)
        beats += 1
    await hashing
    assert beats > 5


@given(st.text(max_size=100))
@settings(max_examples=15, deadline=None)
def test_any_text_can_be_a_password(password: str) -> None:
    async def both() -> bool:
        hashed = await passwords.hash_password(password)
        return (await passwords.check_password(password, hashed)).right

    assert asyncio.run(both())
