"""Several processes at one Redis: one of them loads, and a dead one is not waited for."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from rensai.kit.cache import RedisCache
from rensai.kit.cache_redis import LOCK_PREFIX, LOCK_SECONDS
from rensai.kit.redis import RedisLink
from tests.redis_server import PATIENT, RedisServer, redis_server

pytestmark = pytest.mark.anyio

LONG = timedelta(minutes=1)

# Takes the lock of "k", says so, and loads for ever.
_HOLDER = """
import asyncio, sys
from datetime import timedelta
from rensai.kit.cache import RedisCache
from rensai.kit.redis import RedisLink

async def load():
    print("loading", flush=True)
    await asyncio.sleep(60)

async def main():
    cache = RedisCache(RedisLink(sys.argv[1], call_seconds=10))
    await cache.get_or_load("k", timedelta(minutes=1), load)

asyncio.run(main())
"""


@pytest.fixture
async def server() -> AsyncIterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture
async def caches(server: RedisServer) -> AsyncIterator[list[RedisCache]]:
    """Each has connections and loads of its own, as another process would."""
    links = [RedisLink(server.url, call_seconds=PATIENT) for _ in range(4)]
    yield [RedisCache(link) for link in links]
    for link in links:
        await link.close()


async def test_many_processes_cause_one_load(caches: list[RedisCache]) -> None:
    runs = 0

    async def load() -> bytes:
        nonlocal runs
        runs += 1
        await asyncio.sleep(0.1)
        return b"v"

    loads = (cache.get_or_load("k", LONG, load) for cache in caches for _ in range(25))
    assert set(await asyncio.gather(*loads)) == {b"v"}
    assert runs == 1


async def test_a_load_longer_than_the_lock_keeps_the_lock(
    caches: list[RedisCache], server: RedisServer
) -> None:
    async def load() -> bytes:
        await asyncio.sleep(LOCK_SECONDS + 0.6)
        return b"v"

    loading = asyncio.create_task(caches[0].get_or_load("k", LONG, load))
    await asyncio.sleep(LOCK_SECONDS + 0.3)
    assert server.cli("exists", LOCK_PREFIX + "k") == "1"
    assert await loading == b"v"
    assert await caches[1].get("k") == b"v"
    assert server.cli("exists", LOCK_PREFIX + "k") == "0"


async def test_the_death_of_a_loading_process_delays_the_next_no_longer_than_its_lock(
    caches: list[RedisCache], server: RedisServer
) -> None:
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _HOLDER, server.url, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"loading\n"
    holder.kill()
    await holder.wait()

    async def load() -> bytes:
        return b"v"

    started = asyncio.get_running_loop().time()
    assert await caches[0].get_or_load("k", LONG, load) == b"v"
    assert asyncio.get_running_loop().time() - started < LOCK_SECONDS + 1.5
    assert await caches[1].get("k") == b"v"


async def test_what_another_process_deletes_while_it_loads_is_not_kept(
    caches: list[RedisCache],
) -> None:
    begun, let_go = asyncio.Event(), asyncio.Event()

    async def load() -> bytes:
        begun.set()
        await let_go.wait()
        return b"old"

    loading = asyncio.create_task(caches[0].get_or_load("k", LONG, load))
    await begun.wait()
    await caches[1].delete("k")
    let_go.set()
    assert await loading == b"old"
    assert await caches[1].get("k") is None


async def test_a_nonce_is_accepted_by_one_of_many_processes(caches: list[RedisCache]) -> None:
    added = await asyncio.gather(*(cache.add("n", b"1", LONG) for cache in caches * 10))
    assert added.count(True) == 1
