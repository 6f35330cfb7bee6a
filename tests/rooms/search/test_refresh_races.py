"""Whoever writes an entry has read the catalogue last, however many write at once."""

import asyncio

import pytest

from rensai.kit.db import Query
from rensai.rooms.catalogue.door import IncomingStory
from rensai.rooms.search.service.refresh import refresh_stories
from rensai.rooms.search.store import state as states
from tests.rooms.catalogue.incoming import story
from tests.rooms.search.library import Library

pytestmark = pytest.mark.anyio

_WAITING = Query("SELECT count(*) AS waiting FROM pg_locks WHERE NOT granted", int)


@pytest.fixture
async def one(library: Library) -> Library:
    await library.add(story("s1", title="Number 0", status=1))
    return library


async def refresh(library: Library, *names: str) -> None:
    ids = [await library.id_of(name) for name in names]
    async with library.db.transaction() as tx:
        await refresh_stories(tx, library.clock, ids)


async def somebody_waits(library: Library) -> None:
    async with asyncio.timeout(3):
        while not await library.db.primary.first(_WAITING):  # noqa: ASYNC110 - a table tells
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("last", [story("s1", 1, title="Number 1"), story("s1", 1, deleted=True)])
async def test_a_refresh_that_began_before_a_change_and_ends_after_it_writes_the_change(
    one: Library, last: IncomingStory
) -> None:
    story_id = await one.id_of("s1")
    held, changed = asyncio.Event(), asyncio.Event()

    async def refresh_meanwhile() -> None:
        async with one.db.transaction() as tx:
            await states.hold(tx)
            held.set()
            await changed.wait()
            await refresh_stories(tx, one.clock, [story_id])

    late = asyncio.create_task(refresh_meanwhile())
    await held.wait()
    early = asyncio.create_task(refresh(one, "s1"))
    await somebody_waits(one)
    await one.shelf.stories(last)
    changed.set()
    await late
    await early
    assert await one.drift() == []


async def test_of_many_changes_and_refreshes_at_once_the_last_change_stands(one: Library) -> None:
    async def change(number: int) -> None:
        await one.shelf.stories(story("s1", number, title=f"Number {number}", status=1))
        await refresh(one, "s1")

    for start in range(1, 40, 8):
        numbers = range(start, start + 8)
        await asyncio.gather(*map(change, numbers), *(refresh(one, "s1") for _ in range(4)))
        await one.settle()
        (item,) = (await one.ask("number"))["items"]
        assert item["title"] == f"Number {numbers[-1]}"
    assert await one.drift() == []


async def test_two_who_refresh_many_stories_in_other_orders_both_end(one: Library) -> None:
    names = [f"n{number}" for number in range(20)]
    await one.shelf.stories(*(story(name, status=1, genres=["A", "B"]) for name in names))
    await asyncio.gather(
        *(refresh(one, *(reversed(names) if turn % 2 else names)) for turn in range(6))
    )
    assert await one.drift() == []
