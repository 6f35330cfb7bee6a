"""A cache in this process, bounded by bytes and by entries.

Values and counts are dropped when they expire or, the longest unused first, when space runs
out. What was added is never dropped before its time, and all three are kept apart, so that no
flood of values or counts can push out a nonce.
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

    def drop(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.size -= _size(key, entry[0])

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
        max_counts: int = 50_000,
        max_added: int = 100_000,
    ) -> None:
        """The bounds of values; of counts; and of what was added, such as nonces."""
        self._values = _Shelf(clock, max_entries=max_entries, max_bytes=max_bytes)
        self._counts = _Shelf(clock, max_entries=max_counts, max_bytes=max_bytes)
        self._added = _Shelf(clock, max_entries=max_added, max_bytes=max_bytes)
        self._shelves = (self._values, self._counts, self._added)
        self._flights: Flights[bytes | None] = Flights()

    @property
    def degraded(self) -> str | None:
        return None

    @property
    def size(self) -> int:
        """About how many bytes the entries take."""
        return sum(shelf.size for shelf in self._shelves)

    def __len__(self) -> int:
        return sum(len(shelf) for shelf in self._shelves)

    async def get(self, key: str) -> bytes | None:
        entry = self._find(key)
        return None if entry is None or entry[0] == NOTHING else entry[0]

    async def set(self, key: str, value: bytes, ttl: timedelta) -> None:
        self._drop(key)
        self._put(key, value, ttl.total_seconds())

    async def delete(self, *keys: str) -> None:
        for key in keys:
            self._flights.cancel(key)
            self._drop(key)

    async def add(self, key: str, value: bytes, ttl: timedelta, *, shared: bool = False) -> bool:
        del shared  # one process is all there is
        if self._find(key) is not None:
            return False
        if not self._added.has_room(key, value):
            raise Unavailable(private="the memory cache has no room for what must be kept")
        self._added.put(key, value, self._added.now() + ttl.total_seconds())
        return True

    async def incr(self, key: str, ttl: timedelta, amount: int = 1) -> int:
        entry = self._find(key)
        if entry is not None and not entry[0].lstrip(b"-").isdigit():
            raise ValueError(f"{key} is not a counter")
        count = amount if entry is None else int(entry[0]) + amount
        self.recall(key, count, ttl)
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
            return None if found[0] == NOTHING else found[0]

        async def load(flight: Flight[bytes | None]) -> bytes | None:
            value = await loader()
            life = life_of(value, ttl, absent_ttl, jitter)
            if life is not None and not flight.stale:
                self._put(key, NOTHING if value is None else value, life)
            return value

        return await self._flights.join(key, load)

    def recall(self, key: str, count: int, ttl: timedelta) -> None:
        """Keep a count; if there is one already, until that one would have expired."""
        entry = self._find(key)
        ends = self._counts.now() + ttl.total_seconds() if entry is None else entry[1]
        self._drop(key)
        self._counts.put(key, b"%d" % count, ends)
        self._counts.evict()

    def kept(self) -> list[str]:
        """The keys of all that was added or counted."""
        return [*self._added.keys(), *self._counts.keys()]

    def kept_entry(self, key: str) -> tuple[bytes, float] | None:
        """What was added or counted under a key, with the seconds that it still has."""
        entry = self._added.find(key) or self._counts.find(key)
        return None if entry is None else (entry[0], entry[1] - self._added.now())

    def clear_values(self) -> None:
        """Drop all values, but nothing that was added or counted."""
        self._values.clear()

    def _find(self, key: str) -> tuple[bytes, float] | None:
        for shelf in self._shelves:
            entry = shelf.find(key)
            if entry is not None:
                if shelf is not self._added:  # there, the order is that of arrival
                    shelf.touch(key)
                return entry
        return None

    def _drop(self, key: str) -> None:
        for shelf in self._shelves:
            shelf.drop(key)

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
