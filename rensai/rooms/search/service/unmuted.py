"""The catalogue's lists for readers who have muted something.

No index of the catalogue holds a list for each reader. What somebody has muted is a set of stories
here, so a list without them is as quick as any search, and its pages are full.
"""

from typing import cast, final

from rensai.kit.db import Reads
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.readers.door import Mutes
from rensai.rooms.search.model import STATUSES, Filters, Question, Sort
from rensai.rooms.search.service.finding import find_places
from rensai.rooms.search.service.index import Index
from rensai.rooms.search.service.mutes import left_out

_SORTS = {
    catalogue.Sort.UPDATED: Sort.UPDATED,
    catalogue.Sort.POPULAR: Sort.POPULAR,
    catalogue.Sort.NEWEST: Sort.NEWEST,
}


@final
class UnmutedLists(catalogue.UnmutedLists):
    """What the catalogue's `UnmutedLists` asks for, out of the index of this process."""

    def __init__(self, index: Index) -> None:
        self._index = index

    async def places(
        self,
        reads: Reads,
        mutes: Mutes,
        *,
        sort: catalogue.Sort,
        source: str | None = None,
        after: tuple[object, ...] | None = None,
        limit: int,
    ) -> list[catalogue.Place]:
        """Where stories stand in a list without what was muted; one more if there are more."""
        include: dict[str, tuple[str, ...]] = {"status": STATUSES[1:3]}
        if source is not None:
            include["source"] = (source,)
        question = Question(
            filters=Filters(include),
            sort=_SORTS[sort],
            after=None if after is None else cast("tuple[int, int]", after),
            limit=limit,
            left_out=left_out(mutes),
        )
        places = await find_places(reads, self._index, question)
        return [catalogue.Place(place.story_id, place.key) for place in places]
