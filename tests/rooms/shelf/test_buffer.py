"""What readers send is kept until it is written, written once, and the newest wins."""

import asyncio
import random
from collections.abc import AsyncIterator
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.kit.db import Command, Database, DatabaseSettings
from rensai.kit.errors import RateLimited, Unavailable
from rensai.rooms.shelf.model import Step
from rensai.rooms.shelf.service.buffer import MOST_OF_ONE, ProgressBuffer
from rensai.rooms.shelf.service.unwritten import Unwritten
from tests.rig import open_database
from tests.rooms.shelf.desk import Desk, Reader
from tests.rooms.shelf.rows import Rows, all_of, nothing_waits, recount_waits

pytestmark = pytest.mark.anyio

NEVER = timedelta(hours=1)
NOON = datetime.fromisoformat("2026-05-04T12:00:00Z")

_TRIGGER = Command(
    """
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.page_number = 666 THEN
            RAISE EXCEPTION 'no' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END
    $$
    """
)
_REFUSE = Command(
    """
    CREATE TRIGGER refuse BEFORE INSERT ON reading_progress
    FOR EACH ROW EXECUTE FUNCTION refuse()
    """
)
_REMOVE_CHAPTER = Command("DELETE FROM chapters WHERE id = $1")
_REMOVE_STORY = Command("DELETE FROM stories WHERE id = $1")
_HOLD = Command("LOCK TABLE reading_progress IN ACCESS EXCLUSIVE MODE")


@pytest.fixture
async def other(database_url: str) -> AsyncIterator[Database]:
    """The same database, as another process has it open."""
    opened = await open_database(database_url)
    yield opened
    await opened.close()


def a_step(
    desk: Desk,
    reader: Reader,
    name: str,
    minutes: float = 0,
    *,
    page: int | None = None,
    completed: bool | None = None,
) -> Step:
    chapter = desk.chapters[name]
    number = float(name.partition(" ")[2])
    at = NOON + timedelta(minutes=minutes)
    return Step(reader.id, chapter.story_id, chapter.id, number, None, page, completed, at)


def a_buffer(desk: Desk, db: Database | None = None, **more: int) -> ProgressBuffer:
    return ProgressBuffer(db or desk.rig.db, desk.rig.clock, NEVER, **more)


async def test_what_was_accepted_is_written_in_one_go(desk: Desk, ada: Reader) -> None:
    buffer = a_buffer(desk)
    for name, minutes in (("s1 1", 0), ("s1 2", 1), ("s2 4", 2), ("s1 1", 3)):
        buffer.accept(ada.id, [a_step(desk, ada, name, minutes)])
    assert len(buffer) == 3
    assert await all_of(desk, ada) == Rows([], [], [])
    assert await buffer.flush()
    assert len(buffer) == 0
    rows = await all_of(desk, ada)
    assert [(row.chapter_no, row.updated_at) for row in rows.progress] == [
        (1.0, NOON + timedelta(minutes=3)),
        (4.0, NOON + timedelta(minutes=2)),
    ]
    assert len(rows.history) == 3
    assert [row.status for row in rows.bookmarks] == [0, 0]
    assert await recount_waits(desk, desk.stories["s1"])  # it has a follower now
    await nothing_waits(desk)
    buffer.accept(ada.id, [a_step(desk, ada, "s1 1", 4)])
    assert await buffer.flush()
    assert not await recount_waits(desk, desk.stories["s1"])


async def test_the_newest_wins_in_whichever_order_it_is_written(
    desk: Desk, ada: Reader, other: Database
) -> None:
    """Two devices over two processes: what a phone read offline comes after what was read since."""
    here, there = a_buffer(desk), a_buffer(desk, other)
    here.accept(ada.id, [a_step(desk, ada, "s1 3", 10, page=3)])
    there.accept(ada.id, [a_step(desk, ada, "s1 2", 5, completed=True)])
    there.accept(ada.id, [a_step(desk, ada, "s1 3", 5, page=1, completed=True)])
    assert await here.flush()
    assert await there.flush()
    rows = await all_of(desk, ada)
    (progress,) = rows.progress
    assert (progress.chapter_no, progress.updated_at) == (3.0, NOON + timedelta(minutes=10))
    third = next(row for row in rows.history if row.chapter_id == desk.chapters["s1 3"].id)
    assert (third.page_number, third.completed) == (3, True)
    assert third.read_at == third.updated_at == NOON + timedelta(minutes=10)


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3), st.sampled_from([None, True]))))
def test_the_order_of_arrival_decides_only_between_equal_times(
    sent: list[tuple[int, int, bool | None]],
) -> None:
    steps = [
        Step(1, 1, chapter, chapter, None, number, done, NOON + timedelta(minutes=at))
        for number, (chapter, at, done) in enumerate(sent)
    ]
    shuffled = sorted(steps, key=lambda step: (step.at, step.page_number or 0))
    assert Unwritten(steps).stories == Unwritten(shuffled).stories
    for chapter, step in Unwritten(steps).chapters.items():
        newest = max(
            (one for one in steps if one.chapter_id == chapter),
            key=lambda one: (one.at, one.page_number or 0),
        )
        assert (step.at, step.page_number) == (newest.at, newest.page_number)
        assert step.completed == (
            True if any(one.completed for one in steps if one.chapter_id == chapter) else None
        )


