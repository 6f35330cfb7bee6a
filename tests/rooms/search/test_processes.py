"""Processes that search one database answer the same, whatever they have missed."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from rensai.kit.clock import SetClock
from rensai.kit.db import Command, Database
from rensai.rooms.catalogue.door import Genre, StoryFacts
from rensai.rooms.search.model import Change, Filters, Found, Question, Sort
from rensai.rooms.search.service.finding import find
from rensai.rooms.search.service.index import Index
from rensai.rooms.search.service.rebuild import Rebuild
from rensai.rooms.search.service.suggest import suggest
from rensai.rooms.search.store import state as states
from tests.rooms.catalogue.incoming import story
from tests.rooms.search.facts import facts, shelve
from tests.rooms.search.library import Library

pytestmark = pytest.mark.anyio

_PRUNE = Command("DELETE FROM search_journal")
AT_ONCE = 0.06
"""A look at the journal serves for a moment."""


@pytest.fixture
async def indexes(database: Database) -> AsyncIterator[list[Index]]:
    """Those of three processes, of which the third has not been asked yet."""
    indexes = [Index(), Index(), Index()]
    for index in indexes[:2]:
        await index.standing(database.primary)
    yield indexes
    for index in indexes:
        await index.close()


async def same(database: Database, indexes: list[Index], question: Question) -> Found:
    """What all of them say, and they say the same."""
    await asyncio.sleep(AT_ONCE)
    found = [await find(database.primary, index, question) for index in indexes]
    plain = [[hit.card.story_id for hit in one.hits] for one in found]
    assert plain == plain[:1] * len(plain)
    told = [(one.total, one.facets, one.corrected) for one in found]
    assert told == told[:1] * len(told)
    suggested = [await suggest(database.primary, index, question.text, 9) for index in indexes]
    assert suggested == suggested[:1] * len(suggested)
    return found[0]


def dao(id_: int, **told: object) -> StoryFacts:
    return facts(id_, **{"title": f"Dao {id_}", "authors": ["Ann"], **told})


ASKED = [
    Question("dao", counts=True, limit=50),
    Question("", counts=True, limit=50),
    Question("da", counts=True, limit=50, sort=Sort.WORDS),
    Question("dao", Filters({"genre": ("a",)}), counts=True, limit=50),
]


async def ids(database: Database, indexes: list[Index]) -> list[set[int]]:
    told = [await same(database, indexes, question) for question in ASKED]
    return [{hit.card.story_id for hit in one.hits} for one in told]


async def test_a_change_is_known_to_each_process_at_its_next_question(
    database: Database, clock: SetClock, indexes: list[Index]
) -> None:
    assert await ids(database, indexes) == [set(), set(), set(), set()]
    await shelve(database, clock, [dao(1), dao(2, genres=[Genre("a", "A")])])
    assert await ids(database, indexes) == [{1, 2}, {1, 2}, {1, 2}, {2}]
    await shelve(database, clock, {1: dao(1, genres=[Genre("a", "A")]), 2: dao(2, title="Other")})
    assert await ids(database, indexes) == [{1}, {1, 2}, {1}, {1}]
    await shelve(database, clock, {1: None, 3_000: dao(3_000, word_count=9)})
    assert await ids(database, indexes) == [{3000}, {2, 3000}, {3000}, set()]


async def test_a_process_that_has_missed_news_makes_its_picture_anew(
    database: Database, clock: SetClock, indexes: list[Index]
) -> None:
    await shelve(database, clock, [dao(1), dao(2)])
    await ids(database, indexes[1:])
    await shelve(database, clock, {1: None, 3: dao(3)})
    async with database.transaction() as tx:
        await tx.run(_PRUNE)
    await shelve(database, clock, {4: dao(4)})
    await made_anew(database, indexes)
    assert (await ids(database, indexes))[0] == {2, 3, 4}


async def made_anew(database: Database, indexes: list[Index]) -> None:
    """Ask until each has a picture of the last change and of this generation."""
    wanted = await states.read(database.primary)
    async with asyncio.timeout(5):
        for index in indexes:
            while True:
                picture = (await index.standing(database.primary)).picture
                if (picture.generation, picture.last_change) == (
                    wanted.generation,
                    wanted.last_change,
                ):
                    break
                await asyncio.sleep(AT_ONCE)


async def test_more_changes_than_one_look_reads_are_not_lost(
    database: Database, clock: SetClock, indexes: list[Index]
) -> None:
    await shelve(database, clock, [dao(1), dao(2)])
    await ids(database, indexes[1:])
    async with database.transaction() as tx:
        await states.hold(tx)
        await states.note(tx, [Change(1, [], [])] * 6_000, clock.now())
    await shelve(database, clock, {1: None, 3: dao(3)})
    await made_anew(database, indexes)
    assert (await ids(database, indexes))[0] == {2, 3}


async def test_another_generation_is_taken_up_by_every_process(
    library: Library, indexes: list[Index]
) -> None:
    await library.add(*(story(f"s{n}", title=f"Dao {n}", status=1) for n in range(3)))
    await ids(library.db, indexes)
    for number in range(3):
        await library.shelf.stories(story("s0", 5 + number, title=f"Other {number}", status=1))
        await Rebuild(library.db, library.clock, "tests").run()
        await made_anew(library.db, indexes)
        (found,) = (await same(library.db, indexes, Question(f"other {number}"))).hits
        assert found.card.title == f"Other {number}"
        await library.settle()
    assert await library.drift() == []


async def test_a_word_of_very_many_stories_is_kept_and_stays_true(
    database: Database, clock: SetClock, indexes: list[Index]
) -> None:
    many = 1_100
    await shelve(
        database, clock, [dao(number, authors=[f"Ann {number}"]) for number in range(1, many)]
    )
    question = Question("dao", counts=True, limit=1)
    begun = Question("author:an", limit=1)
    for asked in (question, question, Question("ann", limit=1)):
        assert (await same(database, indexes, asked)).total == many - 1
    for step in range(1, 4):
        await shelve(
            database,
            clock,
            {
                step: None,
                10 + step: dao(10 + step, title="Khac", authors=[]),
                many + step: dao(many + step),
            },
        )
        assert (await same(database, indexes, question)).total == many - 1 - step
        assert (await same(database, indexes, Question("-dao", limit=50))).total == step
        assert (await same(database, indexes, Question("ann", limit=1))).total == many - 1 - step
    assert (await same(database, indexes, begun)).total > 0


async def test_whoever_asks_while_it_changes_gets_the_whole_of_one_moment(
    database: Database, clock: SetClock
) -> None:
    index, count, going = Index(), 60, True
    genres = [[Genre("a", "A")], [Genre("b", "B")]]
    await shelve(database, clock, [dao(id_, genres=genres[0]) for id_ in range(1, count + 1)])

    async def change() -> None:
        nonlocal going
        for turn in range(1, 25):
            some = range(1 + turn % 7, count + 1, 1 + turn % 5)
            await shelve(database, clock, [dao(id_, genres=genres[turn % 2]) for id_ in some])
            await asyncio.sleep(0.01)
        going = False

    async def ask(text: str) -> None:
        asked = 0
        question = Question(text, counts=True, limit=50)
        while going:
            found = await find(database.replica, index, question)
            told = {value.value: value.count for value in found.facets["genre"].values}
            assert (found.total, sum(told.values()), len(found.hits)) == (count, count, 50)
            assert len({hit.card.story_id for hit in found.hits}) == 50
            asked += 1
            await asyncio.sleep(0)
        assert asked > 5

    await asyncio.gather(change(), *(ask(text) for text in ("", "dao", "ann", "da")))
