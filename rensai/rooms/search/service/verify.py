"""Comparing what is on the shelf with what a rebuild would put there."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta

import msgspec

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Tx
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.search.adapters.parameters import NAMES
from rensai.rooms.search.model import Entry, Shelf
from rensai.rooms.search.service.refresh import read_entries, refresh_stories
from rensai.rooms.search.service.taxonomies import refresh_taxonomies, taxonomies_differ
from rensai.rooms.search.store import reading, verifying
from rensai.rooms.search.store import state as states
from rensai.rooms.search.store.verifying import Stored

_PART = 500
_PATIENCE_SECONDS = 3.0
_LAST = 2**62
_LONG = timedelta(minutes=10)


class Drift(msgspec.Struct, frozen=True):
    """A story of which the index says something else than it should."""

    story_id: int | None
    """None is the facets of taxonomies, which are no story's."""

    parts: list[str]


async def verify(
    db: Database, clock: Clock, progress: Callable[[int], object], *, repair: bool
) -> list[Drift]:
    """What differs, story by story; with `repair` it is written as it should be."""
    drift = await _strays(db)
    after = done = 0
    while True:
        async with db.transaction() as tx:
            ids = await catalogue.visible_story_ids(tx, after=after, limit=_PART)
            to = ids[-1] if len(ids) == _PART else _LAST
            drift += await _between(tx, ids, after, to)
        done += len(ids)
        progress(done)
        if to == _LAST:
            break
        after = to
    if drift:
        drift = await _again(db, drift)
    if drift and repair:
        await _mend(db, clock, drift)
    return drift


async def _strays(db: Database) -> list[Drift]:
    async with db.transaction(_LONG) as tx:
        live = Shelf((await states.read(tx)).live)
        mapped = [Drift(id_, ["filter map"]) for id_ in await verifying.stray_mapped(tx, live)]
        facets = [Drift(None, ["taxonomies"])] if await taxonomies_differ(tx) else []
        mapped += facets
        return mapped + [Drift(id_, ["words"]) for id_ in await verifying.stray_words(tx, live)]


async def _mend(db: Database, clock: Clock, drift: Sequence[Drift]) -> None:
    every = _story_ids(drift)
    for start in range(0, len(every), _PART):
        ids = every[start : start + _PART]
        async with db.transaction() as tx:
            state = await states.hold(tx)
            await verifying.distrust(tx, Shelf(state.live), ids)
            await refresh_stories(tx, clock, ids)
    async with db.transaction() as tx:
        await states.hold(tx)
        await refresh_taxonomies(tx)
        await verifying.all_anew(tx)


async def _again(db: Database, drift: Sequence[Drift]) -> list[Drift]:
    """What still differs after a moment, with every writer waiting."""
    await asyncio.sleep(_PATIENCE_SECONDS)
    still = await _strays(db)
    every = _story_ids(drift)
    for start in range(0, len(every), _PART):
        ids = every[start : start + _PART]
        async with db.transaction() as tx:
            state = await states.hold(tx)
            still += await _differing(tx, Shelf(state.live), ids)
    parts: defaultdict[int | None, set[str]] = defaultdict(set)
    for one in still:
        parts[one.story_id].update(one.parts)
    order = sorted(parts, key=lambda id_: id_ or 0)
    return [Drift(id_, sorted(parts[id_])) for id_ in order]


def _story_ids(drift: Sequence[Drift]) -> list[int]:
    return sorted({one.story_id for one in drift if one.story_id is not None})


async def _between(tx: Tx, ids: Sequence[int], after: int, to: int) -> list[Drift]:
    live = Shelf((await states.read(tx)).live)
    there = await verifying.ids_between(tx, live, after, to)
    return await _differing(tx, live, sorted({*ids, *there}))


async def _differing(tx: Tx, shelf: Shelf, ids: Sequence[int]) -> list[Drift]:
    entries = await read_entries(tx, ids)
    stored = {one.story_id: one for one in await verifying.stored(tx, shelf, ids)}
    cards = await reading.cards(tx, shelf, ids)
    other_words = set(
        await verifying.other_words(tx, shelf, {id_: entry.words for id_, entry in entries.items()})
    )
    words = sorted({word for entry in entries.values() for word in entry.vocabulary})
    unheard_of = set(await verifying.unheard_of(tx, shelf, words))
    found: list[Drift] = []
    for id_ in ids:
        entry = entries.get(id_)
        if entry is None:
            if id_ in stored:
                found.append(Drift(id_, ["should not be there"]))
        elif id_ not in stored:
            found.append(Drift(id_, ["missing"]))
        else:
            parts = _parts(entry, stored[id_], cards[id_] == entry.card)
            parts += ["words"] if id_ in other_words else []
            parts += ["vocabulary"] if unheard_of.intersection(entry.vocabulary) else []
            if parts:
                found.append(Drift(id_, parts))
    return found


def _parts(entry: Entry, stored: Stored, same_card: bool) -> list[str]:  # noqa: FBT001 - one caller
    wanted = sorted((one.facet, one.value, _label(one.facet, one.label)) for one in entry.facets)
    labels = map(_label, stored.facet_types, stored.labels)
    said = sorted(zip(stored.facet_types, stored.facet_values, labels, strict=True))
    parts = [] if same_card and stored.title_length == entry.title_length else ["card"]
    if said != wanted or stored.numbered != len(wanted):
        parts.append("facets")
    if stored.mapped != len(wanted):
        parts.append("filter map")
    return parts


def _label(facet: str, label: str) -> str:
    """Of several spellings of a name any may be the one that is shown."""
    return "" if facet in NAMES else label
