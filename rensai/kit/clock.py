"""The one source of the current time, so that a test can hold it still."""

from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Whatever can tell the time in UTC."""

    def now(self) -> datetime: ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class SetClock:
    """A clock that moves only when told to."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def advance(self, by: timedelta) -> None:
        self._now += by
