"""Redis is killed, hangs, comes back empty: requests are answered and nothing unsafe happens."""

import asyncio
import io
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import timedelta

import pytest

from rensai.kit.cache import Cache, NotShared, open_cache
from rensai.kit.cache_redis import PREFIX
from rensai.kit.clock import SystemClock
from rensai.kit.redis import RedisLink, open_redis
from tests.logged import lines_of, logged
from tests.redis_server import RedisServer, redis_server

pytestmark = pytest.mark.anyio

LONG = timedelta(minutes=1)


@dataclass
class _Process:
    """One process's link and cache."""

    link: RedisLink
    cache: Cache


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    with logged() as stream:
        yield stream


@pytest.fixture
async def first(server: RedisServer) -> AsyncIterator[_Process]:
    async with open_redis(server.url) as link:
        assert link is not None
        yield _Process(link, open_cache(SystemClock(), link))


@pytest.fixture
async def second(server: RedisServer) -> AsyncIterator[_Process]:
    async with open_redis(server.url) as link:
        assert link is not None
        yield _Process(link, open_cache(SystemClock(), link))


async def _recovered(*processes: _Process) -> None:
    async with asyncio.timeout(5):
        while any(process.link.degraded for process in processes):  # noqa: ASYNC110 - seen from outside
            await asyncio.sleep(0.01)


async def test_requests_go_on_when_redis_is_killed_and_return_to_it_by_themselves(
    server: RedisServer, first: _Process, lines: io.StringIO
) -> None:
    loop, cache = asyncio.get_running_loop(), first.cache
    await cache.set("a", b"1", LONG)
    server.kill()
    started = loop.time()
    for n in range(200):
        assert await cache.get(f"k{n}") is None
        await cache.set(f"k{n}", b"v", LONG)
        assert await cache.get(f"k{n}") == b"v"
    assert loop.time() - started < 3
    assert first.cache.degraded == "Redis does not answer (ConnectionError)"

    await asyncio.sleep(0.3)
    server.start()
    await _recovered(first)
    await cache.set("b", b"2", LONG)
    assert server.cli("get", PREFIX + "b") == "2"
    assert [line["event"] for line in lines_of(lines)] == ["redis is away", "redis is back"]
    warning = lines_of(lines)[0]
    assert warning["level"] == "warning"
    assert "nonces" in str(warning["degraded"])


async def test_values_of_one_outage_are_not_served_in_the_next(
    server: RedisServer, first: _Process
) -> None:
    server.hang()
    await first.cache.set("a", b"old", LONG)
    server.go_on()
    await _recovered(first)
    server.hang()
    assert await first.cache.get("a") is None
    server.go_on()


async def test_a_redis_that_hangs_holds_one_moment_up_and_not_each_request(
    server: RedisServer, first: _Process
) -> None:
    await first.cache.set("a", b"1", LONG)
    server.hang()
    loop = asyncio.get_running_loop()
    started = loop.time()
    await asyncio.gather(*(first.cache.get(f"k{n}") for n in range(100)))
    assert loop.time() - started < 1.5
    started = loop.time()
    for n in range(100):
        await first.cache.get(f"k{n}")
    assert loop.time() - started < 2
    server.go_on()
    await _recovered(first)
    assert await first.cache.get("a") == b"1"


async def test_a_server_starts_while_redis_is_away(server: RedisServer, lines: io.StringIO) -> None:
    server.kill()
    async with open_redis(server.url) as link:
        assert link is not None
        assert link.degraded is not None
        cache = open_cache(SystemClock(), link)
        await cache.set("a", b"1", LONG)
        assert await cache.get("a") == b"1"
        server.start()
        await _recovered(_Process(link, cache))
    assert [line["event"] for line in lines_of(lines)] == ["redis is away", "redis is back"]


async def test_a_load_under_way_when_redis_dies_still_gives_its_value(
    server: RedisServer, first: _Process
) -> None:
    runs, loading, go_on = 0, asyncio.Event(), asyncio.Event()

    async def load() -> bytes:
        nonlocal runs
        runs += 1
        loading.set()
        await go_on.wait()
        return b"v"

    loads = [asyncio.create_task(first.cache.get_or_load("k", LONG, load)) for _ in range(20)]
    await loading.wait()
    server.kill()
    go_on.set()
    assert set(await asyncio.gather(*loads)) == {b"v"}
    assert runs == 1
    values = await asyncio.gather(*(first.cache.get_or_load("k", LONG, load) for _ in range(20)))
    assert set(values) == {b"v"}
    assert runs == 2


