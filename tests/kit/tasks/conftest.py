"""A workshop for each test."""

from pathlib import Path

import pytest

from rensai.kit.db import Database
from tests.kit.tasks.workshop import Workshop


@pytest.fixture
def workshop(database: Database, tmp_path: Path) -> Workshop:
    """A database with a queue, and workers on it as they are asked for."""
    return Workshop(database, tmp_path)
