"""The index is compared with what it should be, and every difference is named and mended."""

import pytest

from rensai.kit.db import Command
from tests.rooms.catalogue.incoming import story
from tests.rooms.search.library import Answer, Library

pytestmark = pytest.mark.anyio

TAMPERED = {
    "UPDATE SHELF.search_index SET title = 'Other' WHERE story_id = $1": "card",
    "UPDATE SHELF.search_index SET word_count = word_count + 1 WHERE story_id = $1": "card",
    "UPDATE SHELF.search_index SET translation_count = 9 WHERE story_id = $1": "card",
    "UPDATE SHELF.search_index SET title_length = 9 WHERE story_id = $1": "card",
    "UPDATE SHELF.search_index SET facets = facets[2:] WHERE story_id = $1": "facets,filter map",
    "UPDATE SHELF.search_index SET facets = '{}' WHERE story_id = $1": "facets,filter map",
    "UPDATE SHELF.search_index SET facets = facets || 999 WHERE story_id = $1": "facets",
    """
    UPDATE SHELF.facet_values SET label = 'Other' WHERE facet_value = 'action' AND $1 > 0
    """: "facets",
    """
    UPDATE SHELF.facet_values SET facet_value = 'other' WHERE facet_value = 'action' AND $1 > 0
    """: "facets",
    """
    DELETE FROM SHELF.filter_map WHERE story_id = $1 AND value_id IN (
        SELECT id FROM SHELF.facet_values WHERE facet_type = 'genre'
    )
    """: "filter map",
    """
    INSERT INTO SHELF.filter_map (story_id, value_id)
    SELECT $1, id FROM SHELF.facet_values WHERE facet_value = 'completed'
    """: "filter map",
    "DELETE FROM SHELF.search_words WHERE story_id = $1": "words",
    "UPDATE SHELF.search_words SET words = 'x'::tsvector WHERE story_id = $1": "words",
    "UPDATE SHELF.search_words SET words = strip(words) WHERE story_id = $1": "words",
    "DELETE FROM SHELF.search_vocabulary WHERE word = 'first' AND $1 > 0": "vocabulary",
    """
    WITH gone AS (DELETE FROM SHELF.search_words WHERE story_id = $1),
    unmapped AS (DELETE FROM SHELF.filter_map WHERE story_id = $1)
    DELETE FROM SHELF.search_index WHERE story_id = $1
    """: "missing",
    "DELETE FROM SHELF.search_index WHERE story_id = $1": "filter map,missing,words",
}
UNSEEN = "UPDATE SHELF.search_index SET digest = '', words_digest = '' WHERE story_id = $1"


@pytest.fixture
async def two(library: Library) -> Library:
    await library.add(
        story("s1", title="First Dao", status=1, genres=["Action"], author_name="Ann"),
        story("s2", title="Second Dao", status=2, genres=["Drama"], author_name="ANN"),
    )
    await library.define("era")
    await library.assign("s1", "era", "Tang")
    await library.settle()
    assert len(await library.find("dao", author="ann")) == 2
    return library


async def all_of(library: Library) -> Answer:
    """Everything that search says, with facet values that tie in one order."""
    told: Answer = {}
    for text in ("", "dao", "first", "frist", "author:ann", "-first"):
        told[text] = await library.ask(text or None, counts="true")
        for facet in told[text]["facets"].values():
            facet["values"].sort(key=_by_count)
    return told


def _by_count(value: Answer) -> tuple[int, str]:
    return -value["count"], value["value"]


async def tamper(library: Library, statement: str, *arguments: object) -> None:
    async with library.db.transaction() as tx:
        await tx.run(Command(statement.replace("SHELF", await library.live())), *arguments)


@pytest.mark.parametrize("statement", TAMPERED, ids=lambda text: text.strip()[:60])
async def test_each_difference_is_named_and_mended(two: Library, statement: str) -> None:
    assert await two.drift() == []
    before = await all_of(two)
    await tamper(two, statement, await two.id_of("s1"))
    (found,) = await two.drift()
    assert found.story_id == await two.id_of("s1")
    assert ",".join(found.parts) == TAMPERED[statement]
    assert await two.drift() == [found]
    assert await two.drift(repair=True) == [found]
    assert await two.drift() == []
    await two.settle()
    assert await all_of(two) == before


async def test_an_entry_too_many_is_named_and_taken_away(two: Library) -> None:
    before = await all_of(two)
    await tamper(
        two,
        """
        INSERT INTO SHELF.search_index
        SELECT (told.entry).* FROM (
            SELECT jsonb_populate_record(old, '{"story_id": 999}') AS entry
            FROM SHELF.search_index AS old WHERE story_id = $1
        ) AS told
        """,
        await two.id_of("s1"),
    )
    await tamper(
        two, "INSERT INTO SHELF.search_words (story_id, words) VALUES ($1, '''=dao''')", 999
    )
    await tamper(
        two, "INSERT INTO SHELF.search_words (story_id, words) VALUES ($1, '''=dao''')", 1000
    )
    await tamper(two, "INSERT INTO SHELF.filter_map (value_id, story_id) VALUES (1, $1)", 1001)
    found = await two.drift(repair=True)
    assert {one.story_id: one.parts for one in found} == {
        999: ["should not be there"],
        1000: ["words"],
        1001: ["filter map"],
    }
    assert await two.drift() == []
    await two.settle()
    assert await all_of(two) == before


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM search_taxonomies",
        "UPDATE search_taxonomies SET label = 'Other' WHERE facet_type = 'custom:era'",
        "UPDATE search_taxonomies SET is_multiple = NOT is_multiple",
        "INSERT INTO search_taxonomies VALUES ('custom:none', 'None', true)",
    ],
)
async def test_facets_that_are_not_those_of_the_catalogue_are_named_and_mended(
    two: Library, statement: str
) -> None:
    before = await all_of(two)
    await tamper(two, statement)
    (found,) = await two.drift(repair=True)
    assert (found.story_id, found.parts) == (None, ["taxonomies"])
    assert await two.drift() == []
    await two.settle()
    assert await all_of(two) == before


async def test_what_only_looks_changed_is_no_difference(two: Library) -> None:
    await tamper(two, UNSEEN, await two.id_of("s1"))
    assert await two.drift() == []


async def test_what_waits_for_a_worker_is_mended_by_whoever_comes_first(two: Library) -> None:
    await two.shelf.stories(story("s1", 5, title="Third", status=1), story("s3", status=1))
    found = await two.drift(repair=True)
    assert [one.parts for one in found] == [["card", "vocabulary", "words"], ["missing"]]
    assert await two.drift() == []
    await two.settle()
    assert await two.find("third") == ["s1"]
    assert await two.drift() == []