async def test_what_was_deleted_during_an_outage_does_not_come_back_with_redis(
    server: RedisServer, first: _Process
) -> None:
    await first.cache.set("deleted", b"1", LONG)
    await first.cache.set("replaced", b"1", LONG)
    await first.cache.set("left", b"1", LONG)
    server.hang()
    await first.cache.get("notices")
    await first.cache.delete("deleted")
    await first.cache.set("replaced", b"2", LONG)
    server.go_on()
    await _recovered(first)
    assert await first.cache.get("deleted") is None
    assert await first.cache.get("replaced") is None
    assert await first.cache.get("left") == b"1"


async def test_a_nonce_stays_used_through_an_outage_and_a_redis_that_forgot_it(
    server: RedisServer, first: _Process, second: _Process
) -> None:
    assert await first.cache.add("before", b"1", LONG)
    assert await second.cache.add("before 2", b"1", LONG)
    server.kill()
    assert not await first.cache.add("before", b"1", LONG)
    assert await first.cache.add("during", b"1", LONG)
    assert not await first.cache.add("during", b"1", LONG)
    await second.cache.get("notices")
    server.start()
    await _recovered(first, second)
    for process in (first, second):
        for nonce in ("before", "before 2", "during"):
            assert not await process.cache.add(nonce, b"1", LONG), nonce


async def test_who_needs_all_processes_to_know_a_nonce_is_told_when_they_cannot(
    server: RedisServer, first: _Process
) -> None:
    assert await first.cache.add("before", b"1", LONG, shared=True)
    server.kill()
    with pytest.raises(NotShared):
        await first.cache.add("during", b"1", LONG, shared=True)
    assert not await first.cache.add("during", b"1", LONG, shared=True)
    assert not await first.cache.add("before", b"1", LONG, shared=True)
    server.start()
    await _recovered(first)
    assert not await first.cache.add("during", b"1", LONG, shared=True)


async def test_a_restart_between_two_requests_is_noticed_and_nonces_are_put_back(
    server: RedisServer, first: _Process, second: _Process
) -> None:
    assert await first.cache.add("nonce", b"1", LONG)
    await second.cache.get("connects")
    server.kill()
    server.start()
    assert not await first.cache.add("nonce", b"1", LONG)
    await _recovered(first)
    assert server.cli("exists", PREFIX + "nonce") == "1"
    with pytest.raises(NotShared):
        await second.cache.add("nonce", b"1", LONG, shared=True)
    await _recovered(second)
    assert not await second.cache.add("nonce", b"1", LONG, shared=True)


async def test_counts_go_on_from_where_they_were_and_are_put_back(
    server: RedisServer, first: _Process, second: _Process
) -> None:
    for process in (first, second, first):
        await process.cache.incr("failures", LONG)
    server.kill()
    assert await first.cache.incr("failures", LONG) == 4
    assert await first.cache.incr("new", LONG, 7) == 7
    server.start()
    await _recovered(first)
    assert await first.cache.incr("failures", LONG) == 5
    assert server.cli("get", PREFIX + "new") == "7"
    assert 0 < int(server.cli("pttl", PREFIX + "failures")) <= 60_000


async def test_counts_made_while_redis_was_out_of_reach_are_added_to_it(
    server: RedisServer, first: _Process
) -> None:
    await first.cache.incr("views", LONG, 10)
    server.hang()
    await first.cache.get("notices")
    await first.cache.incr("views", LONG, 5)
    server.go_on()
    await _recovered(first)
    assert await first.cache.incr("views", LONG, 0) == 15


async def test_what_happens_while_notes_are_replayed_is_not_lost(
    server: RedisServer, first: _Process
) -> None:
    for n in range(1500):
        await first.cache.add(f"n{n}", b"1", LONG)
    server.kill()
    await first.cache.get("notices")
    starting = asyncio.create_task(asyncio.to_thread(server.start))
    added: list[str] = []
    counted = 0
    while first.link.degraded:
        name = f"during{len(added)}"
        assert await first.cache.add(name, b"1", LONG)
        added.append(name)
        counted += 1
        assert await first.cache.incr("c", LONG) == counted
        await asyncio.sleep(0.0005)
    await starting
    assert server.cli("get", PREFIX + "c") == str(counted)
    for name in [*added, *(f"n{n}" for n in range(1500))]:
        assert not await first.cache.add(name, b"1", LONG), name


async def test_a_full_redis_counts_as_away(server: RedisServer, first: _Process) -> None:
    server.cli("config", "set", "maxmemory", "1")
    await first.cache.set("a", b"1", LONG)
    assert first.cache.degraded is not None
    assert await first.cache.get("a") == b"1"
    await asyncio.sleep(0.3)
    assert first.cache.degraded is not None, "a probe that only reads would have been fooled"
    server.cli("config", "set", "maxmemory", "0")
    await _recovered(first)
