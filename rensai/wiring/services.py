"""Opens the parts that a process works with, and closes them in the opposite order."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

from rensai.config import Config
from rensai.kit.cache import open_cache
from rensai.kit.clock import SystemClock
from rensai.kit.db import Database, DatabaseSettings
from rensai.kit.embedded import EmbeddedPostgres
from rensai.kit.limits import Limits
from rensai.kit.redis import open_redis
from rensai.kit.services import Services
from rensai.wiring.subscriptions import SUBSCRIPTIONS


@asynccontextmanager
async def database_settings(config: Config) -> AsyncGenerator[DatabaseSettings, None]:
    """Where the database is; the embedded one is started if need be, and held while in use."""
    async with AsyncExitStack() as held:
        primary = config.database_primary_url
        if primary is None:
            embedded = EmbeddedPostgres(config.data_dir)
            await asyncio.to_thread(embedded.start)
            held.push_async_callback(asyncio.to_thread, embedded.stop)
            primary = embedded.url
        yield DatabaseSettings(
            primary_url=primary,
            replica_url=config.database_replica_url,
            queue_url=config.database_queue_url,
            pool_size=config.database_pool_size,
            statement_timeout=timedelta(milliseconds=config.statement_timeout_ms),
        )


@asynccontextmanager
async def open_services(config: Config) -> AsyncGenerator[Services, None]:
    """One of each part, for the life of a process."""
    clock = SystemClock()
    async with AsyncExitStack() as held:
        settings = await held.enter_async_context(database_settings(config))
        database = await Database.open(settings, subscriptions=SUBSCRIPTIONS)
        held.push_async_callback(database.close)
        redis = await held.enter_async_context(open_redis(config.redis_url))
        cache = open_cache(clock, redis)
        limits = Limits(clock, redis, pepper=config.session_secret.encode())
        yield Services(
            config=config, db=database, clock=clock, cache=cache, limits=limits, redis=redis
        )
