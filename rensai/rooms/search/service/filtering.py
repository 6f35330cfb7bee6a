"""What is left of the stories when a reader has said what he wants and what not."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from pyroaring import BitMap

from rensai.kit.errors import InvalidFilter
from rensai.rooms.search.model import AGES, KINDS, STATUSES, Filters
from rensai.rooms.search.service.picture import Picture
from rensai.rooms.search.service.tally import as_array

_FIXED = {"status": STATUSES[1:], "kind": KINDS, "age": AGES}


class Narrowed:
    """The stories that meet the filters, and what they would be without one of the facets."""

    def __init__(self, picture: Picture, base: BitMap, filters: Filters) -> None:
        self._picture = picture
        self._base = base - _excluded(picture, filters)
        self._wanted = {
            facet: _wanted(picture, facet, values, filters)
            for facet, values in filters.include.items()
        }
        self._match_all = filters.match_all
        self.stories = self._without(None)

    def for_counts(self, facet: str) -> BitMap:
        """What a facet is counted in."""
        if facet not in self._wanted or (self._match_all and self._picture.all_at_once(facet)):
            return self.stories
        return self._without(facet)

    def _without(self, facet: str | None) -> BitMap:
        wanted = [stories for name, stories in self._wanted.items() if name != facet]
        return BitMap.intersection(self._base, *wanted)


def check(picture: Picture, filters: Filters) -> None:
    """Refuse facets that there are not, and values that cannot be."""
    facets = picture.facets()
    asked = {*filters.include, *filters.exclude}
    if unknown := sorted(asked - facets.keys()):
        raise InvalidFilter(
            f"There is no facet called {unknown[0][:80]!r}.", details={"allowed": sorted(facets)}
        )
    given = [*filters.include.items(), *filters.exclude.items()]
    for facet, values in given:
        allowed = _FIXED.get(facet)
        for value in values:
            if not value:
                raise InvalidFilter(f"A value of {facet} may not be empty.")
            if allowed is not None and value not in allowed:
                raise InvalidFilter(
                    f"{value[:80]!r} is no {facet}.", details={"allowed": list(allowed)}
                )


def updated_after(picture: Picture, stories: BitMap, moment: datetime) -> BitMap:
    """Those of the stories that were updated after a moment."""
    micros = int((moment.astimezone(UTC) - _EPOCH).total_seconds() * 1_000_000)
    ids = as_array(stories)
    return BitMap(ids[picture.list_of("updated")[ids.astype(np.int64)] > micros])


def _wanted(picture: Picture, facet: str, values: Sequence[str], filters: Filters) -> BitMap:
    sets = [picture.having(facet, value) for value in values]
    if sets and filters.match_all and picture.all_at_once(facet):
        return BitMap.intersection(*sets)
    return BitMap.union(BitMap(), *sets)


def _excluded(picture: Picture, filters: Filters) -> BitMap:
    sets = [
        picture.having(facet, value)
        for facet, values in filters.exclude.items()
        for value in values
    ]
    return BitMap.union(BitMap(), *sets)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
