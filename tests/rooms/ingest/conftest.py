"""Services for many workers at once, where every event of the catalogue leaves a task."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rensai.kit.clock import SystemClock
from rensai.kit.db import Database, DatabaseSettings
from rensai.kit.services import Services
from tests.rig import build_services
from tests.rooms.catalogue.incoming import SUBSCRIPTIONS


@pytest.fixture
async def crowd(database_url: str, tmp_path: Path) -> AsyncIterator[Services]:
    """Services for many workers in one process, with the real clock."""
    settings = DatabaseSettings(primary_url=database_url, pool_size=24)
    database = await Database.open(settings, subscriptions=SUBSCRIPTIONS)
    yield build_services(database, tmp_path, SystemClock())
    await database.close()
