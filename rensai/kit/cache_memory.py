"""A cache in this process, bounded by bytes and by entries.

Values are dropped when they expire or, the longest unused first, when space runs out. What was
added or counted is kept apart, so that no flood of values can push out a nonce.
"""

import random
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import timedelta

from rensai.kit.cache_flight import Flight, Flights
from rensai.kit.clock import Clock
from rensai.kit.errors import Unavailable

NOTHING = b"\x00rensai\x00nothing\x00"
"""What is kept to remember that a loader found nothing."""

_ENTRY_OVERHEAD = 250  # of Python's own objects around one entry, measured


class _Shelf:
    """Entries with an end, in the order of their last use."""

    def __init__(self, clock: Clock, *, max_entries: int, max_bytes: int) -> None:
        self._clock = clock
        self._entries: OrderedDict[str, tuple[bytes, float]] = OrderedDict()
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._next_sweep = 0.0
        self.size = 0

    def __len__(self) -> int:
        return len(self._entries)

    def now(self) -> float:
        return self._clock.now().timestamp()

    def find(self, key: str) -> tuple[bytes, float] | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry[1] <= self.now():
            self.drop(key)
            return None
        return entry

    def touch(self, key: str) -> None:
        self._entries.move_to_end(key)

    def put(self, key: str, value: bytes, ends: float) -> None:
        self.drop(key)
        self._entries[key] = (value, ends)
        self.size += _size(key, value)

    def drop(self, key: str) -> bool:
        entry = self._entries.pop(key, None)
        if entry is None:
            return False
        self.size -= _size(key, entry[0])
        return True

    @property
    def over(self) -> bool:
        return len(self._entries) > self._max_entries or self.size > self._max_bytes

    def fits(self, key: str, value: bytes) -> bool:
        return _size(key, value) * 8 <= self._max_bytes

    def evict(self) -> None:
        """Drop the longest unused until the rest fits."""
        while self.over:
            self.drop(next(iter(self._entries)))

    def has_room(self, key: str, value: bytes) -> bool:
        """Whether one more fits, after dropping what has expired at the old end."""
        now = self.now()
        while self._entries:
            oldest = next(iter(self._entries))
            if self._entries[oldest][1] > now:
                break
            self.drop(oldest)
        if not self._full(key, value):
            return True
        if now >= self._next_sweep:
            # A full look costs milliseconds, so it happens at most once a second.
            self._next_sweep = now + 1.0
            for expired in [k for k, (_, ends) in self._entries.items() if ends <= now]:
                self.drop(expired)
        return not self._full(key, value)

    def keys(self) -> list[str]:
        return list(self._entries)

    def clear(self) -> None:
        self._entries.clear()
        self.size = 0

    def _full(self, key: str, value: bytes) -> bool:
        return (
            len(self._entries) >= self._max_entries
            or self.size + _size(key, value) > self._max_bytes
        )


def _size(key: str, value: bytes) -> int:
    return len(key) + len(value) + _ENTRY_OVERHEAD


class MemoryCache:
    """The cache of a process that has no Redis, and what remains when Redis is away."""

    def __init__(
        self,
        clock: Clock,
        *,
        max_entries: int = 20_000,
        max_bytes: int = 32 * 1024 * 1024,
        max_kept: int = 100_000,
    ) -> None:
        self._values = _Shelf(clock, max_entries=max_entries, max_bytes=max_bytes)
        self._kept = _Shelf(clock, max_entries=max_kept, max_bytes=max_bytes)
        self._flights: Flights[bytes | None] = Flights()

    @property
    def degraded(self) -> str | None:
        return None

    @property
    def size(self) -> int:
        """About how much memory the entries take."""
        return self._values.size + self._kept.size

    def __len__(self) -> int:
        return len(self._values) + len(self._kept)

    async def get(self, key: str) -> bytes | None:
        value = self._find(key)
        return None if value == NOTHING else value

    async def set(self, key: str, value: bytes, ttl: timedelta) -> None:
        self._kept.drop(key)
        self._put(key, value, ttl.total_seconds())

    async def delete(self, *keys: str) -> None:
        for key in keys:
            self._flights.cancel(key)
            self._values.drop(key)
            self._kept.drop(key)

    async def add(self, key: str, value: bytes, ttl: timedelta, *, shared: bool = False) -> bool:
        del shared  # one process is all there is
        if self._find(key) is not None:
            return False
        if not self._kept.has_room(key, value):
            raise Unavailable(private="the memory cache has no room for what must be kept")
        self._kept.put(key, value, self._kept.now() + ttl.total_seconds())
        return True

    async def incr(self, key: str, ttl: timedelta, amount: int = 1) -> int:
        entry = self._kept.find(key) or self._values.find(key)
        if entry is not None and not entry[0].lstrip(b"-").isdigit():
            raise ValueError(f"{key} is not a counter")
        count = amount if entry is None else int(entry[0]) + amount
        ends = self._kept.now() + ttl.total_seconds() if entry is None else entry[1]
        self._values.drop(key)
        if entry is None and not self._kept.has_room(key, b"%d" % count):
            raise Unavailable(private="the counters of the memory cache are full")
        self._kept.put(key, b"%d" % count, ends)
        return count

    async def get_or_load(
        self,
        key: str,
        ttl: timedelta,
        loader: Callable[[], Awaitable[bytes | None]],
        *,
        jitter: float = 0.0,
        absent_ttl: timedelta | None = None,
    ) -> bytes | None:
        found = self._find(key)
        if found is not None:
            return None if found == NOTHING else found

        async def load(flight: Flight[bytes | None]) -> bytes | None:
            value = await loader()
            life = life_of(value, ttl, absent_ttl, jitter)
            if life is not None and not flight.stale:
                self._put(key, NOTHING if value is None else value, life)
            return value

        return await self._flights.join(key, load)

    def recall(self, key: str, count: int, ttl: timedelta) -> None:
        """Note a count that another cache has reached."""
        entry = self._kept.find(key)
        digits = b"%d" % count
        if entry is not None:
            self._kept.put(key, digits, entry[1])
        elif self._kept.has_room(key, digits):
            self._kept.put(key, digits, self._kept.now() + ttl.total_seconds())

    def kept(self) -> list[str]:
        """The keys of all that was added or counted."""
        return self._kept.keys()

    def kept_entry(self, key: str) -> tuple[bytes, float] | None:
        """What was added or counted under a key, with the seconds that it still has."""
        entry = self._kept.find(key)
        return None if entry is None else (entry[0], entry[1] - self._kept.now())

    def clear_values(self) -> None:
        """Drop all values, but nothing that was added or counted."""
        self._values.clear()

    def _find(self, key: str) -> bytes | None:
        entry = self._values.find(key)
        if entry is not None:
            self._values.touch(key)
            return entry[0]
        entry = self._kept.find(key)
        return None if entry is None else entry[0]

    def _put(self, key: str, value: bytes, seconds: float) -> None:
        self._values.drop(key)
        if seconds > 0 and self._values.fits(key, value):
            self._values.put(key, value, self._values.now() + seconds)
            self._values.evict()


def life_of(
    value: bytes | None, ttl: timedelta, absent_ttl: timedelta | None, jitter: float
) -> float | None:
    """For how many seconds a loaded value is kept; None when it is not kept at all."""
    span = ttl if value is not None else absent_ttl
    if span is None:
        return None
    return span.total_seconds() * (1.0 - jitter * random.random())  # noqa: S311 - no secret
