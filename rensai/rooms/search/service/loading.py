"""Getting a whole picture of a shelf into a process."""

from rensai.kit.db import Reads
from rensai.rooms.search.model import News, Shelf
from rensai.rooms.search.service.picture import Picture
from rensai.rooms.search.store import reading as store
from rensai.rooms.search.store import state as states

_STORIES = 20_000
_VALUES = 5_000
_MEMBERS = 500


async def load(reads: Reads, seen: News) -> Picture:
    """The shelf as it is now or was a moment ago.

    The journal is read on from before the first row, so what changes meanwhile is not missed:
    hearing of a change twice does no harm.
    """
    picture = Picture(Shelf(seen.live), seen.generation)
    picture.last_change = seen.last_change
    after = 0
    while True:
        numbers = await store.numbers_after(reads, picture.shelf, after, _STORIES)
        picture.set_numbers(numbers)
        if len(numbers.story_id) < _STORIES:
            break
        after = max(numbers.story_id)
    last = await _load_values(reads, picture)
    for start in range(0, last, _MEMBERS):
        for one in await store.members(reads, picture.shelf, start, start + _MEMBERS):
            picture.set_members(one.value_id, one.story_ids)
    await load_taxonomies(reads, picture, seen.taxonomies_version)
    return picture


async def load_taxonomies(reads: Reads, picture: Picture, version: int) -> None:
    """The facets of operators, and what values are called by now."""
    if picture.taxonomies_version >= 0:
        await _load_values(reads, picture)
    picture.taxonomies = {one.facet_type: one for one in await states.taxonomies(reads)}
    picture.taxonomies_version = version


async def _load_values(reads: Reads, picture: Picture) -> int:
    last = 0
    while True:
        values = await store.values_after(reads, picture.shelf, last, _VALUES)
        picture.add_values(values)
        if values:
            last = values[-1].id
        if len(values) < _VALUES:
            return last
