"""Building the index anew, on the shelf that nobody reads.

It goes on where it was interrupted. Changes that come meanwhile are written to both shelves; only
while the indexes of the new one are made they are left to the journal, from which the last step
takes them before readers see the new shelf.
"""

from collections.abc import Callable
from datetime import timedelta

from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.search.errors import BeingBuilt
from rensai.rooms.search.model import LAYOUT, Shelf, State
from rensai.rooms.search.service.refresh import put, read_entries
from rensai.rooms.search.store import state as store

BATCH = 1000
_LEASE = timedelta(seconds=60)
_LONG = timedelta(hours=1)
_INDEXING = timedelta(minutes=10)

Progress = Callable[[int], object]
"""Is told how many stories are on the new shelf."""


class Rebuild:
    """One builder; of several that try at the same time one goes on."""

    def __init__(
        self, db: Database, clock: Clock, name: str, progress: Progress = lambda _: None
    ) -> None:
        self._db = db
        self._clock = clock
        self._name = name
        self._progress = progress

    async def run(self, *, from_start: bool = False) -> int:
        """Build what is missing and let readers see it; how many stories there are."""
        try:
            count = await self._begin(from_start=from_start)
            self._progress(count)
            while (step := await self._add()) is not None:
                count += step
                self._progress(count)
            await self._finish()
        finally:
            async with self._db.transaction() as tx:
                await store.leave(tx, self._name)
        return count

    async def _begin(self, *, from_start: bool) -> int:
        async with self._db.transaction(_LONG) as tx:
            state = await store.hold(tx)
            now = self._clock.now()
            busy = state.builder is not None and state.builder != self._name
            if busy and state.builder_seen_at and now - state.builder_seen_at < _LEASE:
                raise BeingBuilt(private=state.builder)
            goes_on = state.building is not None and state.building_layout == LAYOUT
            if from_start or not goes_on:
                await store.begin(tx, Shelf(state.live).other, LAYOUT)
            await store.claim(tx, self._name, now)
        return 0 if from_start or not goes_on else state.built_count

    async def _add(self) -> int | None:
        """Put the next stories on the new shelf; None when there are no more."""
        async with self._db.transaction(_LONG) as tx:
            state = self._own(await store.hold(tx))
            if state.building_frozen is not None:
                return None
            after = state.built_to or 0
            ids = await catalogue.visible_story_ids(tx, after=after, limit=BATCH)
            if not ids:
                await store.freeze(tx)
                return None
            await put(tx, _shelf(state), ids, await read_entries(tx, ids))
            await store.built(
                tx, to=ids[-1], count=len(ids), builder=self._name, now=self._clock.now()
            )
            return len(ids)

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
        async with self._db.transaction(_LONG) as tx:
            await store.index_words(tx, _shelf(await store.read(tx)))
        async with self._db.transaction(_LONG) as tx:
            state = self._own(await store.hold(tx))
            changed = await store.changed_since(tx, state.building_frozen or 0)
            if changed:
                await put(tx, _shelf(state), changed, await read_entries(tx, changed))
            await store.go_live(tx)


def _shelf(state: State) -> Shelf:
    return Shelf(state.building or state.live)
