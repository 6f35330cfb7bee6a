"""Putting what was found in order, page by page."""

from collections.abc import Sequence

import msgspec
import numpy as np
from pyroaring import BitMap

from rensai.rooms.search.model import Sort
from rensai.rooms.search.service.matching import Tier
from rensai.rooms.search.service.picture import SORTED_BY, Ints, Picture
from rensai.rooms.search.service.tally import as_array

_POPULAR_BITS = 40


class Placed(msgspec.Struct, frozen=True):
    """A story, and the number that it is sorted by."""

    story_id: int
    key: int


def page(
    picture: Picture,
    stories: BitMap,
    sort: Sort,
    *,
    tiers: Sequence[tuple[Tier, BitMap]],
    after: tuple[int, int] | None,
    limit: int,
) -> list[Placed]:
    """At most `limit` stories after that place, the largest key first, then the larger id."""
    ids = as_array(stories).astype(np.int64)
    if sort is Sort.RELEVANCE:
        keys = _relevance(picture, ids, tiers)
    else:
        keys = picture.list_of(SORTED_BY[sort])[ids]
    if after is not None:
        key, story_id = after
        following = (keys < key) | ((keys == key) & (ids < story_id))
        ids, keys = ids[following], keys[following]
    if len(ids) > limit:
        # Everything that ties with the last of the page must be there to be told apart by its id.
        least = np.partition(keys, len(keys) - limit)[len(keys) - limit]
        chosen = keys >= least
        ids, keys = ids[chosen], keys[chosen]
    order = np.lexsort((-ids, -keys))[:limit]
    return [Placed(int(ids[at]), int(keys[at])) for at in order]


def _relevance(picture: Picture, ids: Ints, tiers: Sequence[tuple[Tier, BitMap]]) -> Ints:
    """The tier first, then a short title before a long one, then what is popular."""
    # As large as the picture: a tier has stories too that a filter has taken from the result.
    ranks = np.zeros(len(picture.list_of("popular")), np.int8)
    for tier, stories in tiers:
        ranks[as_array(stories)] = tier
    popular = np.clip(picture.list_of("popular")[ids], 0, (1 << _POPULAR_BITS) - 1)
    short = 255 - np.clip(picture.list_of("title_length")[ids], 0, 255)
    return (((ranks[ids].astype(np.int64) << 8) | short) << _POPULAR_BITS) | popular
