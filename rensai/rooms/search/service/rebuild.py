"""Building the index anew, on the shelf that nobody reads.

It goes on where it was interrupted. The next stories are read and made into entries while
PostgreSQL writes those before; whatever has changed in between is read again when their turn
comes. Changes that come meanwhile are written to both shelves; only while the indexes of the new
one are made they are left to the journal, from which the last step takes them before readers see
the new shelf.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta

import msgspec

from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.search.errors import BeingBuilt
from rensai.rooms.search.model import LAYOUT, Entry, Shelf, State
from rensai.rooms.search.service.entries import entry_of
from rensai.rooms.search.service.refresh import Remembered, put, put_new, read_entries
from rensai.rooms.search.service.taxonomies import refresh_taxonomies
from rensai.rooms.search.store import state as store
from rensai.rooms.search.store import writing

BATCH = 1000
_LEASE = timedelta(seconds=60)
_LONG = timedelta(hours=1)
_INDEXING = timedelta(minutes=10)

Progress = Callable[[int], object]
"""Is told how many stories are on the new shelf."""


class _Batch(msgspec.Struct, frozen=True):
    """The next stories, as they were when they were read."""

    ids: Sequence[int]
    entries: Mapping[int, Entry]
    versions: Mapping[int, int]


class Rebuild:
    """One builder; of several that try at the same time one goes on."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        name: str,
        progress: Progress = lambda _: None,
        *,
        batch: int = BATCH,
    ) -> None:
        self._db = db
        self._clock = clock
        self._name = name
        self._progress = progress
        self._batch = batch
        self._remembered = Remembered()

    async def run(self, *, from_start: bool = False) -> int:
        """Build what is missing and let readers see it; how many stories there are."""
        try:
            state = await self._begin(from_start=from_start)
            count = state.built_count
            self._progress(count)
            if state.building_frozen is None:
                count = await self._fill(count, state.built_to or 0)
            await self._finish()
        finally:
            async with self._db.transaction() as tx:
                await store.leave(tx, self._name)
        return count

    async def _begin(self, *, from_start: bool) -> State:
        async with self._db.transaction(_LONG) as tx:
            state = await store.hold(tx)
            now = self._clock.now()
            busy = state.builder is not None and state.builder != self._name
            if busy and state.builder_seen_at and now - state.builder_seen_at < _LEASE:
                raise BeingBuilt(private=state.builder)
            goes_on = state.building is not None and state.building_layout == LAYOUT
            if state.building_frozen is not None:
                # Without all that the shelf has not been told, it would never become true.
                goes_on = goes_on and await store.is_whole_since(tx, state.building_frozen)
            if from_start or not goes_on:
                await store.begin(tx, Shelf(state.live).other, LAYOUT)
            await store.claim(tx, self._name, now)
            return await store.hold(tx)

    async def _fill(self, count: int, after: int) -> int:
        """Put every story on the new shelf; how many there are."""
        reading = asyncio.create_task(self._read(after))
        try:
            while (batch := await reading).ids:
                reading = asyncio.create_task(self._read(batch.ids[-1]))
                await self._add(batch)
                count += len(batch.ids)
                self._progress(count)
            async with self._db.transaction() as tx:
                self._own(await store.hold(tx))
                await store.freeze(tx)
            return count
        finally:
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading

    async def _read(self, after: int) -> _Batch:
        reads = self._db.primary
        ids = await catalogue.visible_story_ids(reads, after=after, limit=self._batch)
        stories = [story for story in await catalogue.facts_of(reads, ids) if story.is_visible]
        entries: dict[int, Entry] = {}
        for number, story in enumerate(stories):
            entries[story.id] = entry_of(story)
            if number % 50 == 0:
                await asyncio.sleep(0)  # the statements of the batch before want to go on
        return _Batch(ids, entries, {story.id: story.cache_version for story in stories})

    async def _add(self, batch: _Batch) -> None:
        async with self._db.transaction(_LONG) as tx:
            shelf = _shelf(self._own(await store.hold(tx)))
            # What is there already was put there by a refresh, which is newer than the batch.
            there = await writing.known(tx, shelf, batch.ids)
            ids = [id_ for id_ in batch.ids if id_ not in there]
            now = await catalogue.versions_of(tx, ids)
            changed = [id_ for id_ in ids if now.get(id_) != batch.versions.get(id_)]
            entries = {id_: entry for id_, entry in batch.entries.items() if id_ not in there}
            for id_ in changed:
                entries.pop(id_, None)
            if changed:
                entries |= await read_entries(tx, changed)
            await put_new(tx, shelf, list(entries.values()), self._remembered)
            await store.built(
                tx,
                to=batch.ids[-1],
                count=len(batch.ids),
                builder=self._name,
                now=self._clock.now(),
            )

    def _own(self, state: State) -> State:
        """The state, unless somebody else has taken over."""
        if state.builder != self._name or state.building is None:
            raise BeingBuilt(private=state.builder)
        return state

    async def _finish(self) -> None:
        # Nobody else begins while the indexes are made, which says nothing until it is done.
        async with self._db.transaction() as tx:
            self._own(await store.hold(tx))
            await store.claim(tx, self._name, self._clock.now() + _INDEXING)
        await self._index()
        async with self._db.transaction(_LONG) as tx:
            state = self._own(await store.hold(tx))
            changed = await store.changed_since(tx, state.building_frozen or 0)
            if changed:
                await put(tx, _shelf(state), changed, await read_entries(tx, changed))
            await refresh_taxonomies(tx)
            await store.go_live(tx)

    async def _index(self) -> None:
        async with self._db.transaction(_LONG) as tx:
            await store.index_words(tx, _shelf(await store.read(tx)))


def _shelf(state: State) -> Shelf:
    return Shelf(state.building or state.live)
