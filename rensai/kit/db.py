"""PostgreSQL: typed statements, pools and transactions.

A store declares its statements as constants (`Query`, `Command`) and hands them to a `Reads`
or a `Tx`. Rows become msgspec Structs by position, which a test checks against the migrated
schema, so a mistyped column fails the suite and not a reader.
"""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import timedelta

from rensai.kit.db_pool import Pool, Reads, Subscriptions, Tx
from rensai.kit.db_statements import STATEMENTS, Command, Query

__all__ = [
    "STATEMENTS",
    "Command",
    "Database",
    "DatabaseSettings",
    "Pool",
    "Query",
    "Reads",
    "Subscriptions",
    "Tx",
]


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Where the servers are and how patient we are with them."""

    primary_url: str
    replica_url: str | None = None
    queue_url: str | None = None
    pool_size: int = 10
    statement_timeout: timedelta = timedelta(seconds=5)


class Database:
    """The three ways to the data: `primary` writes, `replica` may lag, `queue` is direct."""

    def __init__(self, primary: Pool, replica: Pool, queue: Pool) -> None:
        self.primary = primary
        self.replica = replica
        self.queue = queue

    @classmethod
    async def open(
        cls, settings: DatabaseSettings, *, subscriptions: Subscriptions | None = None
    ) -> "Database":
        """Connect to every server that the settings name."""
        subscribed = subscriptions or {}
        size = settings.pool_size
        primary = await Pool.open(settings.primary_url, size=size, subscriptions=subscribed)
        queue = await Pool.open(
            settings.queue_url or settings.primary_url, size=size, subscriptions=subscribed
        )
        return cls(primary, primary, queue)

    def transaction(
        self,
        timeout: timedelta | None = None,  # noqa: ASYNC109 - the server enforces it
    ) -> AbstractAsyncContextManager[Tx]:
        """One transaction on the primary."""
        return self.primary.transaction(timeout)

    async def close(self) -> None:
        """Close every connection."""
        await self.primary.close()
        await self.queue.close()
