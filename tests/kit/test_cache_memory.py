"""The cache in memory stays within its bounds and never drops what must be kept."""

from datetime import UTC, datetime, timedelta

import pytest

from rensai.kit.cache import MemoryCache
from rensai.kit.clock import SetClock, SystemClock
from rensai.kit.errors import Unavailable

pytestmark = pytest.mark.anyio

LONG = timedelta(minutes=10)


async def test_the_longest_unused_value_goes_first() -> None:
    cache = MemoryCache(SystemClock(), max_entries=3)
    for key in "abc":
        await cache.set(key, b"1", LONG)
    await cache.get("a")
    await cache.set("d", b"1", LONG)
    assert [key for key in "abcd" if await cache.get(key) is not None] == ["a", "c", "d"]


async def test_values_take_no_more_bytes_than_allowed() -> None:
    cache = MemoryCache(SystemClock(), max_bytes=100_000)
    for n in range(500):
        await cache.set(f"k{n}", b"x" * 1000, LONG)
    assert cache.size <= 100_000
    assert 60 < len(cache) < 90
    assert await cache.get("k499") is not None


async def test_a_value_too_large_for_the_cache_pushes_nothing_out() -> None:
    cache = MemoryCache(SystemClock(), max_bytes=10_000)
    await cache.set("small", b"1", LONG)
    await cache.set("large", b"old", LONG)
    await cache.set("large", b"x" * 9_000, LONG)
    assert await cache.get("large") is None
    assert await cache.get("small") == b"1"


async def test_replacing_and_deleting_give_the_bytes_back() -> None:
    cache = MemoryCache(SystemClock())
    for _ in range(10):
        await cache.set("a", b"x" * 100, LONG)
        await cache.incr("c", LONG)
        await cache.add("n", b"1", LONG)
    await cache.set("c", b"value", LONG)
    await cache.delete("a", "c", "n")
    assert cache.size == 0


async def test_no_flood_of_values_or_counts_pushes_a_nonce_out() -> None:
    cache = MemoryCache(SystemClock(), max_entries=10, max_bytes=50_000, max_counts=10)
    await cache.add("nonce", b"1", LONG)
    for n in range(1000):
        await cache.set(f"k{n}", b"x" * 500, LONG)
        await cache.incr(f"c{n}", LONG)
    assert not await cache.add("nonce", b"1", LONG)
    assert len(cache) == 21


async def test_a_nonce_that_finds_no_room_is_refused_rather_than_forgetting_another() -> None:
    clock = SetClock(datetime(2030, 1, 1, tzinfo=UTC))
    cache = MemoryCache(clock, max_added=2)
    assert await cache.add("short", b"1", timedelta(minutes=1))
    assert await cache.add("a", b"1", LONG)
    with pytest.raises(Unavailable):
        await cache.add("d", b"1", LONG)
    clock.advance(timedelta(minutes=2))
    assert await cache.add("d", b"1", LONG)
    assert not await cache.add("a", b"1", LONG)


async def test_room_is_found_behind_an_entry_that_lives_longer() -> None:
    clock = SetClock(datetime(2030, 1, 1, tzinfo=UTC))
    cache = MemoryCache(clock, max_added=2)
    await cache.add("long", b"1", LONG)
    await cache.add("short", b"1", timedelta(minutes=1))
    clock.advance(timedelta(minutes=2))
    assert await cache.add("new", b"1", LONG)


async def test_lives_are_measured_by_the_given_clock() -> None:
    clock = SetClock(datetime(2030, 1, 1, tzinfo=UTC))
    cache = MemoryCache(clock)
    await cache.set("a", b"1", timedelta(hours=1))
    clock.advance(timedelta(minutes=59))
    assert await cache.get("a") == b"1"
    clock.advance(timedelta(minutes=1))
    assert await cache.get("a") is None
    assert cache.size == 0
