"""Pages of what a reader has, without what nobody may read at the moment.

What is hidden stays on the shelf and comes back when it is shown again. So a page is not a page of
rows: rows are read on until there are enough of them to show, in larger portions each time.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from rensai.rooms.shelf.model import Key

BEGINNING: Key = (datetime.max.replace(tzinfo=UTC), 2**63 - 1)
"""Before every row of a list that has the latest first."""

MOST_AT_ONCE = 500


R = TypeVar("R")
C = TypeVar("C")

ReadRows = Callable[[Key, int], Awaitable[Sequence[R]]]
"""The rows that follow a key, so many at most."""


async def shown(
    read: ReadRows[R],
    key: Callable[[R], Key],
    names: Callable[[R], int],
    cards: Callable[[Collection[int]], Awaitable[Mapping[int, C]]],
    *,
    after: Key | None,
    limit: int,
) -> list[tuple[R, C]]:
    """Rows with what is shown of the thing that each names; one more than `limit` if there are."""
    found: list[tuple[R, C]] = []
    place, portion = after or BEGINNING, limit + 1
    while True:
        rows = await read(place, portion)
        known = await cards({names(row) for row in rows})
        found += [(row, known[names(row)]) for row in rows if names(row) in known]
        if len(found) > limit or len(rows) < portion:
            return found[: limit + 1]
        place, portion = key(rows[-1]), min(portion * 4, MOST_AT_ONCE)
