"""How many of the stories that a reader sees have each facet value.

A facet of which any value will do is counted as if it had not been asked for: its numbers say
what another of its values would give. One of which all values must be met is counted in what is
left, since a further value narrows that.
"""

from collections.abc import Mapping

from pyroaring import BitMap

from rensai.rooms.search.model import CountedFacet, CountedValue, Filters
from rensai.rooms.search.service.filtering import Narrowed
from rensai.rooms.search.service.picture import Picture

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
    counts = _counts(picture, facet, result)
    chosen = {picture.value_id(facet, value) for value in selected} - {None}
    ranked = sorted(counts, key=lambda id_: (-counts[id_], picture.values[id_].value))
    shown = ranked[:most] + [id_ for id_ in chosen if id_ is not None and id_ not in ranked[:most]]
    values = [
        CountedValue(
            picture.values[id_].value,
            picture.values[id_].label,
            counts.get(id_, 0),
            selected=id_ in chosen,
        )
        for id_ in shown
    ]
    return CountedFacet(label, is_multiple, values, max(len(ranked) - len(shown), 0))


def _counts(picture: Picture, facet: str, result: BitMap) -> Mapping[int, int]:
    ids = picture.value_ids(facet)
    if not result:
        return {}
    if len(ids) > _TALLIED:
        found, counts = picture.tally(facet).count(result)
        return dict(zip(found.tolist(), counts.tolist(), strict=True))
    everything = len(result) == len(picture.stories)
    counted = {
        id_: len(members) if everything else members.intersection_cardinality(result)
        for id_ in ids
        if (members := picture.members.get(id_)) is not None
    }
    return {id_: count for id_, count in counted.items() if count}
