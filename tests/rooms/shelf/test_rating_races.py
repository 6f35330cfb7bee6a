"""Many rate at once, are counted meanwhile, and the figures come out right."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.kit.clock import SetClock
from rensai.kit.db import Database, DatabaseSettings, Query
from rensai.rooms.catalogue.door import StoriesCounted, recount_due, touch_recount
from rensai.rooms.catalogue.store import recounts
from rensai.rooms.shelf.door import count_opinions
from rensai.rooms.shelf.errors import RatingNotFound
from rensai.rooms.shelf.model.ratings import NO_RATINGS, Summary
from rensai.rooms.shelf.service import ratings as service
from rensai.wiring.subscriptions import SUBSCRIPTIONS
from tests.rig import this_moment
from tests.rooms.catalogue.stories import add_story

pytestmark = pytest.mark.anyio

STORIES = 4
RATERS = 8
TURNS = 30

_CROWD = Query(
    """
    INSERT INTO users (uid, username, email, password_hash, display_name)
    SELECT gen_random_uuid(), 'crowd-' || n, 'crowd-' || n || '@example.com', '', 'Crowd'
    FROM generate_series(1, $1::int) AS n
    RETURNING id
    """,
    int,
)
_STORIES = Query("SELECT id FROM stories ORDER BY id", int)


class Figures(msgspec.Struct, frozen=True):
    """What a story tells of its ratings, and what the ratings say."""

    id: int
    average: Decimal | None
    count: int
    distribution: list[int]
    scores: list[int]


_FIGURES = Query(
    """
    SELECT stories.id, rating_avg AS average, rating_count AS count,
        coalesce(distribution, array_fill(0, ARRAY[10])) AS distribution,
        ARRAY(SELECT score FROM ratings WHERE story_id = stories.id)::integer [] AS scores
    FROM stories LEFT JOIN rating_summaries ON story_id = stories.id
    ORDER BY stories.id
    """,
    Figures,
)
_WAITING = Query("SELECT count(*) AS waiting FROM recount_queue", int)


@pytest.fixture
async def wide(database_url: str) -> AsyncIterator[Database]:
    """A database that many may ask at once."""
    settings = DatabaseSettings(primary_url=database_url, pool_size=12)
    opened = await Database.open(settings, subscriptions=SUBSCRIPTIONS)
    yield opened
    await opened.close()


async def people_and_stories(database: Database) -> tuple[list[int], list[int]]:
    for number in range(STORIES):
        await add_story(database, f"s{number}")
    async with database.transaction() as tx:
        people = await tx.all(_CROWD, RATERS)
    return people, await database.primary.all(_STORIES)


async def opine(database: Database, clock: SetClock, user_id: int, stories: list[int]) -> None:
    """Rate, change one's mind and take back, again and again."""
    chance = random.Random(user_id)  # noqa: S311 - a mind to be changed
    for _ in range(TURNS):
        story_id = chance.choice(stories)
        async with database.transaction() as tx:
            if chance.random() < 0.8:
                score = chance.randint(1, 10)
                await service.rate(tx, clock, user_id, story_id, score=score)
            else:
                try:
                    await service.take_back(tx, clock, user_id, story_id)
                except RatingNotFound:
                    continue


async def count_all_the_time(database: Database, clock: SetClock, name: str) -> None:
    while True:
        clock.advance(timedelta(minutes=2))
        await recount_due(database, clock, worker=name)
        await asyncio.sleep(0)


async def test_raters_and_counters_never_block_each_other_and_every_rating_counts(
    wide: Database,
) -> None:
    clock = this_moment()
    people, stories = await people_and_stories(wide)
    counters = [asyncio.create_task(count_all_the_time(wide, clock, f"c{n}")) for n in range(2)]
    async with asyncio.timeout(60):
        await asyncio.gather(*(opine(wide, clock, one, stories) for one in people))
    for counter in counters:
        assert not counter.done(), counter
        counter.cancel()
    await asyncio.gather(*counters, return_exceptions=True)
    clock.advance(timedelta(minutes=10))  # what was claimed and given up is due again
    while await recount_due(wide, clock, worker="last"):
        pass
    assert await wide.primary.first(_WAITING) == 0
    figures = await wide.primary.all(_FIGURES)
    assert sum(one.count for one in figures) > 0
    for one in figures:
        assert one.count == len(one.scores)
        assert one.distribution == [Counter(one.scores)[score] for score in range(1, 11)]
        assert one.average == exact_average(one.scores)


async def test_a_rating_that_is_being_given_holds_up_no_count_and_is_in_the_next(
    wide: Database,
) -> None:
    clock = this_moment()
    (user, other, *_), (story_id, *_) = await people_and_stories(wide)
    async with wide.transaction() as tx:
        await service.rate(tx, clock, user, story_id, score=10)
    clock.advance(timedelta(minutes=2))
    async with wide.transaction() as tx:
        await service.rate(tx, clock, other, story_id, score=2)
        async with asyncio.timeout(5):
            assert await asyncio.create_task(recount_due(wide, clock, worker="early")) == 0
    assert await recount_due(wide, clock, worker="late") == 1
    (figures, *_) = await wide.primary.all(_FIGURES)
    assert (figures.average, figures.count) == (Decimal(6), 2)


async def test_a_rating_given_during_a_count_waits_for_another_count(wide: Database) -> None:
    clock = this_moment()
    (user, *_), (story_id, *_) = await people_and_stories(wide)
    async with wide.transaction() as tx:
        await touch_recount(tx, clock, story_id)
    async with wide.transaction() as tx:  # as a count does
        await recounts.lock_stories(tx, [story_id])
        touched = await recounts.lock_queue(tx, [story_id])
        await count_opinions(tx, StoriesCounted([story_id]))
        rating = asyncio.create_task(rate_once(wide, clock, user, story_id))
        await asyncio.sleep(0.2)
        assert not rating.done(), "or its touch would be taken out with the others"
        await recounts.finish(tx, touched)
    await rating
    assert await wide.primary.first(_WAITING) == 1
    clock.advance(timedelta(minutes=2))
    await recount_due(wide, clock, worker="next")
    (figures, *_) = await wide.primary.all(_FIGURES)
    assert figures.count == 1


async def rate_once(database: Database, clock: SetClock, user: int, story_id: int) -> None:
    async with database.transaction() as tx:
        await service.rate(tx, clock, user, story_id, score=7)


async def test_the_same_reader_on_two_devices_has_one_rating(wide: Database) -> None:
    clock = this_moment()
    (user, *_), (story_id, *_) = await people_and_stories(wide)

    async def rate(score: int) -> None:
        async with wide.transaction() as tx:
            await service.rate(tx, clock, user, story_id, score=score)

    await asyncio.gather(*(rate(score) for score in range(1, 11)))
    (figures, *_) = await wide.primary.all(_FIGURES)
    assert len(figures.scores) == 1


def exact_average(scores: list[int]) -> Decimal | None:
    if not scores:
        return None
    return (Decimal(sum(scores)) / len(scores)).quantize(Decimal("0.01"), ROUND_HALF_UP)


@given(st.lists(st.integers(1, 10), max_size=200))
def test_a_summary_says_what_its_ratings_say(scores: list[int]) -> None:
    spread = [scores.count(score) for score in range(1, 11)]
    summary = Summary(spread) if scores else NO_RATINGS
    assert summary.count == len(scores)
    assert summary.average == exact_average(scores)
