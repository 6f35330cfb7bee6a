"""What every test of talk may ask for."""

import pytest

from tests.rig import Rig
from tests.rooms.talk.thread import Reader, Thread


@pytest.fixture
async def thread(rig: Rig) -> Thread:
    """Stories to talk about, about which nobody has said anything yet."""
    begun = Thread(rig)
    await begun.begin()
    return begun


@pytest.fixture
async def ann(thread: Thread) -> Reader:
    return await thread.reader("ann")


@pytest.fixture
async def bob(thread: Thread) -> Reader:
    return await thread.reader("bob")


@pytest.fixture
async def mod(thread: Thread) -> Reader:
    return await thread.reader("mod", "moderator")
