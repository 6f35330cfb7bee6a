"""The index is built anew while others read and write, and is true when it goes live."""

import asyncio
from datetime import timedelta

import pytest

from rensai.kit.db import Command
from rensai.rooms.catalogue.door import link_translations, unlink_translation
from rensai.rooms.search.errors import BeingBuilt
from rensai.rooms.search.model import LAYOUT
from rensai.rooms.search.service.rebuild import Rebuild
from rensai.rooms.search.service.upkeep import keep_whole
from tests.rooms.catalogue.incoming import story
from tests.rooms.search.building import Meanwhile, SlowRebuild, once, state_of
from tests.rooms.search.library import Library

pytestmark = pytest.mark.anyio

NAMES = ("s1", "s2", "s3", "s4", "s5")
_PRUNE = Command("DELETE FROM search_journal")
_OTHER_RELEASE = Command("UPDATE search_state SET layout = 0")
_AGE = Command("UPDATE search_journal SET changed_at = changed_at - interval '1 hour'")


@pytest.fixture
async def five(library: Library) -> Library:
    """A library with five stories that are found by one word."""
    await library.add(*(story(name, title=f"Dao {name}", status=1) for name in NAMES))
    return library


async def is_true(library: Library) -> None:
    assert (await state_of(library)).building is None
    assert await library.drift() == []


