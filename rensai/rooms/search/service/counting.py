"""How many of the stories that a reader sees have each facet value.

A facet of which any value will do is counted as if it had not been asked for: its numbers say
what another of its values would give. One of which all values must be met is counted in what is
left, since a further value narrows that.
"""

import numpy as np
from pyroaring import BitMap

from rensai.rooms.search.model import CountedFacet, CountedValue, Filters
from rensai.rooms.search.service.filtering import Narrowed
from rensai.rooms.search.service.picture import Ints, Picture

_TALLIED = 400
"""A facet with more values than this is counted from the list of its pairs."""


def count_facets(
    picture: Picture, narrowed: Narrowed, filters: Filters, most: int
) -> dict[str, CountedFacet]:
    """Every facet with its most frequent values, and with those that were asked for."""
    return {
        facet: _count(
            picture, facet, narrowed.for_counts(facet), filters.include.get(facet, ()), most
        )
        for facet in picture.facets()
    }


def _count(
    picture: Picture, facet: str, result: BitMap, selected: tuple[str, ...], most: int
) -> CountedFacet:
    label, is_multiple = picture.facets()[facet]
    ids, counts = _counts(picture, facet, result)
    shown = dict(_most_frequent(ids, counts, most))
    # What no story has any more that can be read is not said to have been there.
    chosen = {
        id_
        for value in selected
        if (id_ := picture.value_id(facet, value)) is not None and picture.members.get(id_)
    }
    for id_ in sorted(chosen - shown.keys()):
        shown[id_] = int(counts[ids == id_].sum())
    values = [
        CountedValue(
            picture.values[id_].value, picture.values[id_].label, count, selected=id_ in chosen
        )
        for id_, count in shown.items()
    ]
    others = len(ids) - sum(count > 0 for count in shown.values())
    return CountedFacet(label, is_multiple, values, others)


def _most_frequent(ids: Ints, counts: Ints, most: int) -> list[tuple[int, int]]:
    """The values with the largest counts; of equals the ones that were known first."""
    if len(counts) > most:
        least = np.partition(counts, len(counts) - most)[len(counts) - most]
        kept = counts >= least
        ids, counts = ids[kept], counts[kept]
    order = np.lexsort((ids, -counts))[:most]
    return list(zip(ids[order].tolist(), counts[order].tolist(), strict=True))


def _counts(picture: Picture, facet: str, result: BitMap) -> tuple[Ints, Ints]:
    """The values that any story of the result has, and how many stories each."""
    ids = picture.value_ids(facet)
    if len(ids) > _TALLIED:
        return picture.tally(facet).count(result)
    everything = len(result) == len(picture.stories)
    counts = [
        len(members) if everything else members.intersection_cardinality(result)
        for members in (picture.members.get(id_, _NONE) for id_ in ids)
    ]
    found = np.flatnonzero(np.array(counts, np.int64))
    return np.array(ids, np.int64)[found], np.array(counts, np.int64)[found]


_NONE = BitMap()
