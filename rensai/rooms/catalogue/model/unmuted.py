"""Lists without what one reader has muted, which the catalogue cannot make by itself."""

from abc import ABC, abstractmethod

import msgspec

from rensai.kit.db import Reads
from rensai.rooms.catalogue.model import ListedStory, Sort
from rensai.rooms.readers.door import Mutes


class Place(msgspec.Struct, frozen=True):
    """Where a story stands in a list."""

    story_id: int
    key: int
    """With the id, after which to go on."""


PLACE_TYPES = (int, int)
"""The types of a place as a cursor has it: key and id."""


class Unmuted(msgspec.Struct, frozen=True):
    """A page of such a list."""

    stories: list[ListedStory]
    following: tuple[int, int] | None
    """The place to go on from when there is more; what stood there may be gone by now."""


class UnmutedLists(ABC):
    """Who can make them: search, by which every list is found that no index holds."""

    @abstractmethod
    async def places(
        self,
        reads: Reads,
        mutes: Mutes,
        *,
        sort: Sort,
        source: str | None = None,
        after: tuple[object, ...] | None = None,
        limit: int,
    ) -> list[Place]:
        """Public stories, ongoing or completed; one more than `limit` if there are more."""
