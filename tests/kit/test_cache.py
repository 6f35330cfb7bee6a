"""One suite for every cache: in memory, in Redis, and in Redis with memory behind it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta

import msgspec
import pytest

from rensai.kit.cache import Cache, MemoryCache, RedisCache, Typed, key_of, open_cache
from rensai.kit.clock import SystemClock
from rensai.kit.redis import open_redis
from tests.redis_server import PATIENT, RedisServer, redis_server

pytestmark = pytest.mark.anyio

LONG = timedelta(minutes=1)
SHORT = timedelta(milliseconds=400)  # long enough for what happens meanwhile on a busy machine
PAST_SHORT = 0.45


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture(params=["memory", "redis", "resilient"])
async def cache(request: pytest.FixtureRequest, server: RedisServer) -> AsyncIterator[Cache]:
    if request.param == "memory":
        yield MemoryCache(SystemClock())
        return
    server.cli("flushall")
    async with open_redis(server.url, call_seconds=PATIENT) as link:
        assert link is not None
        yield RedisCache(link) if request.param == "redis" else open_cache(SystemClock(), link)


async def test_a_value_is_kept_until_it_expires(cache: Cache) -> None:
    await cache.set("a", b"\x00\xff value", SHORT)
    await cache.set("b", b"", LONG)
    assert await cache.get("a") == b"\x00\xff value"
    assert await cache.get("b") == b""
    await asyncio.sleep(PAST_SHORT)
    assert await cache.get("a") is None
    assert await cache.get("b") == b""
    assert cache.degraded is None


async def test_setting_again_replaces_the_value_and_its_life(cache: Cache) -> None:
    await cache.set("a", b"1", SHORT)
    await cache.set("a", b"2", LONG)
    await asyncio.sleep(PAST_SHORT)
    assert await cache.get("a") == b"2"


async def test_deleting_forgets_values_additions_and_counts(cache: Cache) -> None:
    await cache.set("a", b"1", LONG)
    await cache.add("n", b"1", LONG)
    await cache.incr("c", LONG)
    await cache.delete("a", "n", "c", "never there")
    await cache.delete()
    assert await cache.get("a") is None
    assert await cache.add("n", b"1", LONG)
    assert await cache.incr("c", LONG) == 1


async def test_an_addition_succeeds_once_until_it_expires(cache: Cache) -> None:
    winners = await asyncio.gather(*(cache.add("nonce", b"1", SHORT) for _ in range(50)))
    assert winners.count(True) == 1
    assert await cache.get("nonce") == b"1"
    await asyncio.sleep(PAST_SHORT)
    assert await cache.add("nonce", b"2", LONG)
    assert not await cache.add("nonce", b"3", LONG, shared=True)


async def test_a_value_in_the_way_of_an_addition_is_left_as_it_is(cache: Cache) -> None:
    await cache.set("a", b"1", LONG)
    assert not await cache.add("a", b"2", LONG)
    assert await cache.get("a") == b"1"


async def test_no_count_is_lost_among_concurrent_callers(cache: Cache) -> None:
    counts = await asyncio.gather(*(cache.incr("c", LONG) for _ in range(100)))
    assert sorted(counts) == list(range(1, 101))
    assert await cache.incr("c", LONG, -100) == 0
    assert await cache.get("c") == b"0"


async def test_a_count_lives_from_its_first_increment(cache: Cache) -> None:
    await cache.incr("c", SHORT)
    await asyncio.sleep(0.1)
    assert await cache.incr("c", SHORT, 5) == 6
    await asyncio.sleep(PAST_SHORT - 0.1)
    assert await cache.incr("c", SHORT) == 1


async def test_counting_on_a_value_that_is_no_number_is_refused(cache: Cache) -> None:
    await cache.set("a", b"text", LONG)
    with pytest.raises(ValueError, match="not a counter"):
        await cache.incr("a", LONG)
    assert cache.degraded is None
    await cache.set("n", b"41", LONG)
    assert await cache.incr("n", LONG) == 42


class _Loader:
    """Counts its runs and takes a moment for each."""

    def __init__(self, value: bytes | None, seconds: float = 0.02) -> None:
        self.value = value
        self.seconds = seconds
        self.runs = 0

    async def __call__(self) -> bytes | None:
        self.runs += 1
        await asyncio.sleep(self.seconds)
        return self.value


async def test_a_hundred_callers_cause_one_load(cache: Cache) -> None:
    load = _Loader(b"v")
    values = await asyncio.gather(*(cache.get_or_load("k", LONG, load) for _ in range(100)))
    assert set(values) == {b"v"}
    assert await cache.get_or_load("k", LONG, load) == b"v"
    assert load.runs == 1
    assert await cache.get("k") == b"v"


async def test_a_failing_load_fails_for_all_who_wait_and_is_not_remembered(cache: Cache) -> None:
    runs = 0

    async def fail() -> bytes:
        nonlocal runs
        runs += 1
        await asyncio.sleep(0.02)
        raise LookupError("gone")

    outcomes = await asyncio.gather(
        *(cache.get_or_load("k", LONG, fail) for _ in range(10)), return_exceptions=True
    )
    assert {type(outcome) for outcome in outcomes} == {LookupError}
    assert runs == 1
    started = asyncio.get_running_loop().time()
    assert await cache.get_or_load("k", LONG, _Loader(b"v", 0)) == b"v"
    assert asyncio.get_running_loop().time() - started < 1.5, "a failed load kept its lock"


async def test_finding_nothing_is_remembered_only_when_asked_to(cache: Cache) -> None:
    load = _Loader(None, 0)
    assert await cache.get_or_load("k", LONG, load) is None
    assert await cache.get_or_load("k", LONG, load) is None
    assert load.runs == 2
    for _ in range(3):
        assert await cache.get_or_load("k", LONG, load, absent_ttl=LONG) is None
    assert load.runs == 3
    assert await cache.get("k") is None


class _Gate:
    """A load that says when it has begun and ends when it is let go."""

    def __init__(self, value: bytes) -> None:
        self.value = value
        self.runs = 0
        self.begun = asyncio.Event()
        self.let_go = asyncio.Event()

    async def __call__(self) -> bytes:
        self.runs += 1
        self.begun.set()
        await self.let_go.wait()
        return self.value


async def test_a_caller_who_gives_up_takes_nothing_from_the_others(cache: Cache) -> None:
    load = _Gate(b"v")
    first = asyncio.create_task(cache.get_or_load("k", LONG, load))
    await load.begun.wait()
    second = asyncio.create_task(cache.get_or_load("k", LONG, load))
    await cache.get("k")  # a round trip, in which the second has joined the load
    first.cancel()
    load.let_go.set()
    assert await second == b"v"
    assert load.runs == 1


async def test_what_is_deleted_while_it_loads_is_not_kept(cache: Cache) -> None:
    load = _Gate(b"old")
    loading = asyncio.create_task(cache.get_or_load("k", LONG, load))
    await load.begun.wait()
    await cache.delete("k")
    fresh = await cache.get_or_load("k", LONG, _Loader(b"new", 0))
    load.let_go.set()
    assert await loading == b"old"
    assert fresh == b"new"
    assert await cache.get("k") == b"new"


async def test_jitter_shortens_lives_and_never_lengthens_them(cache: Cache) -> None:
    keys = [f"k{n}" for n in range(40)]
    loads = (cache.get_or_load(k, timedelta(seconds=1), _Loader(b"v", 0), jitter=0.9) for k in keys)
    await asyncio.gather(*loads)
    await asyncio.sleep(0.4)
    alive = [await cache.get(key) for key in keys].count(b"v")
    assert 0 < alive < 40
    await asyncio.sleep(0.7)
    assert [await cache.get(key) for key in keys].count(b"v") == 0


class _Story(msgspec.Struct, frozen=True):
    title: str
    chapters: int


async def test_typed_values_come_back_as_they_went_in(cache: Cache) -> None:
    stories = Typed(cache, _Story, name="story")
    story = _Story("Thần Đạo", 12)
    await stories.set(story, LONG, 7, "vi")
    assert await stories.get(7, "vi") == story
    assert await stories.get(7) is None

    async def load() -> _Story | None:
        return story

    assert await stories.get_or_load(LONG, load, 8, absent_ttl=LONG) == story
    await stories.delete(8)
    assert await stories.get(8) is None


async def test_a_value_of_another_shape_counts_as_absent(cache: Cache) -> None:
    await Typed(cache, list[int], name="story").set([1], LONG, 7)
    assert await Typed(cache, _Story, name="story").get(7) is None
    assert Typed(cache, _Story, name="story", version=2).key(7) == "story:v2:7"


def test_a_part_from_outside_cannot_forge_another_key() -> None:
    forged = ["a:b", "a b", "", "x" * 5000, "\ud800", "~" + "0" * 32, "đ"]
    keys = [key_of("list", part) for part in forged]
    assert len(set(keys)) == len(forged)
    assert all(key.startswith("list:v1:~") and len(key) < 50 for key in keys)
    assert key_of("list", "a", "b") != key_of("list", "a:b")
    assert key_of("list", 7, "en-GB", version=3) == "list:v3:7:en-GB"
