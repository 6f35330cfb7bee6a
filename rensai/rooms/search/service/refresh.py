"""Keeping entries true: the one way by which anything gets onto a shelf.

Whoever writes holds the state, reads the catalogue and writes, in this order and in one
transaction. So entries are never older than what a writer before has written, and the numbers of
the journal are in the order in which processes come to see them.
"""

from collections.abc import Iterable, Mapping, Sequence

from rensai.kit.clock import Clock
from rensai.kit.db import Reads, Tx
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import StoryFacts
from rensai.rooms.search.adapters.parameters import NAMES
from rensai.rooms.search.model import Change, Entry, Shelf
from rensai.rooms.search.service.entries import entry_of
from rensai.rooms.search.store import state as states
from rensai.rooms.search.store import writing as store
from rensai.rooms.search.store.writing import Interned, Known, Written


async def refresh_stories(tx: Tx, clock: Clock, story_ids: Sequence[int]) -> int:
    """Bring the entries of these stories up to date, and of their translations; how many changed.

    It may run twice or late: what is written is what the catalogue says now.
    """
    state = await states.hold(tx)
    live = Shelf(state.live)
    facts = await _with_translations(tx, live, story_ids)
    entries = {story.id: entry_of(story) for story in facts if story.is_visible}
    wanted = {*story_ids, *(story.id for story in facts)}
    changes = await put(tx, live, wanted, entries)
    told = list(changes)
    if state.building_frozen is not None:
        # The shelf being built may say otherwise even where the live one said this all along.
        same = wanted - {one.story_id for one in changes}
        told += [Change(story_id, [], []) for story_id in sorted(same)]
    elif state.building is not None:
        await put(tx, Shelf(state.building), wanted, entries)
    if told:
        await states.note(tx, told, clock.now())
    return len(changes)


async def read_entries(reads: Reads, story_ids: Sequence[int]) -> dict[int, Entry]:
    """The entries that these stories should have; a story that nobody may see has none."""
    facts = await catalogue.facts_of(reads, story_ids)
    return {story.id: entry_of(story) for story in facts if story.is_visible}


async def put(
    tx: Tx, shelf: Shelf, story_ids: Iterable[int], entries: Mapping[int, Entry]
) -> list[Change]:
    """Make the shelf say this of these stories and nothing else; the state is held."""
    known = await store.known(tx, shelf, list(story_ids))
    gone = [one for id_, one in known.items() if id_ not in entries]
    if gone:
        await store.remove(tx, shelf, gone)
    different = [
        entry
        for id_, entry in entries.items()
        if (was := known.get(id_)) is None
        or (was.digest, was.words_digest) != (entry.digest, entry.words_digest)
    ]
    changes = [Change(one.story_id, one.facets, []) for one in gone]
    if different:
        written = await _write(tx, shelf, different, known, Remembered())
        changes += [_change(one, known.get(one.entry.card.story_id)) for one in written]
    return changes


class Remembered:
    """What a shelf is known to have already, for who fills all of it without interruption."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, str], Interned] = {}
        self.words: set[str] = set()


async def put_new(tx: Tx, shelf: Shelf, entries: Sequence[Entry], remembered: Remembered) -> None:
    """Put entries on a shelf that has none of these stories; the state is held."""
    if entries:
        await _write(tx, shelf, entries, {}, remembered)


async def _write(
    tx: Tx,
    shelf: Shelf,
    entries: Sequence[Entry],
    known: Mapping[int, Known],
    remembered: Remembered,
) -> list[Written]:
    written = await _interned(tx, shelf, entries, remembered.numbers)
    await store.write(tx, shelf, written, known)
    words = {word for entry in entries for word in entry.vocabulary} - remembered.words
    await store.add_vocabulary(tx, shelf, sorted(words))
    remembered.words |= words
    return written


def _change(one: Written, was: Known | None) -> Change:
    before, after = set(was.facets if was else ()), set(one.facets)
    return Change(one.entry.card.story_id, sorted(before - after), sorted(after - before))


async def _interned(
    tx: Tx, shelf: Shelf, entries: Sequence[Entry], numbers: dict[tuple[str, str], Interned]
) -> list[Written]:
    """The entries with the numbers that their facet values have on the shelf."""
    labels = {(one.facet, one.value): one.label for entry in entries for one in entry.facets}
    missing = {key: label for key, label in labels.items() if key not in numbers}
    if missing:
        numbers |= await store.intern(tx, shelf, missing)
    renamed = {
        number.id: label
        for key, label in missing.items()
        if (number := numbers[key]).label != label and number.facet not in NAMES
    }
    if renamed:
        await store.relabel(tx, shelf, renamed)
    return [
        Written(entry, sorted(numbers[one.facet, one.value].id for one in entry.facets))
        for entry in entries
    ]


async def _with_translations(tx: Tx, live: Shelf, story_ids: Sequence[int]) -> list[StoryFacts]:
    """The stories, and those whose count of translations depends on them, before and now."""
    facts = await catalogue.facts_of(tx, story_ids)
    groups = {story.translation_group for story in facts} - {None}
    groups |= set(await store.groups(tx, live, story_ids))
    if not groups:
        return facts
    told = await catalogue.translations_of(tx, [group for group in groups if group is not None])
    others = {one.story_id for one in told} - set(story_ids)
    return [*facts, *await catalogue.facts_of(tx, sorted(others))]
