"""Password hashes: argon2id made here, bcrypt from elsewhere understood.

The parameters are argon2id with 32 MiB, three passes and one lane: above OWASP's least
(19 MiB, two passes), about 60 ms on one core of a small server. Two threads hash for the whole
process, so that at most 64 MiB are in use and a core stays free for the loop; whoever comes
when the line is full is told to come back.
"""

import asyncio
import os
import sys
import threading
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple, TypeVar

import argon2
import bcrypt

from rensai.kit.errors import Unavailable

T = TypeVar("T")

PARALLEL = 2
NICE = 10
LONGEST_LINE = 64
_BCRYPT_BYTES = 72  # bcrypt reads no further

HASHER = argon2.PasswordHasher(
    time_cost=3, memory_cost=32 * 1024, parallelism=1, hash_len=32, salt_len=16
)

# The hash of a password that was thrown away: what is checked when there is no account, so
# that an unknown name takes as long as a wrong password.
DECOY = (
    "$argon2id$v=19$m=32768,t=3,p=1"
    "$faODcXOP0wRTCwe9IASfrg$e+U6Zvtz9dLgIpOzR/Z3POF9LA35WkZtcugqkYQW4W4"
)


def _yield_to_others() -> None:
    """Let the loop have a core whenever it wants one; Linux gives each thread its own priority."""
    if sys.platform == "linux":
        with suppress(OSError):  # some sandboxes forbid it; the line is slower then, not broken
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


_threads = ThreadPoolExecutor(PARALLEL, thread_name_prefix="password", initializer=_yield_to_others)
_in_line = 0


class Verdict(NamedTuple):
    """Whether the password is right, and whether its hash should be made anew."""

    right: bool
    outdated: bool = False


async def hash_password(password: str) -> str:
    """A new hash of a password."""
    return await _in_thread(lambda: HASHER.hash(_bytes(password)))


async def check_password(password: str, hashed: str | None) -> Verdict:
    """Compare a password with a hash, or, for the same price, with none."""
    return await _in_thread(lambda: _check(password, hashed))


def _check(password: str, hashed: str | None) -> Verdict:
    if hashed is not None and hashed.startswith(("$2a$", "$2b$", "$2y$")):
        return _check_bcrypt(password, hashed)
    known = hashed is not None and hashed.startswith("$argon2id$")
    stored = hashed if known and hashed is not None else DECOY
    try:
        right = HASHER.verify(stored, _bytes(password)) and known
    except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
        return Verdict(right=False)
    return Verdict(right=right, outdated=right and HASHER.check_needs_rehash(stored))


def _check_bcrypt(password: str, hashed: str) -> Verdict:
    try:
        right = bcrypt.checkpw(_bytes(password)[:_BCRYPT_BYTES], hashed.encode())
    except ValueError:  # a hash cut short, or a NUL in the password
        return Verdict(right=False)
    return Verdict(right=right, outdated=right)


def _bytes(password: str) -> bytes:
    """The same letters are the same password, however the keyboard composed them."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")


def require_room() -> None:
    """Refuse who comes while the line is full."""
    if _in_line >= LONGEST_LINE:
        raise Unavailable(
            "Too many people are signing in right now; try again in a moment.",
            headers={"Retry-After": "5"},
        )


async def _in_thread(work: Callable[[], T]) -> T:
    global _in_line  # noqa: PLW0603 - one line for the process, as there is one pool of threads
    require_room()
    _in_line += 1
    try:
        return await asyncio.get_running_loop().run_in_executor(_threads, work)
    finally:
        _in_line -= 1
