"""What a process has open and hands to its edges: one of each, made once at the start."""

from typing import final

from rensai.config import Config
from rensai.kit.cache import Cache
from rensai.kit.cache_near import NearCache
from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.kit.limits import Limits
from rensai.kit.lookups import Lookups
from rensai.kit.redis import RedisLink


@final
class Services:
    """The open parts of one process.

    A plain class on purpose: handlers take it as an argument, and the framework would look for
    data to validate inside a dataclass or a Struct.
    """

    __slots__ = ("cache", "clock", "config", "db", "limits", "lookups", "near", "redis")

    def __init__(
        self,
        *,
        config: Config,
        db: Database,
        clock: Clock,
        cache: Cache,
        limits: Limits,
        redis: RedisLink | None = None,
    ) -> None:
        self.config = config
        self.db = db
        self.clock = clock
        self.cache = cache
        self.limits = limits
        self.redis = redis
        self.near = NearCache(clock, cache)
        self.lookups = Lookups(db.replica)
