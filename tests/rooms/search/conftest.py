"""A library to search, for the tests of this room."""

import pytest

from tests.rig import Rig
from tests.rooms.catalogue.conftest import command
from tests.rooms.search.library import Library

__all__ = ["command"]


@pytest.fixture
async def library(rig: Rig) -> Library:
    """A library with nothing in it."""
    library = Library(rig)
    await library.settle()
    return library
