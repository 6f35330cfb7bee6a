"""When a request is sent again, and how long to wait before it."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

RETRIED = frozenset({408, 429, 500, 502, 503, 504})
_TOO_MANY = 429


@dataclass(frozen=True, slots=True)
class Retry:
    """How patient a client is. Waits grow by `factor` and are cut short by up to half, at random.

    A Retry-After of the server is honoured. Waiting for a quota (429 with Retry-After) is no
    failure and does not count as an attempt, but `patience` bounds it all.
    """

    attempts: int = 8
    first: float = 0.5
    factor: float = 2.0
    longest: float = 60.0
    patience: float = 900.0


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a client tells before it waits to try again."""

    seconds: float
    attempt: int
    why: Exception
    for_quota: bool


class Waits:
    """The attempts of one request."""

    def __init__(self, retry: Retry, now: Callable[[], float] = time.monotonic) -> None:
        self._retry = retry
        self._now = now
        self._until = now() + retry.patience
        self.attempts = 1
        self._failures = 0

    def next(self, status: int | None, retry_after: float | None) -> float | None:
        """Seconds to wait before the next attempt; None when there shall be none."""
        chance = random.uniform(0.5, 1.0)  # noqa: S311 - it spreads clients, it guards nothing
        if status == _TOO_MANY and retry_after is not None:
            seconds = retry_after + chance
        else:
            self._failures += 1
            if self._failures >= self._retry.attempts:
                return None
            grown = self._retry.first * self._retry.factor ** (self._failures - 1)
            seconds = max(min(grown, self._retry.longest) * chance, retry_after or 0.0)
        if self._now() + seconds > self._until:
            return None
        self.attempts += 1
        return seconds


def seconds_of(retry_after: str | None) -> float | None:
    """What a Retry-After header says, as seconds or as a date; None where it says nothing."""
    if not retry_after:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after)
    try:
        when = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, (when.astimezone(UTC) - datetime.now(UTC)).total_seconds())
