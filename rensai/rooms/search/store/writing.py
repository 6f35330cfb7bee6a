"""SQL that writes entries to a shelf. Whoever calls it holds the state."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

import msgspec

from rensai.kit.db import Reads, Tx
from rensai.rooms.search.model import Card, Entry, Shelf
from rensai.rooms.search.store.shelves import commands, copies, queries


class Known(msgspec.Struct, frozen=True):
    """What a shelf says of a story already."""

    story_id: int
    digest: bytes
    words_digest: bytes
    facets: list[int]


class Interned(msgspec.Struct, frozen=True):
    """A facet value and its number on a shelf."""

    id: int
    facet: str
    value: str
    label: str


class Written(NamedTuple):
    """An entry with the numbers of its facet values, sorted."""

    entry: Entry
    facets: list[int]


_KNOWN = queries(
    """
    SELECT story_id, digest, words_digest, facets FROM SHELF.search_index
    WHERE story_id = ANY($1::bigint [])
    """,
    Known,
)
_GROUPS = queries(
    """
    SELECT DISTINCT translation_group FROM SHELF.search_index
    WHERE story_id = ANY($1::bigint []) AND translation_group IS NOT NULL
    """,
    UUID,
)
_DELETE = commands("DELETE FROM SHELF.search_index WHERE story_id = ANY($1::bigint [])")
_DELETE_WORDS = commands("DELETE FROM SHELF.search_words WHERE story_id = ANY($1::bigint [])")
_DELETE_FACETS = commands(
    """
    DELETE FROM SHELF.filter_map AS had
    USING unnest($1::bigint [], $2::integer []) AS gone (story_id, value_id)
    WHERE had.story_id = gone.story_id AND had.value_id = gone.value_id
    """
)
_CARD = [field.name for field in msgspec.structs.fields(Card)]
_INTO_INDEX = copies("search_index", [*_CARD, "title_length", "facets", "digest", "words_digest"])
_INTO_FILTER_MAP = copies("filter_map", ["value_id", "story_id"])
_INSERT_WORDS = commands(
    """
    INSERT INTO SHELF.search_words (story_id, words)
    SELECT story_id, words::tsvector
    FROM unnest($1::bigint [], $2::text []) AS told (story_id, words)
    """
)
_INSERT_VOCABULARY = commands(
    """
    INSERT INTO SHELF.search_vocabulary (word)
    SELECT word FROM unnest($1::text []) AS told (word) ORDER BY word
    ON CONFLICT DO NOTHING
    """
)
_FIND_VALUES = queries(
    """
    SELECT id, facet_type AS facet, facet_value AS value, label
    FROM SHELF.facet_values
    JOIN unnest($1::text [], $2::text []) AS wanted (facet, value)
        ON facet_type = wanted.facet AND facet_value = wanted.value
    """,
    Interned,
)
_ADD_VALUES = queries(
    """
    INSERT INTO SHELF.facet_values (facet_type, facet_value, label)
    SELECT * FROM unnest($1::text [], $2::text [], $3::text [])
    RETURNING id, facet_type AS facet, facet_value AS value, label
    """,
    Interned,
)
_RELABEL = commands(
    """
    UPDATE SHELF.facet_values SET label = told.label
    FROM unnest($1::integer [], $2::text []) AS told (id, label)
    WHERE facet_values.id = told.id
    """
)


async def known(reads: Reads, shelf: Shelf, story_ids: Sequence[int]) -> dict[int, Known]:
    """What the shelf says of these stories."""
    return {one.story_id: one for one in await reads.all(_KNOWN[shelf], list(story_ids))}


async def groups(reads: Reads, shelf: Shelf, story_ids: Sequence[int]) -> list[UUID]:
    """The groups of translations that the shelf has these stories in."""
    return await reads.all(_GROUPS[shelf], list(story_ids))


async def intern(
    tx: Tx, shelf: Shelf, labels: Mapping[tuple[str, str], str]
) -> dict[tuple[str, str], Interned]:
    """The numbers of these values on the shelf; those that are new get one, and their label."""
    facets, values = (list(column) for column in zip(*labels, strict=True))
    found = await tx.all(_FIND_VALUES[shelf], facets, values)
    known = {(one.facet, one.value): one for one in found}
    missing = [key for key in labels if key not in known]
    if missing:
        added = await tx.all(
            _ADD_VALUES[shelf],
            [facet for facet, _ in missing],
            [value for _, value in missing],
            [labels[key] for key in missing],
        )
        known |= {(one.facet, one.value): one for one in added}
    return known


async def relabel(tx: Tx, shelf: Shelf, labels: Mapping[int, str]) -> None:
    """Give values that were renamed their new names."""
    await tx.run(_RELABEL[shelf], list(labels), list(labels.values()))


async def remove(tx: Tx, shelf: Shelf, gone: Sequence[Known]) -> None:
    """Take stories from the shelf."""
    ids = [one.story_id for one in gone]
    await tx.run(_DELETE[shelf], ids)
    await tx.run(_DELETE_WORDS[shelf], ids)
    await _unmap(tx, shelf, {one.story_id: one.facets for one in gone})


async def write(
    tx: Tx, shelf: Shelf, written: Sequence[Written], known: Mapping[int, Known]
) -> None:
    """Put entries on the shelf, in place of what it knows of the same stories."""
    before = {one.entry.card.story_id: known.get(one.entry.card.story_id) for one in written}
    replaced = [id_ for id_, was in before.items() if was is not None]
    if replaced:
        await tx.run(_DELETE[shelf], replaced)
    await tx.copy(_INTO_INDEX[shelf], [_row(one) for one in written])
    await _write_words(tx, shelf, written, before)
    await _unmap(
        tx,
        shelf,
        {
            one.entry.card.story_id: sorted(set(was.facets) - set(one.facets))
            for one in written
            if (was := before[one.entry.card.story_id]) is not None
        },
    )
    added = [
        (value, one.entry.card.story_id)
        for one in written
        for value in _added(one, before[one.entry.card.story_id])
    ]
    if added:
        await tx.copy(_INTO_FILTER_MAP[shelf], sorted(added))


async def add_vocabulary(tx: Tx, shelf: Shelf, words: Iterable[str]) -> None:
    """Let misspelt words be compared with these too."""
    await tx.run(_INSERT_VOCABULARY[shelf], list(words))


async def _write_words(
    tx: Tx, shelf: Shelf, written: Sequence[Written], before: Mapping[int, Known | None]
) -> None:
    """Most changes leave the words as they are, and those cost the most to write."""
    changed = [
        one.entry
        for one in written
        if (was := before[one.entry.card.story_id]) is None
        or was.words_digest != one.entry.words_digest
    ]
    if not changed:
        return
    ids = [entry.card.story_id for entry in changed]
    if any(before[id_] is not None for id_ in ids):
        await tx.run(_DELETE_WORDS[shelf], ids)
    await tx.run(_INSERT_WORDS[shelf], ids, [entry.words for entry in changed])


async def _unmap(tx: Tx, shelf: Shelf, facets: Mapping[int, Sequence[int]]) -> None:
    gone = [(story_id, value) for story_id, values in facets.items() for value in values]
    if gone:
        ids, values = (list(column) for column in zip(*gone, strict=True))
        await tx.run(_DELETE_FACETS[shelf], ids, values)


def _added(one: Written, was: Known | None) -> Iterable[int]:
    return one.facets if was is None else set(one.facets) - set(was.facets)


def _row(one: Written) -> tuple[object, ...]:
    entry = one.entry
    return (
        *msgspec.structs.astuple(entry.card),
        entry.title_length,
        one.facets,
        entry.digest,
        entry.words_digest,
    )
