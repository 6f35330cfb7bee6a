"""SQL by which stories are found by their words."""

from collections.abc import Sequence

import msgspec

from rensai.kit.db import Query, Reads
from rensai.rooms.search.model import Shelf
from rensai.rooms.search.store.shelves import queries


class Matching(msgspec.Struct, frozen=True):
    """The stories that one query for words finds."""

    query: str
    story_ids: list[int]


# The words lie in TOAST, out of the way: a story that the index names need not be looked into.
MATCHING = queries(
    """
    SELECT wanted.query, found.story_ids
    FROM unnest($1::text []) AS wanted (query)
    CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(story_id), '{}') AS story_ids
        FROM SHELF.search_words WHERE words @@ wanted.query::tsquery
    ) AS found
    """,
    Matching,
)
IN_VOCABULARY = queries(
    "SELECT word FROM SHELF.search_vocabulary WHERE word = ANY($1::text [])", str
)
_SIMILAR = Query("SELECT search_similar($1, $2) AS word", str)


async def matching(reads: Reads, shelf: Shelf, wanted: Sequence[str]) -> list[Matching]:
    """What each of these queries finds; they are well-formed."""
    return await reads.all(MATCHING[shelf], list(wanted))


async def in_vocabulary(reads: Reads, shelf: Shelf, words: Sequence[str]) -> list[str]:
    """Those of the words that stand in some title or name."""
    return await reads.all(IN_VOCABULARY[shelf], list(words))


async def similar(reads: Reads, shelf: Shelf, word: str) -> list[str]:
    """Words of titles and names that share trigrams with this one, the most first."""
    return await reads.all(_SIMILAR, shelf.value, word)
