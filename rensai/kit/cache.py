"""Values worth keeping for a while: in this process, or in Redis when there is one.

`open_cache` gives the cache of a process. Without Redis it is a `MemoryCache`; with Redis a
`ResilientCache`, which answers from memory while Redis is away and says so in `degraded`.
Values are bytes; `Typed` keeps one kind of Struct. Keys are made with `key_of`, so that a part
from outside can neither forge another key nor grow without bound.
"""

import hashlib
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Generic, Protocol, TypeVar

import msgspec

from rensai.kit.cache_memory import MemoryCache
from rensai.kit.cache_redis import RedisCache
from rensai.kit.cache_resilient import NotShared, ResilientCache
from rensai.kit.clock import Clock
from rensai.kit.redis import RedisLink

__all__ = [
    "Cache",
    "MemoryCache",
    "NotShared",
    "RedisCache",
    "ResilientCache",
    "Typed",
    "key_of",
    "open_cache",
]

T = TypeVar("T")

Loader = Callable[[], Awaitable[bytes | None]]


class Cache(Protocol):
    """What every cache can do; the same in memory and in Redis."""

    @property
    def degraded(self) -> str | None:
        """What does not work as it should right now, in one sentence, or None."""
        ...

    async def get(self, key: str) -> bytes | None:
        """The value under a key, or None when there is none or it has expired."""
        ...

    async def set(self, key: str, value: bytes, ttl: timedelta) -> None:
        """Keep a value for at most `ttl`; it may be dropped sooner when space runs out."""
        ...

    async def delete(self, *keys: str) -> None:
        """Forget the keys, also for a load of them that is under way: it will not be kept."""
        ...

    async def add(self, key: str, value: bytes, ttl: timedelta, *, shared: bool = False) -> bool:
        """Keep a value only if there is none yet, and say whether it was kept: for nonces.

        What is added is never dropped before its time: when there is no space left, this raises
        `errors.Unavailable`. With `shared` it raises `NotShared` when only this process would
        know of it, for callers who have another place to ask.
        """
        ...

    async def incr(self, key: str, ttl: timedelta, amount: int = 1) -> int:
        """Add to a counter that lives for `ttl` from its first increment; the new count."""
        ...

    async def get_or_load(
        self,
        key: str,
        ttl: timedelta,
        loader: Loader,
        *,
        jitter: float = 0.0,
        absent_ttl: timedelta | None = None,
    ) -> bytes | None:
        """The value under a key, loaded once however many ask for it at the same time.

        `jitter` shortens each life by up to that share, so that what was loaded together does
        not expire together. A loader's None is remembered for `absent_ttl` when that is given.
        A loader's error goes to all who wait and is not remembered.
        """
        ...


class Typed(Generic[T]):
    """A view of a cache that keeps values of one type, encoded as MessagePack."""

    def __init__(self, cache: Cache, kind: type[T], *, name: str, version: int = 1) -> None:
        """`version` is raised whenever the shape of `kind` changes, so old values are not read."""
        self._cache = cache
        self._encode = msgspec.msgpack.Encoder().encode
        self._decoder = msgspec.msgpack.Decoder(kind)
        self._name = name
        self._version = version

    def key(self, *parts: object) -> str:
        """The key of one value of this view."""
        return key_of(self._name, *parts, version=self._version)

    async def get(self, *parts: object) -> T | None:
        return self._decode(await self._cache.get(self.key(*parts)))

    async def set(self, value: T, ttl: timedelta, *parts: object) -> None:
        await self._cache.set(self.key(*parts), self._encode(value), ttl)

    async def delete(self, *parts: object) -> None:
        await self._cache.delete(self.key(*parts))

    async def get_or_load(
        self,
        ttl: timedelta,
        loader: Callable[[], Awaitable[T | None]],
        *parts: object,
        jitter: float = 0.0,
        absent_ttl: timedelta | None = None,
    ) -> T | None:
        """As `Cache.get_or_load`, with values of this view's type."""

        async def load() -> bytes | None:
            value = await loader()
            return None if value is None else self._encode(value)

        kept = await self._cache.get_or_load(
            self.key(*parts), ttl, load, jitter=jitter, absent_ttl=absent_ttl
        )
        return self._decode(kept)

    def _decode(self, data: bytes | None) -> T | None:
        if data is None:
            return None
        try:
            return self._decoder.decode(data)
        except msgspec.MsgspecError:
            # Another release wrote it and forgot to raise the version: as good as absent.
            return None


def key_of(name: str, *parts: object, version: int = 1) -> str:
    """`name:vN:part:part`, with every part that is long or unusual replaced by its hash."""
    return ":".join((name, f"v{version}", *(_safe(str(part)) for part in parts)))


def _safe(part: str) -> str:
    if 0 < len(part) <= 64 and part.isascii() and part.replace("-", "a").isalnum():
        return part
    return "~" + hashlib.blake2b(part.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def open_cache(clock: Clock, redis: RedisLink | None = None) -> Cache:
    """The cache of this process; `redis` is what `kit.redis.open_redis` gave, if anything."""
    memory = MemoryCache(clock)
    return memory if redis is None else ResilientCache(RedisCache(redis), memory, redis)