async def test_processes_that_write_the_same_rows_do_not_get_in_a_circle(
    desk: Desk, ada: Reader, ben: Reader, other: Database
) -> None:
    chance = random.Random(7)  # noqa: S311 - the same each time
    names = list(desk.chapters)
    for turn in range(25):
        buffers = [a_buffer(desk), a_buffer(desk, other), a_buffer(desk)]
        for buffer in buffers:
            for reader in chance.sample([ada, ben], 2):
                for name in chance.sample(names, 8):
                    buffer.accept(reader.id, [a_step(desk, reader, name, turn)])
        assert await asyncio.gather(*(buffer.flush() for buffer in buffers)) == [True] * 3
    for reader in (ada, ben):
        assert len((await all_of(desk, reader)).progress) == 3


async def test_while_the_database_is_away_everything_is_kept(
    desk: Desk, ada: Reader, database_url: str
) -> None:
    away = await open_database(database_url)
    await away.close()
    buffer = a_buffer(desk, away)
    buffer.accept(ada.id, [a_step(desk, ada, "s1 1", 1, page=1)])
    assert not await buffer.flush()
    with pytest.raises(Unavailable):
        await buffer.settle(ada.id)
    buffer.accept(ada.id, [a_step(desk, ada, "s1 1", 2, page=2), a_step(desk, ada, "s2 1")])
    assert not await buffer.flush()
    assert len(buffer) == 2
    assert buffer.chapters_of(ada.id)[desk.chapters["s1 1"].id].page_number == 2
    buffer._db = desk.rig.db  # pyright: ignore[reportPrivateUsage] - it is back
    assert await buffer.flush()
    assert len(buffer) == 0
    rows = await all_of(desk, ada)
    assert [row.page_number for row in rows.progress] == [2, None]


async def test_what_comes_while_a_write_fails_is_the_later_of_the_two(
    desk: Desk, ada: Reader, other: Database, database_url: str
) -> None:
    hasty = await Database.open(
        DatabaseSettings(database_url, lock_timeout=timedelta(milliseconds=200))
    )
    buffer = a_buffer(desk, hasty)
    buffer.accept(ada.id, [a_step(desk, ada, "s1 1", 1, page=1), a_step(desk, ada, "s1 2", 1)])
    async with other.transaction() as tx:
        await tx.run(_HOLD)
        flushing = asyncio.create_task(buffer.flush())
        await asyncio.sleep(0.05)
        buffer.accept(ada.id, [a_step(desk, ada, "s1 1", 2, page=2), a_step(desk, ada, "s2 1")])
        assert not await flushing
    assert len(buffer) == 3
    assert await buffer.flush()
    assert len(buffer) == 0
    await hasty.close()
    rows = await all_of(desk, ada)
    assert [row.page_number for row in rows.progress] == [2, None]
    assert len(rows.history) == 3


async def test_what_waits_is_bounded(desk: Desk, ada: Reader, ben: Reader) -> None:
    buffer = a_buffer(desk, most=3)
    buffer.accept(ada.id, [a_step(desk, ada, "s1 1"), a_step(desk, ada, "s1 2")])
    with pytest.raises(Unavailable) as refused:
        buffer.accept(ben.id, [a_step(desk, ben, "s1 1"), a_step(desk, ben, "s1 2")])
    assert refused.value.headers["Retry-After"] == "3600"
    assert buffer.chapters_of(ben.id) == {}  # all of it or nothing
    buffer.accept(ben.id, [a_step(desk, ben, "s1 1")])
    assert len(buffer) == 3
    assert await buffer.flush()
    buffer.accept(ben.id, [a_step(desk, ben, "s1 2")])


async def test_one_reader_cannot_fill_what_is_there_for_all(
    desk: Desk, ada: Reader, ben: Reader
) -> None:
    buffer = a_buffer(desk)
    many = [
        Step(ada.id, 1, number, 1, None, None, None, NOON) for number in range(1, MOST_OF_ONE + 1)
    ]
    buffer.accept(ada.id, many)
    with pytest.raises(RateLimited):
        buffer.accept(ada.id, [a_step(desk, ada, "s3 4")])
    buffer.accept(ben.id, [a_step(desk, ben, "s1 1")])


