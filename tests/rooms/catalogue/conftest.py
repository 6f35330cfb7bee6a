"""A catalogue that receives, for the tests of this room."""

from collections.abc import AsyncIterator

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
