"""The index of one process: a picture that is true at every question.

Before a question is answered, one small statement asks whether anything has been written since.
What was is applied; when a shelf was built anew, the new picture is made beside the old one, which
answers until it is whole.
"""

import asyncio
import time

from rensai.kit.db import Reads
from rensai.kit.log import get_logger
from rensai.rooms.search.model import News
from rensai.rooms.search.service import loading
from rensai.rooms.search.service.lexicon import Lexicon
from rensai.rooms.search.service.names import Names
from rensai.rooms.search.service.picture import Picture
from rensai.rooms.search.store import reading as store
from rensai.rooms.search.store import state as states

_log = get_logger("rensai.search.index")

_FRESH_SECONDS = 0.05
"""How long a look at the journal serves for: a burst of questions needs one."""

_MOST_CHANGES = 5_000
"""Whoever has missed more makes the picture anew."""


class Standing:
    """A picture, and the words that were looked up in the same shelf."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.lexicon = Lexicon(picture.shelf)
        self._names: dict[str, Names] = {}

    def names(self, facet: str) -> Names:
        """The values of a facet by how they begin."""
        return self._names.setdefault(facet, Names(self.picture, facet))


class Index:
    """One for each process; `standing` is what every question begins with."""

    def __init__(self, *, fresh_seconds: float = _FRESH_SECONDS) -> None:
        self._fresh_seconds = fresh_seconds
        self._standing: Standing | None = None
        self._looked_at = 0.0
        self._looking = asyncio.Lock()
        self._making: asyncio.Task[None] | None = None

    def begin(self, reads: Reads) -> None:
        """Make the first picture before anybody asks; what fails is tried again by who does."""
        self._making = asyncio.create_task(self._warm(reads))
        self._making.add_done_callback(_heard)

    async def standing(self, reads: Reads) -> Standing:
        """The picture as of now; the first question of a process waits until there is one."""
        if self._is_stale():
            async with self._looking:
                if self._is_stale():
                    await self._look(reads)
        assert self._standing is not None  # noqa: S101 - a look makes one or raises
        return self._standing

    async def version(self, reads: Reads) -> str:
        """What stands for all that can be found now: the same until something changes."""
        picture = (await self.standing(reads)).picture
        return f"{picture.generation}-{picture.last_change}-{picture.taxonomies_version}"

    async def close(self) -> None:
        """Stop making a picture that nobody will ask."""
        if self._making is not None:
            self._making.cancel()
            await asyncio.gather(self._making, return_exceptions=True)

    def _is_stale(self) -> bool:
        age = time.monotonic() - self._looked_at
        return self._standing is None or age > self._fresh_seconds

    async def _warm(self, reads: Reads) -> None:
        standing = await self.standing(reads)
        await standing.lexicon.warm(reads)

    async def _look(self, reads: Reads) -> None:
        began = time.monotonic()
        standing = self._standing
        known = standing.picture.last_change if standing else 0
        news = await states.news(reads, known, _MOST_CHANGES if standing else 0)
        seen = news[0]
        if standing is None:
            await self._make(reads, seen)
            # What came while it was being made is in parts of it and not in others.
            await self._look(reads)
            return
        if seen.generation > standing.picture.generation or _has_missed_some(news, known):
            self._begin_making(reads, seen)
        elif seen.generation == standing.picture.generation:
            await _catch_up(reads, standing, [one for one in news if one.number is not None])
            if seen.taxonomies_version > standing.picture.taxonomies_version:
                await loading.load_taxonomies(reads, standing.picture, seen.taxonomies_version)
        if self._standing is standing:  # a new one has not heard of anything yet
            self._looked_at = began

    def _begin_making(self, reads: Reads, seen: News) -> None:
        """Beside the questions, which the old picture answers meanwhile."""
        if self._making is None or self._making.done():
            self._making = asyncio.create_task(self._make(reads, seen, warm=True))
            self._making.add_done_callback(_heard)

    async def _make(self, reads: Reads, seen: News, *, warm: bool = False) -> None:
        began = time.monotonic()
        picture = await loading.load(reads, seen)
        standing = Standing(picture)
        if warm:
            await standing.lexicon.warm(reads)
        self._standing = standing
        self._looked_at = 0.0
        took = time.monotonic() - began
        _log.info("search is ready", stories=len(picture.stories), seconds=round(took, 2))


def _has_missed_some(news: list[News], known: int) -> bool:
    """Whether the journal no longer has everything that comes after what is known."""
    told = sum(one.number is not None for one in news)
    return news[0].last_change - known > told


async def _catch_up(reads: Reads, standing: Standing, changes: list[News]) -> None:
    if not changes:
        return
    picture = standing.picture
    story_ids = sorted({one.story_id for one in changes if one.story_id is not None})
    gained = {value for one in changes for value in one.gained or ()}
    new = [value for value in gained if value not in picture.values]
    if new:
        picture.add_values(await store.values_of(reads, picture.shelf, new))
    numbers = await store.numbers_of(reads, picture.shelf, story_ids)
    words = await standing.lexicon.changed(reads, story_ids)
    for one in changes:
        picture.move(one.story_id or 0, one.lost or (), one.gained or ())
        picture.last_change = one.number or 0
    picture.set_numbers(numbers)
    picture.drop(set(story_ids) - set(numbers.story_id))
    standing.lexicon.apply(story_ids, words)


def _heard(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.warning("the picture of the search index could not be made", error=str(error))
