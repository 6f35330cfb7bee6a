"""Counting a facet with thousands of values at once.

Asking each of fifty thousand authors how many stories of a result are theirs takes as many
questions. A list of all pairs of story and value is read once instead, however many values
there are. Stories that have changed since the list was made are counted one by one.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

_WORN = 1000


class Tally:
    """How many stories of a result have each value of one facet."""

    def __init__(self, value_ids: Sequence[int], members: Mapping[int, BitMap]) -> None:
        self._value_ids = np.array(value_ids, np.int64)
        self._members = members
        lists = [as_array(members[id_]) if id_ in members else _EMPTY for id_ in value_ids]
        sizes = np.array([len(one) for one in lists], np.int64)
        self._stories = np.concatenate(lists) if lists else _EMPTY
        self._places = np.repeat(np.arange(len(lists), dtype=np.int32), sizes)
        self._changed: set[int] = set()

    @property
    def is_worn(self) -> bool:
        """Whether so much has changed that making it anew is cheaper."""
        return len(self._changed) > _WORN

    def wear(self, story_id: int) -> None:
        """This story may have other values by now."""
        self._changed.add(story_id)

    def count(self, result: BitMap) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The values that any story of the result has, and how many stories each."""
        changed = BitMap(self._changed) & result if self._changed else BitMap()
        counts = self._counted(result - BitMap(self._changed) if self._changed else result)
        if changed:
            for place, id_ in enumerate(self._value_ids.tolist()):
                members = self._members.get(id_)
                if members is not None:
                    counts[place] += members.intersection_cardinality(changed)
        found = np.flatnonzero(counts)
        return self._value_ids[found], counts[found]

    def _counted(self, result: BitMap) -> NDArray[np.int64]:
        if not result or not len(self._stories):
            return np.zeros(len(self._value_ids), np.int64)
        inside = np.zeros(int(max(self._stories.max(), result.max())) + 1, np.bool_)
        inside[as_array(result)] = True
        return np.bincount(self._places[inside[self._stories]], minlength=len(self._value_ids))


def as_array(stories: BitMap) -> NDArray[np.uint32]:
    """The ids in ascending order."""
    return np.frombuffer(stories.to_array(), np.uint32)


_EMPTY = np.zeros(0, np.uint32)
