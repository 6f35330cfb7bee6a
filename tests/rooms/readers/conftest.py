"""What tests of accounts need besides a rig."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rensai.kit.clock import SetClock
from tests import postgres
from tests.rig import Rig, build_services, open_database


@pytest.fixture
async def empty_instance(
    postgres_server: postgres.TestServer, tmp_path: Path, clock: SetClock
) -> AsyncIterator[Rig]:
    """Another site, with a database and a folder of its own."""
    async with postgres.fresh_database(postgres_server) as url:
        database = await open_database(url)
        async with Rig(build_services(database, tmp_path / "elsewhere", clock), clock) as rig:
            yield rig
        await database.close()
