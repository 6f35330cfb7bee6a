"""What a question asks of a shelf is served by its indexes, however large the shelf is."""

from datetime import timedelta
from typing import Any

import pytest

from rensai.kit.db import Command, Database, Query
from rensai.rooms.search.model import Shelf
from rensai.rooms.search.store import finding, reading, state
from rensai.rooms.search.store.shelves import queries
from tests.plans import assert_served_by_index, nodes, plan_of

pytestmark = pytest.mark.anyio

STORIES = 20_000
A = Shelf.A

_FILL = Command(
    """
    INSERT INTO search_a.search_index
    SELECT
        n, gen_random_uuid(), 'novel', 'truyen', 's' || n, 's' || n, 'Story ' || n, NULL,
        '{}', ARRAY['Author ' || n % 500], '{}', 1, false, NULL, NULL, repeat('word ', 40), 'vi',
        NULL, '{}', '{}', '{}', CASE WHEN n % 9 = 0 THEN md5((n / 90)::text)::uuid END, 0, 0, 0,
        NULL, n % 997, NULL, 0, 0, 0, NULL, now(), now() - n * interval '1 minute', 2,
        ARRAY[n % 50 + 1, n % 500 + 100], '', ''
    FROM generate_series(1, $1::int) AS n
    """
)
_FILL_MAP = Command(
    """
    INSERT INTO search_a.filter_map (value_id, story_id)
    SELECT value_id, story_id FROM search_a.search_index CROSS JOIN unnest(facets) AS value_id
    """
)
_FILL_VALUES = Command(
    """
    INSERT INTO search_a.facet_values (facet_type, facet_value, label)
    SELECT 'author', 'author ' || n, 'Author ' || n FROM generate_series(1, 5000) AS n
    """
)
_FILL_WORDS = Command(
    """
    INSERT INTO search_a.search_words (story_id, words)
    SELECT
        story_id,
        array_to_tsvector(ARRAY[
            '=story', '=w' || story_id, '@author', '@a' || story_id % 500, '~word', '#slow',
            '!story' || story_id, '=m' || story_id % 100
        ])
    FROM search_a.search_index
    """
)
_FILL_VOCABULARY = Command(
    """
    INSERT INTO search_a.search_vocabulary
    SELECT substr(md5(n::text), 1, 5 + n % 8) FROM generate_series(1, 30000) AS n
    ON CONFLICT DO NOTHING
    """
)
_FILL_JOURNAL = Command(
    """
    INSERT INTO search_journal (number, story_id, lost, gained, changed_at)
    SELECT n, n, '{}', '{1}', now() FROM generate_series(1, 20000) AS n
    """
)
_STATE = Command("UPDATE search_state SET last_change = 20000")
_ANALYSE = Command(
    """
    ANALYZE search_a.search_index, search_a.filter_map, search_a.facet_values,
        search_a.search_words, search_a.search_vocabulary, search_journal
    """
)
_SIMILAR = queries(
    """
    SELECT word FROM SHELF.search_vocabulary
    WHERE word % $1 ORDER BY similarity(word, $1) DESC, word LIMIT 40
    """,
    str,
)


@pytest.fixture
async def filled(database: Database) -> Database:
    """A live shelf of many stories, with their words and a long journal."""
    async with database.transaction(timedelta(minutes=2)) as tx:
        await tx.run(_FILL, STORIES)
        for fill in (_FILL_MAP, _FILL_VALUES, _FILL_WORDS, _FILL_VOCABULARY, _FILL_JOURNAL):
            await tx.run(fill)
        await tx.run(_STATE)
        await tx.run(_ANALYSE)
    return database


async def test_what_a_question_asks_reads_no_whole_table(filled: Database) -> None:
    some = list(range(1, STORIES, STORIES // 100))
    asked: list[tuple[Query[Any], list[object], int]] = [  # Any: each has rows of its own
        (reading.CARDS[A], [some], 500),
        (reading.SOME[A], [some], 500),
        (reading.WORDS_OF[A], [some], 500),
        (reading.SOME_VALUES[A], [list(range(1, 5000, 50))], 500),
        (reading.VALUES[A], [2500, 100], 500),
        (reading.PART[A], [STORIES // 2, 400], 500),
        (reading.MEMBERS[A], [200, 205], 500),
        (finding.IN_VOCABULARY[A], [[f"w{number}" for number in range(200)]], 500),
        (
            finding.MATCHING[A],
            [["'=w7'", "'=w77':*", "'@a7'", "'!story19'", "'=m7' <-> '=w7'"]],
            500,
        ),
        (state.NEWS, [19_900, 5000], 500),
        (state.NEWS, [0, 300], 500),
        (state.CHANGED_SINCE, [19_900], 500),
    ]
    async with filled.transaction() as tx:
        for query, arguments, at_most in asked:
            await assert_served_by_index(tx, query, *arguments, at_most=at_most)


async def test_words_are_found_by_their_index_alone(filled: Database) -> None:
    """A story that the index names is not looked into, or its words would be fetched."""
    async with filled.transaction() as tx:
        for word in ("'=story'", "'=m7'", "'=w7':*", "'=nothing'"):
            plan = await plan_of(tx, finding.MATCHING[A], [word])
            used = {node.get("Index Name") for node in nodes(plan)} - {None}
            assert used == {"search_words_found"}, word
            assert not any("Seq Scan" in node["Node Type"] for node in nodes(plan)), word


async def test_misspelt_words_are_compared_through_trigrams(filled: Database) -> None:
    async with filled.transaction() as tx:
        plan = await plan_of(tx, _SIMILAR[A], "c4ca4238")
        used = {node.get("Index Name") for node in nodes(plan)}
        assert "search_vocabulary_like" in used
