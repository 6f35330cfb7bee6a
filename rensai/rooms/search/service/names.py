"""The names of people and tags in the order of the alphabet, to find them by how they begin."""

from bisect import bisect_left, insort

from pyroaring import BitMap

from rensai.rooms.search.adapters.folding import fold, runs
from rensai.rooms.search.service.picture import Picture
from rensai.rooms.search.store.reading import ValueRow

_NONE = BitMap()
_MOST = 5_000
"""Of very many that begin with one letter, so many are looked at."""


class Names:
    """The values of one facet of a picture, by each of their words."""

    def __init__(self, picture: Picture, facet: str) -> None:
        self._picture = picture
        self._facet = facet
        self._sorted: list[tuple[str, int]] = []
        self._known = 0

    def beginning(self, text: str, limit: int, without: BitMap = _NONE) -> list[ValueRow]:
        """Names that begin so, or have a word from which on they do; the most frequent first.

        Stories in `without` are as if they were not there.
        """
        begun = "".join(runs(fold(text)))
        if not begun:
            return []
        self._hear_of_new_ones()
        start = bisect_left(self._sorted, (begun, 0))
        found: set[int] = set()
        for name, value in self._sorted[start : start + _MOST]:
            if not name.startswith(begun):
                break
            found.add(value)
        members = self._picture.members
        counts = {
            value: members[value].difference_cardinality(without)
            for value in found
            if value in members
        }
        best = sorted((-count, value) for value, count in counts.items() if count)
        return [self._picture.values[value] for _, value in best[:limit]]

    def _hear_of_new_ones(self) -> None:
        values = self._picture.value_ids(self._facet)
        if len(values) == self._known:
            return
        new = [each for value in values[self._known :] for each in self._entries(value)]
        if self._known:
            for each in new:
                insort(self._sorted, each)
        else:
            self._sorted = sorted(new)
        self._known = len(values)

    def _entries(self, value: int) -> list[tuple[str, int]]:
        words = runs(fold(self._picture.values[value].label))
        return [("".join(words[at:]), value) for at in range(min(len(words), 6))]
