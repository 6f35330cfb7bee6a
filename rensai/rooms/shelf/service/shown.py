"""Pages of things about stories, without those about stories that nobody may read now.

What is hidden stays in its table and comes back when it can be read again; until then a page is
filled with what follows, so that no page is shorter than another.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from rensai.kit.db import Reads
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import ListedStory

T = TypeVar("T")

_MOST_AT_ONCE = 500


async def shown(
    reads: Reads,
    following: Callable[[T | None, int], Awaitable[list[T]]],
    story_of: Callable[[T], int],
    wanted: int,
) -> list[tuple[T, ListedStory]]:
    """The first `wanted` things whose stories can be read, each with its story.

    `following` gives so many things after the one that it is told, None being before all.
    """
    found: list[tuple[T, ListedStory]] = []
    last: T | None = None
    step = wanted
    while True:
        things = await following(last, step)
        cards = await catalogue.story_cards(reads, [story_of(one) for one in things])
        found += [(thing, cards[story_of(thing)]) for thing in things if story_of(thing) in cards]
        if len(found) >= wanted or len(things) < step:
            return found[:wanted]
        last = things[-1]
        step = min(step * 2, _MOST_AT_ONCE)
