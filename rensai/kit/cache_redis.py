"""A cache in Redis, shared by all processes. Raises `RedisDownError` when Redis is away."""

import asyncio
import random
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import cast

from redis.exceptions import ResponseError

from rensai.kit.cache_flight import Flight, Flights
from rensai.kit.cache_memory import NOTHING, life_of
from rensai.kit.redis import RedisDownError, RedisLink, Script

PREFIX = "rensai:c:"
LOCK_PREFIX = "rensai:l:"

LOCK_SECONDS = 2.0  # a holder that died is waited for no longer than this
PATIENCE_SECONDS = 3.0  # then a waiter loads by itself, and keeps nothing

_INCR = Script("""
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return count
""")

_KEEP = Script("""
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
if tonumber(ARGV[3]) > 0 then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
redis.call('DEL', KEYS[2])
return 1
""")

_RENEW = Script("""
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
""")

_RELEASE = Script("""
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
""")


class RedisCache:
    """The cache of all processes of an installation."""

    def __init__(self, link: RedisLink) -> None:
        self._link = link
        self._flights: Flights[bytes | None] = Flights()

    @property
    def degraded(self) -> str | None:
        return self._link.degraded

    async def get(self, key: str) -> bytes | None:
        value = await self._get(key)
        return None if value == NOTHING else value

    async def set(self, key: str, value: bytes, ttl: timedelta) -> None:
        await self._link.call("SET", PREFIX + key, value, "PX", millis(ttl.total_seconds()))

    async def delete(self, *keys: str) -> None:
        for key in keys:
            self._flights.cancel(key)
        if keys:
            # The locks go too: a load under way in another process then keeps nothing.
            await self._link.call(
                "UNLINK", *(PREFIX + key for key in keys), *(LOCK_PREFIX + key for key in keys)
            )

    async def add(self, key: str, value: bytes, ttl: timedelta, *, shared: bool = False) -> bool:
        del shared  # it always is
        life = millis(ttl.total_seconds())
        return await self._link.call("SET", PREFIX + key, value, "NX", "PX", life) is not None

    async def incr(self, key: str, ttl: timedelta, amount: int = 1) -> int:
        life = millis(ttl.total_seconds())
        try:
            return cast(int, await self._link.run(_INCR, [PREFIX + key], amount, life))
        except ResponseError as error:
            raise ValueError(f"{key} is not a counter") from error

    async def get_or_load(
        self,
        key: str,
        ttl: timedelta,
        loader: Callable[[], Awaitable[bytes | None]],
        *,
        jitter: float = 0.0,
        absent_ttl: timedelta | None = None,
    ) -> bytes | None:
        async def load(flight: Flight[bytes | None]) -> bytes | None:
            found = await self._get(key)
            if found is None:
                return await self._load_once(key, flight, loader, (ttl, absent_ttl, jitter))
            return None if found == NOTHING else found

        # Even the look is shared: a hundred callers cost Redis one question.
        return await self._flights.join(key, load)

    async def _load_once(
        self,
        key: str,
        flight: Flight[bytes | None],
        loader: Callable[[], Awaitable[bytes | None]],
        life: tuple[timedelta, timedelta | None, float],
    ) -> bytes | None:
        """Load under the lock, unless another process has the value by then."""
        token = secrets.token_hex(8)
        found, locked = await self._lock_or_value(key, token)
        if found is not None:
            return None if found == NOTHING else found
        if not locked:
            return await loader()
        async with self._holding(key, token):
            value = await loader()
            seconds = None if flight.stale else life_of(value, *life)
            await self._keep_or_release(key, token, value, seconds)
            return value

    async def _get(self, key: str) -> bytes | None:
        return cast(bytes | None, await self._link.call("GET", PREFIX + key))

    async def _lock_or_value(self, key: str, token: str) -> tuple[bytes | None, bool]:
        """The value that another process loaded meanwhile, or whether the lock is ours."""
        loop = asyncio.get_running_loop()
        give_up = loop.time() + PATIENCE_SECONDS
        while True:
            got = await self._link.call(
                "SET", LOCK_PREFIX + key, token, "NX", "PX", millis(LOCK_SECONDS)
            )
            found = await self._get(key)
            if found is not None:
                if got is not None:
                    await self._link.run(_RELEASE, [LOCK_PREFIX + key], token)
                return found, False
            if got is not None or loop.time() > give_up:
                return None, got is not None
            await asyncio.sleep(random.uniform(0.01, 0.04))  # noqa: S311 - no secret

    @asynccontextmanager
    async def _holding(self, key: str, token: str) -> AsyncGenerator[None]:
        """Renew the lock while the load lasts, and give it back when the load fails."""
        renewing = asyncio.create_task(self._renew(key, token))
        try:
            yield
        except BaseException:
            with suppress(RedisDownError):
                await self._link.run(_RELEASE, [LOCK_PREFIX + key], token)
            raise
        finally:
            renewing.cancel()

    async def _renew(self, key: str, token: str) -> None:
        while True:
            await asyncio.sleep(LOCK_SECONDS / 3)
            with suppress(RedisDownError):
                await self._link.run(_RENEW, [LOCK_PREFIX + key], token, millis(LOCK_SECONDS))

    async def _keep_or_release(
        self, key: str, token: str, value: bytes | None, life: float | None
    ) -> None:
        """Store what was loaded, if it has not been deleted since; Redis may be gone by now."""
        kept = NOTHING if value is None else value
        keys = [PREFIX + key, LOCK_PREFIX + key]
        with suppress(RedisDownError):
            await self._link.run(_KEEP, keys, token, kept, int((life or 0.0) * 1000))


def millis(seconds: float) -> int:
    """Whole milliseconds for Redis, which refuses a life of none."""
    return max(1, int(seconds * 1000))
