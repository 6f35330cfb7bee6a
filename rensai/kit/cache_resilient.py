"""A cache in Redis that goes on in memory while Redis is away.

What each verb means while `degraded` is set:

* `get`, `set`, `get_or_load`: this process caches for itself, and for ten seconds at most,
  because nobody tells it what other processes change.
* `delete`: forgotten here at once; Redis is told before it is asked again, so a value that was
  deleted while Redis was away does not come back with it.
* `add` (nonces): every process knows what it added itself, also from before Redis went away,
  but not what the others added. Callers for whom that is not enough pass `shared=True`, get
  `NotShared` and ask another store, such as a table. When Redis returns, perhaps empty, every
  process first tells it all that it knows, so what was used once stays used.
* `incr`: each process counts on from the last count it saw. When Redis returns, what was
  counted meanwhile is added to it, or the count is put back if Redis has lost it. What was in
  flight when Redis stopped answering may be counted twice, never less than once.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta

from rensai.kit.cache_memory import MemoryCache
from rensai.kit.cache_redis import PREFIX, RedisCache, millis
from rensai.kit.errors import Unavailable
from rensai.kit.redis import RedisDownError, RedisLink, Script

ALONE_TTL = timedelta(seconds=10)
MAX_OWED = 100_000  # deletes and counts noted in one outage; more would cost too much memory
BATCH = 200

_RETURN = Script("""
for i = 1, #KEYS do
  local value, life, more = ARGV[3 * i - 2], ARGV[3 * i - 1], ARGV[3 * i]
  if not redis.call('SET', KEYS[i], value, 'NX', 'PX', life) and more ~= '0' then
    redis.call('INCRBY', KEYS[i], more)
  end
end
""")


class NotShared(Unavailable):
    """The server cannot tell right now whether this was used before; try again in a moment."""


class ResilientCache:
    """Redis while it answers, this process's memory while it does not."""

    def __init__(self, shared: RedisCache, memory: MemoryCache, link: RedisLink) -> None:
        self._shared = shared
        self._memory = memory
        self._link = link
        self._deleted: dict[str, None] = {}
        self._counted: dict[str, int] = {}
        self._to_return: list[str] = []
        self._replaying = False
        link.on_return(self)

    @property
    def degraded(self) -> str | None:
        return self._link.degraded

    async def get(self, key: str) -> bytes | None:
        try:
            return await self._shared.get(key)
        except RedisDownError:
            return await self._memory.get(key)

    async def set(self, key: str, value: bytes, ttl: timedelta) -> None:
        try:
            await self._shared.set(key, value, ttl)
        except RedisDownError:
            self._owe_delete(key)
            await self._memory.set(key, value, min(ttl, ALONE_TTL))

    async def delete(self, *keys: str) -> None:
        await self._memory.delete(*keys)
        try:
            await self._shared.delete(*keys)
        except RedisDownError:
            for key in keys:
                self._owe_delete(key)

    async def add(self, key: str, value: bytes, ttl: timedelta, *, shared: bool = False) -> bool:
        try:
            added = await self._shared.add(key, value, ttl)
        except RedisDownError as error:
            added = await self._memory.add(key, value, ttl)
            if added and self._replaying:
                self._to_return.append(key)
            if added and shared:
                raise NotShared(private=str(error)) from error
            return added
        if added:
            with suppress(Unavailable):  # full: Redis knows it all the same
                await self._memory.add(key, value, ttl)
        return added

    async def incr(self, key: str, ttl: timedelta, amount: int = 1) -> int:
        try:
            count = await self._shared.incr(key, ttl, amount)
        except RedisDownError:
            count = await self._memory.incr(key, ttl, amount)
            if key in self._counted or len(self._counted) < MAX_OWED:
                self._counted[key] = self._counted.get(key, 0) + amount
            if self._replaying:
                self._to_return.append(key)
            return count
        self._memory.recall(key, count, ttl)
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
        try:
            return await self._shared.get_or_load(
                key, ttl, loader, jitter=jitter, absent_ttl=absent_ttl
            )
        except RedisDownError:
            return await self._memory.get_or_load(
                key,
                min(ttl, ALONE_TTL),
                loader,
                jitter=jitter,
                absent_ttl=None if absent_ttl is None else min(absent_ttl, ALONE_TTL),
            )

    @property
    def owes(self) -> int:
        return len(self._deleted) + len(self._to_return)

    def start_replay(self) -> None:
        self._to_return = self._memory.kept()
        self._replaying = True

    async def replay(self, link: RedisLink) -> None:
        deleted = list(self._deleted)[:BATCH]
        if deleted:
            await link.direct("UNLINK", *(PREFIX + key for key in deleted))
            for key in deleted:
                self._deleted.pop(key, None)
            return
        batch = self._to_return[-BATCH:]
        del self._to_return[-BATCH:]
        keys: list[str] = []
        arguments: list[bytes | int] = []
        for key in batch:
            entry = self._memory.kept_entry(key)
            more = self._counted.pop(key, 0)
            if entry is not None:
                keys.append(PREFIX + key)
                arguments += [entry[0], millis(entry[1]), more]
        if keys:
            await link.direct_run(_RETURN, keys, *arguments)

    def returned(self) -> None:
        self._replaying = False
        self._counted.clear()
        self._memory.clear_values()

    def _owe_delete(self, key: str) -> None:
        self._deleted.pop(key, None)
        self._deleted[key] = None
        if len(self._deleted) > MAX_OWED:
            # The oldest is given up: what it deleted may come back until it expires.
            del self._deleted[next(iter(self._deleted))]
