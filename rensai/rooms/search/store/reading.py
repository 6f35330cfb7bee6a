"""SQL by which a process gets its picture of a shelf, and the cards that it shows."""

from collections.abc import Sequence

import msgspec

from rensai.kit.db import Reads
from rensai.rooms.search.model import Card, Shelf
from rensai.rooms.search.store.shelves import queries

_NUMBERS = """
    story_id,
    (extract(epoch FROM updated_at) * 1000000)::bigint AS updated,
    (extract(epoch FROM coalesce(published_at, created_at)) * 1000000)::bigint AS newest,
    (popularity_score * 10000)::bigint AS popular,
    (coalesce(rating_avg, 0) * 100)::bigint AS rating,
    chapter_count AS chapters,
    word_count AS words,
    title_length,
    (is_nsfw OR coalesce(age_rating = 'explicit', false)) AS adult"""


class Numbers(msgspec.Struct, frozen=True):
    """What stories are put in order by: for each story, one number in every list."""

    story_id: list[int]
    updated: list[int]
    newest: list[int]
    popular: list[int]
    rating: list[int]
    chapters: list[int]
    words: list[int]
    title_length: list[int]
    adult: list[bool]


class Members(msgspec.Struct, frozen=True):
    """The stories that have a facet value."""

    value_id: int
    story_ids: list[int]


class ValueRow(msgspec.Struct, frozen=True):
    """A facet value by its number."""

    id: int
    facet: str
    value: str
    label: str


class WordsOf(msgspec.Struct, frozen=True):
    """All words of a story, as they are compared."""

    story_id: int
    words: list[str]


def _lists(where: str) -> str:
    """The numbers as one row of lists, which is read many times faster than many rows."""
    names = [field.name for field in msgspec.structs.fields(Numbers)]
    lists = ", ".join(f"coalesce(array_agg({name}), '{{}}') AS {name}" for name in names)
    return f"SELECT {lists} FROM (SELECT {_NUMBERS} FROM SHELF.search_index {where}) AS part"


PART = queries(_lists("WHERE story_id > $1 ORDER BY story_id LIMIT $2"), Numbers)
SOME = queries(_lists("WHERE story_id = ANY($1::bigint [])"), Numbers)
MEMBERS = queries(
    """
    SELECT value_id, array_agg(story_id) AS story_ids
    FROM SHELF.filter_map
    WHERE value_id > $1 AND value_id <= $2
    GROUP BY value_id
    """,
    Members,
)
VALUES = queries(
    """
    SELECT id, facet_type AS facet, facet_value AS value, label
    FROM SHELF.facet_values WHERE id > $1 ORDER BY id LIMIT $2
    """,
    ValueRow,
)
SOME_VALUES = queries(
    """
    SELECT id, facet_type AS facet, facet_value AS value, label
    FROM SHELF.facet_values WHERE id = ANY($1::integer [])
    """,
    ValueRow,
)
WORDS_OF = queries(
    """
    SELECT story_id, tsvector_to_array(words) AS words
    FROM SHELF.search_words WHERE story_id = ANY($1::bigint [])
    """,
    WordsOf,
)
_CARD_COLUMNS = ", ".join(field.name for field in msgspec.structs.fields(Card))
CARDS = queries(
    f"SELECT {_CARD_COLUMNS} FROM SHELF.search_index WHERE story_id = ANY($1::bigint [])", Card
)


async def numbers_after(reads: Reads, shelf: Shelf, after: int, limit: int) -> Numbers:
    """The numbers of the next stories by id."""
    return await reads.first(PART[shelf], after, limit) or _NO_NUMBERS


async def numbers_of(reads: Reads, shelf: Shelf, story_ids: Sequence[int]) -> Numbers:
    """The numbers of those of the stories that are on the shelf."""
    return await reads.first(SOME[shelf], list(story_ids)) or _NO_NUMBERS


async def members(reads: Reads, shelf: Shelf, after: int, to: int) -> list[Members]:
    """Who has the facet values with these numbers."""
    return await reads.all(MEMBERS[shelf], after, to)


async def values_after(reads: Reads, shelf: Shelf, after: int, limit: int) -> list[ValueRow]:
    return await reads.all(VALUES[shelf], after, limit)


async def values_of(reads: Reads, shelf: Shelf, ids: Sequence[int]) -> list[ValueRow]:
    return await reads.all(SOME_VALUES[shelf], list(ids))


async def words_of(reads: Reads, shelf: Shelf, story_ids: Sequence[int]) -> list[WordsOf]:
    return await reads.all(WORDS_OF[shelf], list(story_ids))


async def cards(reads: Reads, shelf: Shelf, story_ids: Sequence[int]) -> dict[int, Card]:
    """The stories as they are shown; one that is gone is absent."""
    return {card.story_id: card for card in await reads.all(CARDS[shelf], list(story_ids))}


_NO_NUMBERS = Numbers([], [], [], [], [], [], [], [], [])
