"""Values that never change under their key, kept in this process and, when asked, in Redis too.

A key that carries a version or a span of time is never told of changes: the next version has
another key, and what is behind the old one is dropped when it has not been used for long. So
each process may keep its own copies and nobody has to delete anything anywhere.
"""

from datetime import timedelta

from rensai.kit.cache import Cache, Loader
from rensai.kit.cache_memory import MemoryCache
from rensai.kit.clock import Clock

MOST_BYTES = 24 * 1024 * 1024


class NearCache:
    """A memory of its own before the cache of all processes, if there is one."""

    def __init__(self, clock: Clock, cache: Cache) -> None:
        self._memory = MemoryCache(clock, max_bytes=MOST_BYTES)
        # A cache that lives in this process anyway would only keep everything twice.
        self._far = None if isinstance(cache, MemoryCache) else cache

    async def get_or_load(
        self, key: str, ttl: timedelta, loader: Loader, *, shared: bool = False
    ) -> bytes | None:
        """The value under a key, loaded once however many ask for it at the same time.

        With `shared`, once by all processes together, where they have a cache in common. It is
        for what many ask for: what one visitor alone may ever see again would only fill it up.
        """
        far = self._far
        if far is None or not shared:
            return await self._memory.get_or_load(key, ttl, loader)
        return await self._memory.get_or_load(key, ttl, lambda: far.get_or_load(key, ttl, loader))
