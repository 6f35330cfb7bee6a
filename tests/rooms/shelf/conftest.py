"""A desk with stories, and a reader at it."""

import pytest

from tests.rig import Rig
from tests.rooms.shelf.desk import Desk, Reader


@pytest.fixture
async def desk(rig: Rig) -> Desk:
    """Three stories with four chapters each."""
    desk = Desk(rig)
    await desk.fill(["s1", "s2", "s3"], 4)
    return desk


@pytest.fixture
async def ada(desk: Desk) -> Reader:
    return await desk.reader("ada")


@pytest.fixture
async def ben(desk: Desk) -> Reader:
    return await desk.reader("ben")
