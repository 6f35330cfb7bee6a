"""What one process knows of one shelf: who has which facet value, and what stories are sorted by.

Everything here is in memory and answers within microseconds. `loading` fills it and `index`
keeps it true by the journal.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from rensai.rooms.search.model import Shelf, Sort, Taxonomy
from rensai.rooms.search.service.tally import Tally
from rensai.rooms.search.store.reading import Numbers, ValueRow

Ints: TypeAlias = NDArray[np.int64]

SORTED_BY = {
    Sort.UPDATED: "updated",
    Sort.NEWEST: "newest",
    Sort.POPULAR: "popular",
    Sort.RATING: "rating",
    Sort.CHAPTERS: "chapters",
    Sort.WORDS: "words",
}
_LISTS = (*SORTED_BY.values(), "title_length")

BUILT_IN = {
    "language": ("Language", False),
    "age": ("Age", False),
    "fandom": ("Fandom", True),
    "warning": ("Warning", True),
    "genre": ("Genre", True),
    "status": ("Status", False),
    "kind": ("Kind", False),
    "source": ("Source", False),
    "author": ("Author", True),
    "tag": ("Tag", True),
}
"""The facets that every instance has: what they are called, and whether stories have several."""

ALL_AT_ONCE = {"genre", "fandom", "tag"}
"""Facets of which all values may be asked for, as of every custom one with several."""


class Picture:
    """One generation of one shelf."""

    def __init__(self, shelf: Shelf, generation: int) -> None:
        self.shelf = shelf
        self.generation = generation
        self.last_change = 0
        self.taxonomies_version = -1
        self.stories = BitMap()
        self.adult = BitMap()
        self.values: dict[int, ValueRow] = {}
        self.members: dict[int, BitMap] = {}
        self.taxonomies: dict[str, Taxonomy] = {}
        self._ids: dict[tuple[str, str], int] = {}
        self._by_facet: dict[str, list[int]] = {}
        self._tallies: dict[str, Tally] = {}
        self._lists: dict[str, Ints] = {name: np.zeros(1024, np.int64) for name in _LISTS}

    # --- asked ---------------------------------------------------------------------------

    def facets(self) -> dict[str, tuple[str, bool]]:
        """Every facet: what it is called, and whether a story may have several values of it."""
        own = {name: (one.label, one.is_multiple) for name, one in self.taxonomies.items()}
        return BUILT_IN | own

    def all_at_once(self, facet: str) -> bool:
        """Whether matching all of several values makes sense for this facet."""
        if facet in BUILT_IN:
            return facet in ALL_AT_ONCE
        custom = self.taxonomies.get(facet)
        return custom is not None and custom.is_multiple

    def value_id(self, facet: str, value: str) -> int | None:
        return self._ids.get((facet, value))

    def value_ids(self, facet: str) -> Sequence[int]:
        """The numbers of all values of a facet."""
        return self._by_facet.get(facet, ())

    def having(self, facet: str, value: str) -> BitMap:
        """The stories with this value; not to be changed."""
        number = self._ids.get((facet, value))
        return _NONE if number is None else self.members.get(number, _NONE)

    def list_of(self, name: str) -> Ints:
        """One of the numbers that stories are sorted by, by the id of the story."""
        return self._lists[name]

    def tally(self, facet: str) -> Tally:
        """The counter of a facet that has very many values."""
        found = self._tallies.get(facet)
        if found is None or found.is_worn:
            found = self._tallies[facet] = Tally(self.value_ids(facet), self.members)
        return found

    # --- told ----------------------------------------------------------------------------

    def add_values(self, values: Iterable[ValueRow]) -> None:
        """Values that exist; one that is known gets its present label."""
        for one in values:
            if one.id not in self.values:
                self._ids[one.facet, one.value] = one.id
                self._by_facet.setdefault(one.facet, []).append(one.id)
                self._tallies.pop(one.facet, None)
            self.values[one.id] = one

    def set_members(self, value_id: int, story_ids: Sequence[int]) -> None:
        self.members[value_id] = BitMap(story_ids)

    def move(self, story_id: int, lost: Iterable[int], gained: Iterable[int]) -> None:
        """A story has some values no longer and others from now on."""
        for value in lost:
            members = self.members.get(value)
            if members is not None:
                members.discard(story_id)
            self._wear(value, story_id)
        for value in gained:
            self.members.setdefault(value, BitMap()).add(story_id)
            self._wear(value, story_id)

    def set_numbers(self, numbers: Numbers) -> None:
        """What these stories are sorted by from now on; they are on the shelf."""
        if not numbers.story_id:
            return
        at = np.array(numbers.story_id, np.int64)
        self._make_room(int(at.max()))
        for name in _LISTS:
            self._lists[name][at] = np.array(getattr(numbers, name), np.int64)
        self.stories.update(numbers.story_id)
        self.adult -= BitMap(numbers.story_id)
        self.adult.update(
            story_id
            for story_id, adult in zip(numbers.story_id, numbers.adult, strict=True)
            if adult
        )

    def drop(self, story_ids: Iterable[int]) -> None:
        """These are no longer on the shelf; their values have been lost before."""
        for story_id in story_ids:
            self.stories.discard(story_id)
            self.adult.discard(story_id)

    def _wear(self, value: int, story_id: int) -> None:
        known = self.values.get(value)
        tally = self._tallies.get(known.facet) if known else None
        if tally is not None:
            tally.wear(story_id)

    def _make_room(self, largest: int) -> None:
        size = len(self._lists["updated"])
        if largest >= size:
            for name, old in self._lists.items():
                grown = np.zeros(max(largest + 1, size * 5 // 4), np.int64)
                grown[:size] = old
                self._lists[name] = grown


_NONE = BitMap()
