"""A catalogue that receives, for the tests of this room."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import msgspec
import pytest

from rensai.kit.db import Database, DatabaseSettings
from tests.rooms.catalogue.incoming import SUBSCRIPTIONS, Shelf, story


@pytest.fixture
async def shelf(database_url: str) -> AsyncIterator[Shelf]:
    """An empty catalogue whose every event leaves a task in the queue."""
    settings = DatabaseSettings(primary_url=database_url, pool_size=12)
    database = await Database.open(settings, subscriptions=SUBSCRIPTIONS)
    yield Shelf(database)
    await database.close()


@pytest.fixture
async def one_story(shelf: Shelf) -> Shelf:
    """A catalogue with the story s1, whose news has been heard."""
    await shelf.stories(story("s1"))
    await shelf.news()
    return shelf


class Told(msgspec.Struct, frozen=True):
    """What a command answered."""

    code: int
    output: str
    errors: str


Run = Callable[..., Awaitable[Told]]


@pytest.fixture
def command(database_url: str, tmp_path: Path) -> Run:
    """Runs a command, in a process of its own, on the database of the test."""
    environment = os.environ | {
        "DATABASE_PRIMARY_URL": database_url,
        "RENSAI_DATA_DIR": str(tmp_path / "data"),
        "NODE_ENV": "test",
    }

    async def run(*arguments: str | bytes) -> Told:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "rensai", *arguments),
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        output, errors = await process.communicate()
        return Told(process.returncode or 0, output.decode(), errors.decode())

    return run
