"""PostgreSQL: typed statements, pools and transactions.

A store declares its statements as constants (`Query`, `Command`) and hands them to a `Reads`
or a `Tx`. Rows become msgspec Structs by position, which a test checks against the migrated
schema, so a mistyped column fails the suite and not a reader.
"""

from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta

from rensai.kit.db_connect import Connector, Patience, place, probe
from rensai.kit.db_connections import PoolUse
from rensai.kit.db_errors import Contended, Lost, NotMigrated, TooSlow, Unusable
from rensai.kit.db_pool import Pool
from rensai.kit.db_replica import Replica
from rensai.kit.db_statements import STATEMENTS, Command, Copy, Query
from rensai.kit.db_tx import Reads, Subscriptions, TransactionMisused, Tx

__all__ = [
    "STATEMENTS",
    "Command",
    "Contended",
    "Copy",
    "Database",
    "DatabaseSettings",
    "Lost",
    "NotDirect",
    "NotMigrated",
    "Pool",
    "PoolUse",
    "Query",
    "Reads",
    "Replica",
    "Subscriptions",
    "TooSlow",
    "TransactionMisused",
    "Tx",
    "Unusable",
]


class NotDirect(Unusable):
    """The connection of the task queue does not go to the server itself."""


_ALIVE = Query("SELECT 1 AS alive", int)


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Where the servers are and how patient we are with them."""

    primary_url: str
    replica_url: str | None = None
    queue_url: str | None = None
    pool_size: int = 10
    queue_pool_size: int = 4
    statement_timeout: timedelta = timedelta(seconds=5)
    lock_timeout: timedelta = timedelta(seconds=3)
    idle_in_transaction_timeout: timedelta = timedelta(seconds=15)
    acquire_timeout: timedelta = timedelta(seconds=5)


class Database:
    """The three ways to the data: `primary` writes, `replica` may lag, `queue` is direct."""

    def __init__(self, primary: Pool, replica: Pool | Replica, queue: Pool) -> None:
        self.primary = primary
        self.replica = replica
        self.queue = queue

    @classmethod
    async def open(
        cls, settings: DatabaseSettings, *, subscriptions: Subscriptions | None = None
    ) -> "Database":
        """Connect to every server that the settings name; `Unusable` says what is wrong."""
        opener = _Opener(settings, subscriptions or {})
        async with AsyncExitStack() as opened:
            primary = await opener.pool(settings.primary_url, guarded=True)
            opened.push_async_callback(primary.close)
            queue_url = settings.queue_url or settings.primary_url
            queue = await opener.pool(queue_url, size=settings.queue_pool_size)
            opened.push_async_callback(queue.close)
            if queue.connector.in_transaction_mode:
                raise NotDirect(
                    f"{place(queue_url)} is a pooler such as PgBouncer, which cannot pass on what "
                    f"the task queue listens to: set DATABASE_QUEUE_URL to the server itself"
                )
            replica = await opener.replica(primary)
            opened.pop_all()
        return cls(primary, replica, queue)

    def transaction(self, timeout: timedelta | None = None) -> AbstractAsyncContextManager[Tx]:
        """One transaction on the primary; `timeout` replaces the limit of each statement in it."""
        return self.primary.transaction(timeout)

    async def check(self) -> None:
        """Return if the primary answers, raise `Unavailable` if not; one round trip."""
        await self.primary.first(_ALIVE)

    async def close(self) -> None:
        """Close every connection."""
        if self.replica is not self.primary:
            await self.replica.close()
        await self.queue.close()
        await self.primary.close()


class _Opener:
    """Makes pools from the same settings."""

    def __init__(self, settings: DatabaseSettings, subscriptions: Subscriptions) -> None:
        self._settings = settings
        self._subscriptions = subscriptions

    async def pool(
        self, url: str, *, size: int | None = None, writes: bool = True, guarded: bool = False
    ) -> Pool:
        """A pool; a guarded one refuses writes outside its transactions."""
        settings = self._settings
        patience = Patience(
            settings.statement_timeout, settings.lock_timeout, settings.idle_in_transaction_timeout
        )
        pooled = await probe(url)
        connector = Connector(url, patience, read_only=guarded, in_transaction_mode=pooled)
        return Pool(
            connector,
            size=size or settings.pool_size,
            patience=settings.acquire_timeout,
            subscriptions=self._subscriptions,
            writes=writes,
        )

    async def replica(self, primary: Pool) -> Pool | Replica:
        """The replica if there is one, else the primary."""
        url = self._settings.replica_url
        if not url:
            return primary
        replica = Replica(primary, lambda: self.pool(url, writes=False, guarded=True))
        await replica.start()
        return replica