class Writes:
    """What others write while the index is built."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._minute = 0

    async def change(self, name: str, title: str) -> None:
        self._minute += 1
        sent = story(name, self._minute, title=title, status=1)
        await self.library.shelf.stories(sent)

    async def change_each(self) -> None:
        for name in NAMES:
            await self.change(name, f"Dao {name} again")

    async def change_each_and_hear(self) -> None:
        await self.change_each()
        await self.library.settle()

    async def remove_and_add(self) -> None:
        self._minute += 1
        gone = [story(name, self._minute, deleted=True) for name in ("s1", "s3", "s5")]
        await self.library.shelf.stories(*gone)
        await self.library.add(*(story(name, title="Dao", status=1) for name in ("s0", "s6")))

    async def join_and_part(self) -> None:
        ids = [await self.library.id_of(name) for name in NAMES]
        async with self.library.db.transaction() as tx:
            await link_translations(tx, ids)
        await self.library.settle()
        async with self.library.db.transaction() as tx:
            await unlink_translation(tx, ids[0])

    async def sort(self) -> None:
        await self.library.describe("s2", tags=["new"], age_rating="teen")
        await self.library.define("era")
        await self.library.assign("s4", "era", "Tang")
        await self.library.settle()


WRITES = ["change_each", "change_each_and_hear", "remove_and_add", "join_and_part", "sort"]
PHASES = ["read", "frozen", "indexed"]


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("write", WRITES)
async def test_what_is_written_meanwhile_is_on_the_new_shelf(
    five: Library, phase: str, write: str
) -> None:
    meanwhile: Meanwhile = getattr(Writes(five), write)
    assert await SlowRebuild(five, **{phase: once(meanwhile)}).run() in {5, 6}
    await five.settle()
    await is_true(five)


@pytest.mark.parametrize("phase", PHASES)
async def test_what_was_changed_and_changed_back_is_as_it_was(five: Library, phase: str) -> None:
    """The new shelf reads what the live one has not heard of, and never will."""
    writes = Writes(five)
    await five.rig.work()
    await writes.change("s1", "Passing")
    await writes.change("s5", "Passing")

    async def back() -> None:
        for name in ("s1", "s5"):
            await writes.change(name, f"Dao {name}")
        await five.rig.work()

    await SlowRebuild(five, **{phase: once(back)}).run()
    assert await five.drift() == []
    assert await five.find("passing") == []


async def test_readers_see_the_old_index_until_the_new_one_is_whole(five: Library) -> None:
    before = await state_of(five)

    async def look() -> None:
        state = await state_of(five)
        assert (state.live, state.generation) == (before.live, before.generation)
        assert len(await five.find("dao")) == 5

    await SlowRebuild(five, read=look, frozen=look, indexed=look).run()
    after = await state_of(five)
    assert (after.live != before.live, after.generation) == (True, before.generation + 1)
    await five.settle()
    assert len(await five.find("dao")) == 5
    await is_true(five)


async def test_of_two_who_build_at_once_one_goes_on_and_the_other_says_so(five: Library) -> None:
    other = Rebuild(five.db, five.clock, "other")

    async def try_too() -> None:
        with pytest.raises(BeingBuilt):
            await other.run()
        with pytest.raises(BeingBuilt):
            await other.run(from_start=True)

    assert await SlowRebuild(five, read=try_too, frozen=try_too, indexed=try_too).run() == 5
    await is_true(five)
    outcomes = await asyncio.gather(
        *(Rebuild(five.db, five.clock, f"b{number}", batch=1).run() for number in range(4)),
        return_exceptions=True,
    )
    assert 5 in outcomes
    assert all(one == 5 or isinstance(one, BeingBuilt) for one in outcomes), outcomes
    await five.settle()
    await is_true(five)


class Stopped(Exception):
    """Stands for whatever ends a builder."""


async def stop() -> None:
    raise Stopped


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("from_start", [False, True])
async def test_a_rebuild_that_was_interrupted_goes_on(
    five: Library, phase: str, *, from_start: bool
) -> None:
    with pytest.raises(Stopped):
        await SlowRebuild(five, **{phase: stop}).run()
    assert (await state_of(five)).building is not None
    await Writes(five).change_each_and_hear()
    await five.shelf.stories(story("s1", 9, deleted=True))
    await five.rig.work()
    seen: list[int] = []
    builder = Rebuild(five.db, five.clock, "next", seen.append, batch=2)
    count = await builder.run(from_start=from_start)
    assert count == (5 if not from_start and phase != "read" else 4)
    assert seen[0] == (0 if from_start or phase == "read" else 5)
    await five.settle()
    await is_true(five)
    assert set(await five.find("again")) == set(NAMES) - {"s1"}


async def test_who_takes_over_does_not_undo_and_who_was_away_does_not_go_on(five: Library) -> None:
    async def be_away() -> None:
        five.clock.advance(timedelta(minutes=2))
        assert await Rebuild(five.db, five.clock, "next").run() == 5

    with pytest.raises(BeingBuilt):
        await SlowRebuild(five, read=once(be_away)).run()
    await five.settle()
    await is_true(five)


async def test_a_shelf_that_missed_news_is_begun_anew(five: Library) -> None:
    with pytest.raises(Stopped):
        await SlowRebuild(five, indexed=stop).run()
    await Writes(five).change_each_and_hear()
    async with five.db.transaction() as tx:
        await tx.run(_PRUNE)
    assert await Rebuild(five.db, five.clock, "next").run() == 5
    await five.settle()
    assert len(await five.find("again")) == 5
    await is_true(five)


async def test_news_stays_as_long_as_a_builder_may_want_it(five: Library) -> None:
    writes = Writes(five)

    async def tidy_up() -> None:
        await writes.change_each_and_hear()
        async with five.db.transaction() as tx:
            await tx.run(_AGE)
        await keep_whole(five.db, five.clock, "upkeep")

    await SlowRebuild(five, frozen=tidy_up).run()
    await five.settle()
    assert len(await five.find("again")) == 5
    await is_true(five)
    state = await state_of(five)
    five.clock.advance(timedelta(hours=1))
    await keep_whole(five.db, five.clock, "upkeep")
    async with five.db.transaction() as tx:
        assert await tx.run(_PRUNE) == 0
    assert state.layout == LAYOUT


async def test_an_index_of_another_release_is_built_by_itself(five: Library) -> None:
    async with five.db.transaction() as tx:
        await tx.run(_OTHER_RELEASE)
    before = await state_of(five)
    await keep_whole(five.db, five.clock, "upkeep")
    await keep_whole(five.db, five.clock, "upkeep")
    after = await state_of(five)
    assert (after.layout, after.generation) == (LAYOUT, before.generation + 1)
    await is_true(five)
