"""The application, for tests of a room's edges."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from rensai.kit.db import Database
from tests.rooms.house import House, open_house


@pytest.fixture
async def house(database: Database, tmp_path: Path) -> AsyncGenerator[House, None]:
    """The whole application on a fresh database."""
    async with open_house(database, tmp_path) as opened:
        yield opened
