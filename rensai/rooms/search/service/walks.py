"""Changes that touch very many stories at once, worked off in parts."""

from collections.abc import Awaitable, Callable, Sequence

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Tx
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.search.service.refresh import refresh_stories
from rensai.rooms.search.service.taxonomies import refresh_taxonomies
from rensai.rooms.search.store import state as store

_PART = 500

Next = Callable[[Tx, int], Awaitable[Sequence[int]]]
"""The next stories after an id, in ascending order."""


async def refresh_source(db: Database, clock: Clock, source: str) -> None:
    """Bring every entry of a source up to date."""

    async def following(tx: Tx, after: int) -> Sequence[int]:
        return await catalogue.story_ids_of_source(tx, source, after=after, limit=_PART)

    await _walk(db, clock, following)


async def refresh_taxonomy(db: Database, clock: Clock, taxonomy: str) -> None:
    """Bring every entry that has a term of a taxonomy up to date, and the taxonomy itself."""

    async def following(tx: Tx, after: int) -> Sequence[int]:
        return await catalogue.story_ids_of_taxonomy(tx, taxonomy, after=after, limit=_PART)

    await _walk(db, clock, following)
    async with db.transaction() as tx:
        await store.hold(tx)
        await refresh_taxonomies(tx)


async def _walk(db: Database, clock: Clock, following: Next) -> None:
    after = 0
    while True:
        async with db.transaction() as tx:
            ids = await following(tx, after)
            if not ids:
                return
            await refresh_stories(tx, clock, ids)
        after = ids[-1]
