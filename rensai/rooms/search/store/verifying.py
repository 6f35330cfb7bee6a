"""SQL by which a shelf is compared with what it should be."""

from collections.abc import Mapping, Sequence

import msgspec

from rensai.kit.db import Command, Reads, Tx
from rensai.rooms.search.model import Shelf
from rensai.rooms.search.store.shelves import commands, queries


class Stored(msgspec.Struct, frozen=True):
    """What a shelf really says of a story."""

    story_id: int
    title_length: int
    facet_types: list[str]
    facet_values: list[str]
    labels: list[str]
    numbered: int
    """How many numbers of values its entry has, those of nothing among them."""

    mapped: int
    """How many of its values the filter map has."""


_IDS_BETWEEN = queries(
    """
    SELECT story_id FROM SHELF.search_index
    WHERE story_id > $1 AND story_id <= $2
    """,
    int,
)
_STORED = queries(
    """
    SELECT
        entry.story_id, entry.title_length,
        coalesce(array_agg(named.facet_type) FILTER (WHERE named.id IS NOT NULL), '{}')
            AS facet_types,
        coalesce(array_agg(named.facet_value) FILTER (WHERE named.id IS NOT NULL), '{}')
            AS facet_values,
        coalesce(array_agg(named.label) FILTER (WHERE named.id IS NOT NULL), '{}') AS labels,
        cardinality(entry.facets) AS numbered,
        count(mapped.value_id) AS mapped
    FROM SHELF.search_index AS entry
    LEFT JOIN LATERAL unnest(entry.facets) AS own (value_id) ON true
    LEFT JOIN SHELF.facet_values AS named ON named.id = own.value_id
    LEFT JOIN SHELF.filter_map AS mapped
        ON mapped.value_id = own.value_id AND mapped.story_id = entry.story_id
    WHERE entry.story_id = ANY($1::bigint [])
    GROUP BY entry.story_id
    """,
    Stored,
)
_OTHER_WORDS = queries(
    """
    SELECT wanted.story_id
    FROM unnest($1::bigint [], $2::text []) AS wanted (story_id, words)
    LEFT JOIN SHELF.search_words AS had ON had.story_id = wanted.story_id
    WHERE had.words IS DISTINCT FROM wanted.words::tsvector
    """,
    int,
)
_UNHEARD_OF = queries(
    """
    SELECT told.word FROM unnest($1::text []) AS told (word)
    LEFT JOIN SHELF.search_vocabulary AS known ON known.word = told.word
    WHERE known.word IS NULL
    """,
    str,
)
# A row that says it is as it should be would be left alone.
_DISTRUST = commands(
    """
    UPDATE SHELF.search_index SET digest = '', words_digest = ''
    WHERE story_id = ANY($1::bigint [])
    """
)
_DROP_STRAYS = commands(
    """
    DELETE FROM SHELF.search_words AS stray
    WHERE story_id = ANY($1::bigint []) AND NOT EXISTS (
        SELECT FROM SHELF.search_index AS entry WHERE entry.story_id = stray.story_id
    )
    """
)
_DROP_MAPPED = commands("DELETE FROM SHELF.filter_map WHERE story_id = ANY($1::bigint [])")
_STRAY_MAPPED = queries(
    """
    SELECT DISTINCT mapped.story_id
    FROM SHELF.filter_map AS mapped
    LEFT JOIN SHELF.search_index AS entry ON entry.story_id = mapped.story_id
    WHERE entry.story_id IS NULL OR mapped.value_id <> ALL(entry.facets)
    ORDER BY mapped.story_id
    """,
    int,
)
_STRAY_WORDS = queries(
    """
    SELECT had.story_id FROM SHELF.search_words AS had
    LEFT JOIN SHELF.search_index AS entry ON entry.story_id = had.story_id
    WHERE entry.story_id IS NULL
    """,
    int,
)
_OTHER_GENERATION = Command("UPDATE search_state SET generation = generation + 1")
_FORGET_FACETS = commands(
    "UPDATE SHELF.search_index SET facets = '{}' WHERE story_id = ANY($1::bigint [])"
)


async def ids_between(reads: Reads, shelf: Shelf, after: int, to: int) -> list[int]:
    """The stories on the shelf in a range of ids."""
    return await reads.all(_IDS_BETWEEN[shelf], after, to)


async def stored(reads: Reads, shelf: Shelf, story_ids: Sequence[int]) -> list[Stored]:
    return await reads.all(_STORED[shelf], list(story_ids))


async def other_words(reads: Reads, shelf: Shelf, words: Mapping[int, str]) -> list[int]:
    """The stories whose words are not these."""
    return await reads.all(_OTHER_WORDS[shelf], list(words), list(words.values()))


async def unheard_of(reads: Reads, shelf: Shelf, words: Sequence[str]) -> list[str]:
    """Those of the words that misspelt ones are not compared with."""
    return await reads.all(_UNHEARD_OF[shelf], list(words))


async def stray_mapped(reads: Reads, shelf: Shelf) -> list[int]:
    """The stories of which the filter map says what their entries do not."""
    return await reads.all(_STRAY_MAPPED[shelf])


async def stray_words(reads: Reads, shelf: Shelf) -> list[int]:
    """The stories that have words and no entry."""
    return await reads.all(_STRAY_WORDS[shelf])


async def all_anew(tx: Tx) -> None:
    """Have every process make its picture anew, whatever the journal has told it."""
    await tx.run(_OTHER_GENERATION)


async def distrust(tx: Tx, shelf: Shelf, story_ids: Sequence[int]) -> None:
    """Let the next refresh write these anew, whatever they say of themselves."""
    ids = list(story_ids)
    await tx.run(_DISTRUST[shelf], ids)
    await tx.run(_DROP_STRAYS[shelf], ids)
    await tx.run(_DROP_MAPPED[shelf], ids)
    await tx.run(_FORGET_FACETS[shelf], ids)
