"""What a process has open and hands to its edges: one of each, made once at the start."""

from functools import cached_property
from typing import TYPE_CHECKING, final

from rensai.config import Config
from rensai.kit.cache import Cache
from rensai.kit.cache_near import NearCache
from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.kit.limits import Limits
from rensai.kit.lookups import Lookups
from rensai.kit.redis import RedisLink

if TYPE_CHECKING:
    from obstore.store import ObjectStore


@final
class Services:
    """The open parts of one process.

    A plain class on purpose: handlers take it as an argument, and the framework would look for
    data to validate inside a dataclass or a Struct.
    """

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
        self.fresh_lookups = Lookups(db.primary)  # what a replica may not know yet, or still know

    @cached_property
    def storage(self) -> "ObjectStore":
        """Where large things lie; opened when the first is put there or fetched."""
        from rensai.kit.storage import open_storage  # noqa: PLC0415 - most processes need none

        return open_storage(self.config)
