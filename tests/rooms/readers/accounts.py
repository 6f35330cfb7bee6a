"""Accounts for tests, made through the same doors as real ones."""

from datetime import UTC, datetime

from rensai.kit.clock import SetClock
from rensai.kit.db import Database
from rensai.rooms.readers import service
from rensai.rooms.readers.model import Created

PASSWORD = "a long enough password"
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


async def an_admin(
    database: Database,
    username: str = "ada",
    *,
    another: bool = False,
    clock: SetClock | None = None,
) -> Created:
    """A new administrator whose password is PASSWORD."""
    async with database.transaction() as tx:
        return await service.create_admin(
            tx,
            username=username,
            email=f"{username}@example.com",
            password=PASSWORD,
            clock=clock or SetClock(NOON),
            another=another,
        )