async def test_a_chapter_that_is_gone_by_then_holds_up_nothing(
    desk: Desk, ada: Reader, ben: Reader
) -> None:
    buffer = a_buffer(desk)
    buffer.accept(ada.id, [a_step(desk, ada, "s1 1"), a_step(desk, ada, "s2 1")])
    buffer.accept(ben.id, [a_step(desk, ben, "s1 2"), a_step(desk, ben, "s3 1")])
    async with desk.rig.db.transaction() as tx:
        await tx.run(_REMOVE_CHAPTER, desk.chapters["s1 1"].id)
        await tx.run(_REMOVE_STORY, desk.stories["s2"].id)
    assert await buffer.flush()
    assert len(buffer) == 0
    assert [row.story_id for row in (await all_of(desk, ada)).progress] == [desk.stories["s1"].id]
    assert len((await all_of(desk, ben)).progress) == 2


async def test_what_the_database_refuses_is_left_out_alone(
    desk: Desk, ada: Reader, ben: Reader
) -> None:
    async with desk.rig.db.transaction() as tx:
        await tx.run(_TRIGGER)
        await tx.run(_REFUSE)
    buffer = a_buffer(desk)
    buffer.accept(
        ada.id,
        [a_step(desk, ada, "s1 1"), a_step(desk, ada, "s2 1", page=666), a_step(desk, ada, "s3 2")],
    )
    buffer.accept(ben.id, [a_step(desk, ben, "s1 1")])
    assert await buffer.flush()
    assert len(buffer) == 0
    stories = [desk.stories[name].id for name in ("s1", "s3")]
    assert [row.story_id for row in (await all_of(desk, ada)).progress] == stories
    assert len((await all_of(desk, ben)).history) == 1


async def test_who_asks_waits_for_what_is_being_written(
    desk: Desk, ada: Reader, other: Database
) -> None:
    buffer = a_buffer(desk)
    buffer.accept(ada.id, [a_step(desk, ada, "s1 1")])
    async with other.transaction() as tx:
        await tx.run(_HOLD)
        flushing = asyncio.create_task(buffer.flush())
        await asyncio.sleep(0.05)
        buffer.accept(ada.id, [a_step(desk, ada, "s1 2", 1)])
        settling = asyncio.create_task(buffer.settle(ada.id))
        await asyncio.sleep(0.05)
        assert not flushing.done()
        assert not settling.done()
        # Neither what is under way nor what waits is out of sight meanwhile.
        assert set(buffer.chapters_of(ada.id)) == {
            desk.chapters["s1 1"].id,
            desk.chapters["s1 2"].id,
        }
    await settling
    assert await flushing
    (progress,) = (await all_of(desk, ada)).progress
    assert progress.chapter_no == 2.0
    assert len(buffer) == 0


async def test_who_gives_up_waiting_takes_nothing_away(
    desk: Desk, ada: Reader, other: Database
) -> None:
    buffer = a_buffer(desk)
    buffer.accept(ada.id, [a_step(desk, ada, "s1 1")])
    async with other.transaction() as tx:
        await tx.run(_HOLD)
        settling = asyncio.create_task(buffer.settle(ada.id))
        patient = asyncio.create_task(buffer.settle(ada.id))
        await asyncio.sleep(0.05)
        settling.cancel()
        await asyncio.gather(settling, return_exceptions=True)
        assert not patient.done()
    await patient
    assert len((await all_of(desk, ada)).progress) == 1
    await buffer.close()
    assert len((await all_of(desk, ada)).progress) == 1


async def test_it_writes_by_itself_every_few_moments_and_at_its_end(
    desk: Desk, ada: Reader
) -> None:
    buffer = ProgressBuffer(desk.rig.db, desk.rig.clock, timedelta(milliseconds=50))
    buffer.start()
    buffer.accept(ada.id, [a_step(desk, ada, "s1 1")])
    async with asyncio.timeout(10):
        while len(buffer):  # noqa: ASYNC110 - only its size tells
            await asyncio.sleep(0.01)
    assert len((await all_of(desk, ada)).history) == 1
    buffer.accept(ada.id, [a_step(desk, ada, "s1 2")])
    await buffer.close()
    assert len((await all_of(desk, ada)).history) == 2


async def test_more_than_a_statement_takes_is_written_in_parts(
    desk: Desk, ada: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rensai.rooms.shelf.service.buffer.AT_ONCE", 2)
    readers = [ada, *[await desk.reader(f"reader{number}") for number in range(3)]]
    buffer = a_buffer(desk)
    for reader in readers:
        for name in ("s1 1", "s2 1", "s3 1"):
            buffer.accept(reader.id, [a_step(desk, reader, name)])
    assert await buffer.flush()
    assert len(buffer) == 0
    for reader in readers:
        assert len((await all_of(desk, reader)).history) == 3
