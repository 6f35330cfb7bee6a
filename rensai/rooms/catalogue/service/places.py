"""Who gets a slug or a chapter number when several want it.

Rows of one batch may trade places. A row that is not in the batch keeps what it has; who cannot
get what he wants stays where he is, and those who counted on his place fail with him.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

Place = tuple[Hashable, ...]
"""What one row alone may hold: a name for the kind of place first, then whose and which."""

Owner = Hashable
"""A row, by its id, or a row that is still to be made."""


class Want(NamedTuple):
    """One row of the batch and all the places that it is to have in the end."""

    owner: Owner
    places: tuple[Place, ...]
    """None for a row that is to be deleted."""


def refused(wants: Sequence[Want], held: Mapping[Place, Owner]) -> dict[Owner, Place]:
    """Who cannot get a place, and which one; of two newcomers the first of `wants` gets it."""
    result: dict[Owner, Place] = {}
    admitted = sorted(wants, key=lambda want: not _stays(want, held))
    while True:
        moving = {want.owner for want in admitted}
        taken = {place: owner for place, owner in held.items() if owner not in moving}
        lost: set[Owner] = set()
        for want in admitted:
            clash = next((p for p in want.places if taken.get(p, want.owner) != want.owner), None)
            if clash is None:
                taken.update(dict.fromkeys(want.places, want.owner))
            else:
                result[want.owner] = clash
                lost.add(want.owner)
        if not lost:
            return result
        admitted = [want for want in admitted if want.owner not in lost]


def in_the_way(wants: Sequence[Want], held: Mapping[Place, Owner]) -> set[Owner]:
    """Rows that must leave their place before the others can come, all of them in the batch."""
    return {
        holder
        for want in wants
        for place in want.places
        if (holder := held.get(place, want.owner)) != want.owner
    }


def _stays(want: Want, held: Mapping[Place, Owner]) -> bool:
    return all(held.get(place) == want.owner for place in want.places)
