"""Aggregates follow the chapters: soon, once for many changes, and whatever happens meanwhile."""

import asyncio
from datetime import timedelta
from decimal import Decimal

import msgspec
import pytest

from rensai.kit.db import Command, Query
from rensai.rooms.catalogue.door import recount_due, recount_story, touch_recounts
from tests.rooms.catalogue.incoming import (
    Shelf,
    chapter,
    stored_chapters,
    stored_stories,
    story,
)

pytestmark = pytest.mark.anyio

MINUTE = timedelta(minutes=1)


class Waiting(msgspec.Struct, frozen=True):
    story_id: int
    touch_count: int
    priority: int


_WAITING = Query(
    "SELECT story_id, touch_count, priority FROM recount_queue ORDER BY story_id", Waiting
)
_RATE = Command("UPDATE stories SET rating_avg = 8, rating_count = 10")
_OVERFLOW = Command(
    """
    ALTER TABLE stories ADD CONSTRAINT no_words CHECK (source_story_id <> 's1' OR word_count = 0)
    """
)
_ABANDON = Command("UPDATE recount_queue SET locked_at = next_run_at, locked_by = 'dead'")
_HEAL = Command("ALTER TABLE stories DROP CONSTRAINT no_words")


async def due(shelf: Shelf, limit: int = 500) -> int:
    return await recount_due(shelf.database, shelf.clock, "tests", limit)


async def waiting(shelf: Shelf) -> list[Waiting]:
    return await shelf.database.primary.all(_WAITING)


async def test_many_touches_of_one_story_wait_as_one_for_a_minute(one_story: Shelf) -> None:
    await due(one_story)
    for number in range(3):
        await one_story.chapters(chapter(number), chapter(number + 10))
    one_story.clock.advance(MINUTE - timedelta(seconds=1))
    assert await due(one_story) == 0
    (row,) = await waiting(one_story)
    assert row.touch_count == 7  # the story itself was one
    one_story.clock.advance(timedelta(seconds=1))
    assert await due(one_story) == 1
    assert await waiting(one_story) == []


async def test_what_can_be_read_is_counted_and_nothing_else(one_story: Shelf) -> None:
    await one_story.chapters(
        chapter(1, text="one two three"),
        chapter(2.5, text="one two"),
        chapter(3, text="hidden words here", is_published=False),
        chapter(4, text="gone"),
    )
    await one_story.chapters(chapter(4, 1, deleted=True))
    one_story.clock.advance(MINUTE)
    await due(one_story)
    found = (await stored_stories(one_story.database.primary))["s1"]
    assert (found.chapter_count, found.word_count) == (2, 5)
    assert found.last_chapter_no == Decimal("2.5")
    assert found.popularity_score == Decimal("0.6001")


async def test_popularity_weighs_chapters_words_and_ratings(one_story: Shelf) -> None:
    await one_story.chapters(chapter(1, text="word " * 500), chapter(2, text="word " * 500))
    async with one_story.database.transaction() as tx:
        await tx.run(_RATE)
    one_story.clock.advance(MINUTE)
    await due(one_story)
    found = (await stored_stories(one_story.database.primary))["s1"]
    # 2 chapters * 0.3 + 1000 words / 10000 * 0.2 + 8 * 10 * 0.5
    assert found.popularity_score == Decimal("40.62")


async def test_figures_that_are_right_leave_the_story_alone(one_story: Shelf) -> None:
    one_story.clock.advance(MINUTE)
    before = (await stored_stories(one_story.database.primary))["s1"]
    assert await due(one_story) == 1
    assert (await stored_stories(one_story.database.primary))["s1"] == before


async def test_other_figures_are_told_once_and_the_same_ones_never(one_story: Shelf) -> None:
    await one_story.chapters(chapter(1))
    one_story.clock.advance(MINUTE)
    await one_story.news()
    await due(one_story)
    story_id = (await stored_stories(one_story.database.primary))["s1"].id
    assert await one_story.news() == [f"StoryRecounted {story_id}"]
    async with one_story.database.transaction() as tx:
        await touch_recounts(tx, one_story.clock, [story_id])
    assert await due(one_story) == 1
    assert await one_story.news() == []
    async with one_story.database.transaction() as tx:
        await tx.run(_RATE)
        await recount_story(tx, story_id)
    assert await one_story.news() == [f"StoryRecounted {story_id}"]


async def test_a_touch_during_the_recount_is_not_lost(one_story: Shelf) -> None:
    """Chapters keep arriving while two workers count without pause."""
    stop = asyncio.Event()

    async def count() -> None:
        while not stop.is_set():
            await due(one_story)

    async def write(first: int) -> None:
        for number in range(first, first + 20):
            await one_story.chapters(chapter(number, text="word"))
            one_story.clock.advance(MINUTE)

    counting = [asyncio.create_task(count()) for _ in range(2)]
    await asyncio.gather(write(100), write(200), write(300))
    stop.set()
    await asyncio.gather(*counting)
    one_story.clock.advance(timedelta(hours=1))
    await due(one_story)
    found = (await stored_stories(one_story.database.primary))["s1"]
    assert (found.chapter_count, found.word_count) == (60, 60)
    assert await waiting(one_story) == []


async def test_a_story_that_cannot_be_counted_waits_alone_and_longer_each_time(
    shelf: Shelf,
) -> None:
    await shelf.stories(story("s1"), story("s2"))
    await shelf.chapters(chapter(1), chapter(1, story="s2"))
    async with shelf.database.transaction() as tx:
        await tx.run(_OVERFLOW)
    shelf.clock.advance(MINUTE)
    assert await due(shelf) == 2
    assert len(await waiting(shelf)) == 1
    assert (await stored_stories(shelf.database.primary))["s2"].chapter_count == 1
    assert await due(shelf) == 0
    shelf.clock.advance(MINUTE)
    assert await due(shelf) == 1  # again after as long as it had waited
    shelf.clock.advance(MINUTE)
    assert await due(shelf) == 0
    async with shelf.database.transaction() as tx:
        await tx.run(_HEAL)
    shelf.clock.advance(MINUTE)
    assert await due(shelf) == 1
    assert (await stored_stories(shelf.database.primary))["s1"].chapter_count == 1


async def test_what_somebody_asks_for_is_counted_first_and_at_once(shelf: Shelf) -> None:
    await shelf.stories(story("s1"), story("s2"))
    stories = await stored_stories(shelf.database.primary)
    shelf.clock.advance(MINUTE)
    async with shelf.database.transaction() as tx:
        found = await touch_recounts(tx, shelf.clock, [stories["s2"].id, 999_999])
    assert found == [stories["s2"].id]
    assert await due(shelf, 1) == 1
    assert [row.story_id for row in await waiting(shelf)] == [stories["s1"].id]


async def test_one_story_can_be_counted_now(one_story: Shelf) -> None:
    await one_story.chapters(chapter(1))
    (stored,) = await stored_chapters(one_story.database.primary)
    async with one_story.database.transaction() as tx:
        assert await recount_story(tx, stored.id)
        assert not await recount_story(tx, 999_999)
    found = (await stored_stories(one_story.database.primary))["s1"]
    assert found.chapter_count == 1


async def test_what_a_worker_took_and_never_counted_is_taken_by_another(one_story: Shelf) -> None:
    one_story.clock.advance(MINUTE)
    async with one_story.database.transaction() as tx:
        await tx.run(_ABANDON)
    assert await due(one_story) == 0
    one_story.clock.advance(timedelta(seconds=121))
    assert await due(one_story) == 1
