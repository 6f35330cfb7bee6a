"""A library that is searched: written through the catalogue, asked over HTTP."""

import asyncio
from typing import Any

import msgspec

from rensai.kit.db import Query
from rensai.rooms.catalogue.door import (
    Description,
    IncomingStory,
    assign_terms,
    define_taxonomy,
    describe_story,
)
from rensai.rooms.search.service.verify import Drift, verify
from rensai.rooms.search.store import state as states
from tests.rig import Rig
from tests.rooms.catalogue.incoming import SOURCE, Shelf, story_ids

SEARCH = "/api/v1/search"
SUGGEST = "/api/v1/search/suggest"
FACETS = "/api/v1/search/facets"
NOVEL = "/wp-json/novel/v1/stories"

Answer = dict[str, Any]  # Any: a JSON document


class Version(msgspec.Struct, frozen=True):
    """What a picture must be to be as new as the index."""

    generation: int
    last_change: int
    taxonomies_version: int


VERSION = Query("SELECT generation, last_change, taxonomies_version FROM search_state", Version)


class Library:
    """A catalogue and those who search it.

    Whoever writes says `settle` before he asks: it works off what the writes have caused.
    """

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.db = rig.db
        self.clock = rig.clock
        self.shelf = Shelf(rig.db, rig.clock)

    async def add(self, *stories: IncomingStory, source: str = SOURCE) -> None:
        """Receive stories, and have them found."""
        await self.shelf.stories(*stories, source=source)
        await self.settle()

    async def describe(self, name: str, **said: Any) -> None:
        """Say something of a story, by its id at the source; say `settle` afterwards."""
        async with self.db.transaction() as tx:
            await describe_story(tx, await self.id_of(name), Description(**said))

    async def assign(self, name: str, taxonomy: str, *terms: str) -> None:
        """Give a story these terms of a taxonomy, which are made; say `settle` afterwards."""
        story_id = await self.id_of(name)
        async with self.db.transaction() as tx:
            await assign_terms(tx, self.clock, story_id, taxonomy, terms, create=True)

    async def define(self, slug: str, *, is_multiple: bool = True) -> None:
        async with self.db.transaction() as tx:
            await define_taxonomy(tx, self.clock, slug, name=slug.title(), is_multiple=is_multiple)

    async def id_of(self, name: str) -> int:
        return (await story_ids(self.shelf))[name]

    async def settle(self) -> None:
        """Work off what is due, and wait until the application has heard of it."""
        await self.rig.work()
        wanted = await self.db.primary.first(VERSION)
        assert wanted is not None
        tag = f'W/"{wanted.generation}-{wanted.last_change}-{wanted.taxonomies_version}-'
        async with asyncio.timeout(10):
            while not await self._is(tag):  # noqa: ASYNC110 - an answer tells
                await asyncio.sleep(0.02)

    async def _is(self, tag: str) -> bool:
        return (await self.rig.get(FACETS)).headers["etag"].startswith(tag)

    async def ask(self, q: str | None = None, path: str = SEARCH, **asked: Any) -> Answer:
        """The answer to a question; a parameter may have a list of values."""
        params = ({} if q is None else {"q": q}) | asked
        answer = await self.rig.get(path, params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def find(self, q: str | None = None, **asked: Any) -> list[str]:
        """The slugs of what is found, in order."""
        found = await self.ask(q, **asked)
        return [item["slug"].rpartition(":")[2] for item in found["items"]]

    async def drift(self, *, repair: bool = False) -> list[Drift]:
        """What the index says otherwise than a rebuild would."""
        return await verify(self.db, self.clock, lambda _: None, repair=repair)

    async def live(self) -> str:
        """The schema of the shelf that readers see."""
        return (await states.read(self.db.primary)).live
