"""What is forgotten in time, and all that is forgotten with an account."""

from datetime import timedelta

import pytest

from rensai.kit.db import Command, Query
from rensai.kit.events import emit
from rensai.kit.tasks import enqueue
from rensai.rooms.readers.door import AccountDeleted
from rensai.rooms.shelf.service import history
from rensai.rooms.shelf.tasks import ForgetWhen, forget_when_read
from tests.rooms.shelf.desk import NOVEL, Desk, Reader
from tests.rooms.shelf.rows import Rows, all_of, nothing_waits, recount_waits

pytestmark = pytest.mark.anyio

HISTORY = f"{NOVEL}/me/history"
_WAITING = Query("SELECT entrypoint FROM tasks.pgqueuer WHERE entrypoint LIKE 'shelf.%'", str)
_HURRY = Command("UPDATE tasks.pgqueuer SET execute_after = now() - interval '1 second'")


async def forget_at_night(desk: Desk) -> None:
    async with desk.rig.db.transaction() as tx:
        await enqueue(tx, forget_when_read, ForgetWhen())
    await desk.rig.work()


async def test_after_a_time_it_is_forgotten_when_and_not_that_a_chapter_was_read(
    desk: Desk, ada: Reader
) -> None:
    now = desk.rig.clock.now()
    for name, days in (("s1 1", 100), ("s1 2", 80)):
        await ada.read(desk.chapters[name], at=now - timedelta(days=days))
    await ada.ask(HISTORY)
    await forget_at_night(desk)
    (item,) = (await ada.ask(HISTORY))["items"]
    assert item["chapter_no"] == 2.0
    path = f"{NOVEL}/stories/{desk.stories['s1'].id}/chapters"
    read = [item["is_read"] for item in (await ada.ask(path))["items"]]
    assert read == [True, True, False, False]
    desk.rig.clock.advance(timedelta(days=20))
    await forget_at_night(desk)
    assert (await ada.ask(HISTORY))["items"] == []
    await ada.read(desk.chapters["s1 1"])  # what is read again is told again
    assert [item["chapter_no"] for item in (await ada.ask(HISTORY))["items"]] == [1.0]


async def test_much_is_forgotten_in_batches(
    desk: Desk, ada: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "BATCH", 3)
    for chapter in desk.chapters.values():
        await ada.read(chapter)
    await ada.ask(HISTORY)
    later = desk.rig.clock.now() + timedelta(seconds=1)
    assert await history.forget_when(desk.rig.db, later) == 12
    assert (await ada.ask(HISTORY))["items"] == []
    assert len((await all_of(desk, ada)).history) == 12
    s1 = {"story_id": desk.stories["s1"].id}
    assert (await ada.client.delete(HISTORY, params=s1)).status_code == 204
    assert len((await all_of(desk, ada)).history) == 8
    assert (await ada.client.delete(HISTORY)).status_code == 204
    assert (await all_of(desk, ada)).history == []


async def test_what_an_account_has_goes_with_it_and_nothing_of_others(
    desk: Desk, ada: Reader, ben: Reader
) -> None:
    for reader in (ada, ben):
        for name in ("s1 1", "s2 1"):
            await reader.read(desk.chapters[name])
        await reader.keep(desk.stories["s3"])
    bens = await all_of(desk, ben)
    await nothing_waits(desk)
    async with desk.rig.db.transaction() as tx:
        await emit(tx, AccountDeleted(ada.id))
    await desk.rig.work()
    assert await all_of(desk, ada) == Rows([], [], [])
    assert await all_of(desk, ben) == bens
    assert len(bens.bookmarks) == 3
    assert await recount_waits(desk, desk.stories["s3"])  # it has a follower less
    # A process may have held what the account had sent last: that goes too, a little later.
    await ada.read(desk.chapters["s3 1"])
    await ada.ask(HISTORY)
    assert await desk.rig.db.primary.all(_WAITING) == ["shelf.forget_reader_again"]
    async with desk.rig.db.transaction() as tx:
        await tx.run(_HURRY)
    await desk.rig.work()
    assert await all_of(desk, ada) == Rows([], [], [])
    assert await desk.rig.db.primary.all(_WAITING) == []
