"""Views and reads: counted once for each visitor, written now and then, never twice."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from rensai.kit.db import Command, Database, Query
from rensai.kit.ids import new_uid
from rensai.kit.recently import Recently
from rensai.kit.redis import RedisLink, open_redis
from rensai.rooms.catalogue.adapters.shared_views import SharedViews
from rensai.rooms.catalogue.door import SAME_VISIT, Flusher, Views
from rensai.rooms.catalogue.model.views import ViewBatch
from rensai.rooms.catalogue.service import views as service
from rensai.rooms.catalogue.service.views import write_batch
from tests.redis_server import PATIENT, RedisServer, redis_server
from tests.rig import Rig
from tests.rooms.catalogue.incoming import NOW, SOURCE, Shelf, chapter, story

pytestmark = pytest.mark.anyio

NOVEL = "/wp-json/novel/v1"


class Counted(msgspec.Struct, frozen=True):
    """What the tables say."""

    views: list[int]
    reads: list[int]


COUNTED = Query(
    """
    SELECT ARRAY(SELECT view_count FROM stories ORDER BY id) AS views,
        ARRAY(SELECT read_count FROM chapters ORDER BY id) AS reads
    """,
    Counted,
)
IDS = Query("SELECT id FROM stories ORDER BY id", int)
CHAPTERS = Query("SELECT id FROM chapters ORDER BY id", int)
UID = Query("SELECT uid::text AS uid FROM chapters ORDER BY id LIMIT 1", str)
FLUSHES = Query("SELECT count(*) AS count FROM view_flushes", int)
HOLD = Query("SELECT id FROM stories WHERE id = $1 FOR UPDATE", int)
READ = Command("UPDATE chapters SET title = title WHERE id = $1")
KILL = Query(
    """
    SELECT pg_terminate_backend(pid) AS gone FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'
    """,
    bool,
)


@pytest.fixture
async def shelf(rig: Rig) -> Shelf:
    """Two stories; the first has two chapters."""
    shelf = Shelf(rig.db)
    await shelf.stories(story("s1", status=1), story("s2", status=1))
    await shelf.chapters(chapter(1), chapter(2))
    return shelf


def counter() -> Views:
    return Views("secret", Recently(SAME_VISIT, cells=1 << 10))


def flusher(views: Views, db: Database, redis: RedisLink | None = None) -> Flusher:
    return Flusher(views, db, Shelf(db).clock, every=300, redis=redis)


async def counted(rig: Rig) -> Counted:
    found = await rig.db.primary.first(COUNTED)
    assert found is not None
    return found


async def test_looking_at_a_story_and_reading_a_chapter_is_counted_over_both_apis(
    rig: Rig, shelf: Shelf
) -> None:
    first, _ = await rig.db.primary.all(CHAPTERS)
    uid = await rig.db.primary.first(UID)
    for address, path in (
        ("10.0.0.1", f"{NOVEL}/stories/{SOURCE}/s1"),
        ("10.0.0.2", f"/api/v1/series/{SOURCE}:s1"),
        ("10.0.0.3", f"{NOVEL}/chapters/{first}"),
        ("10.0.0.4", f"/api/v1/chapters/{uid}"),
    ):
        assert (await rig.visitor(address).get(path)).status_code == 200
    assert await counted(rig) == Counted([0, 0], [0, 0])
    await rig.restart()
    assert await counted(rig) == Counted([2, 0], [2, 0])
    told = (await rig.get(f"{NOVEL}/stories/{SOURCE}/s1")).json()
    assert told["view_count"] == 2


async def test_what_is_no_look_is_not_counted(rig: Rig, shelf: Shelf) -> None:
    first, _ = await rig.db.primary.all(CHAPTERS)
    path = f"{NOVEL}/stories/{SOURCE}/s1"
    assert (await rig.client.head(path)).status_code == 200
    for name in ("Sec-Purpose", "Purpose"):
        await rig.get(path, headers={name: "prefetch;prerender"})
    await rig.get(f"{NOVEL}/stories/{SOURCE}/none")
    await rig.get(f"{NOVEL}/stories/1/chapters")
    await rig.get(f"{NOVEL}/chapters/{first}?include_content=false")
    await rig.restart()
    assert await counted(rig) == Counted([0, 0], [0, 0])


async def test_a_visitor_counts_once_in_half_an_hour(rig: Rig, shelf: Shelf) -> None:
    path = f"{NOVEL}/stories/{SOURCE}/s1"
    tag = (await rig.get(path)).headers["etag"]
    rig.clock.advance(timedelta(minutes=29, seconds=59))
    assert (await rig.get(path, headers={"if-none-match": tag})).status_code == 304
    await rig.get(f"/api/v1/series/{SOURCE}:s1")
    await rig.get(f"{NOVEL}/stories/{SOURCE}/s2")
    await rig.restart()
    assert await counted(rig) == Counted([1, 1], [0, 0])
    rig.clock.advance(timedelta(seconds=2))
    await rig.get(path)
    await rig.get(path, headers={"user-agent": "another browser of the household"})
    await rig.visitor("10.0.0.9").get(path)
    await rig.restart()
    assert await counted(rig) == Counted([4, 1], [0, 0])


async def test_an_account_is_one_visitor_wherever_it_is(rig: Rig, shelf: Shelf) -> None:
    await rig.create_admin()
    path = f"{NOVEL}/stories/{SOURCE}/s1"
    for address in ("10.0.0.1", "10.0.0.2"):
        visitor = await rig.sign_in(rig.visitor(address))
        assert (await visitor.get(f"/api/v1/series/{SOURCE}:s1")).status_code == 200
    await rig.restart()
    assert await counted(rig) == Counted([1, 0], [0, 0])
    await rig.get(path)
    await rig.restart()
    assert await counted(rig) == Counted([2, 0], [0, 0])


async def test_the_same_visitor_is_known_after_a_restart(rig: Rig, shelf: Shelf) -> None:
    await rig.get(f"{NOVEL}/stories/{SOURCE}/s1")
    await rig.restart()
    async with Rig(rig.services, rig.clock) as again:
        await again.get(f"{NOVEL}/stories/{SOURCE}/s1")
    assert await counted(rig) == Counted([1, 0], [0, 0])


async def test_a_batch_counts_once_however_often_it_is_written(rig: Rig, shelf: Shelf) -> None:
    one, two = await rig.db.primary.all(IDS)
    first, second = await rig.db.primary.all(CHAPTERS)
    batch = ViewBatch(new_uid(), {one: 3, two: 1, 10**12: 5}, {first: 2, second: 7})
    outcomes = await asyncio.gather(*(write_batch(rig.db, rig.clock, batch) for _ in range(4)))
    assert sorted(outcomes) == [False, False, False, True]
    assert await counted(rig) == Counted([3, 1], [2, 7])


async def test_a_commit_that_nobody_heard_of_is_tried_again_and_counts_once(
    rig: Rig, shelf: Shelf
) -> None:
    one, _ = await rig.db.primary.all(IDS)
    views = counter()
    views.see_story("a", one, NOW)
    ours = flusher(views, rig.db)
    async with rig.db.transaction() as tx:
        await tx.first(HOLD, one)
        flushing = asyncio.create_task(ours.flush())
        async with asyncio.timeout(10):
            while not await rig.db.primary.first(KILL):  # noqa: ASYNC110 - the server tells
                await asyncio.sleep(0.01)
        assert await flushing is False
        views.see_story("b", one, NOW)
    assert await counted(rig) == Counted([0, 0], [0, 0])
    assert await ours.flush() is True
    assert await ours.flush() is True
    assert await counted(rig) == Counted([2, 0], [0, 0])


async def test_a_flush_that_is_cut_off_goes_on_at_the_next(rig: Rig, shelf: Shelf) -> None:
    one, two = await rig.db.primary.all(IDS)
    views = counter()
    views.see_story("a", one, NOW)
    views.see_story("a", two, NOW)
    ours = flusher(views, rig.db)
    async with rig.db.transaction() as tx:
        await tx.first(HOLD, two)
        flushing = asyncio.create_task(ours.flush())
        await asyncio.sleep(0.1)
        flushing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await flushing
    await ours.close()
    assert await counted(rig) == Counted([1, 1], [0, 0])


async def test_flushes_of_many_processes_and_writers_of_chapters_do_not_deadlock(
    rig: Rig, shelf: Shelf
) -> None:
    stories, chapters = await rig.db.primary.all(IDS), await rig.db.primary.all(CHAPTERS)

    async def flush(order: int) -> None:
        for _ in range(10):
            some = dict.fromkeys(stories[::order], 1)
            await write_batch(
                rig.db, rig.clock, ViewBatch(new_uid(), some, dict.fromkeys(chapters[::order], 1))
            )

    async def receive() -> None:
        for minute in range(1, 11):
            await shelf.chapters(
                chapter(2, minute, text=f"second {minute}"), chapter(1, minute, text=f"{minute}")
            )

    await asyncio.gather(flush(1), flush(-1), receive())
    assert await counted(rig) == Counted([20, 20], [20, 20])


async def test_all_is_counted_when_many_look_while_it_is_written(rig: Rig, shelf: Shelf) -> None:
    one, two = await rig.db.primary.all(IDS)
    views = counter()
    ours = flusher(views, rig.db)

    async def look(who: int) -> None:
        for number in range(50):
            views.see_story(f"{who}", one, NOW + number * SAME_VISIT)
            views.see_story(f"{who}", two, NOW + number * SAME_VISIT)
            await asyncio.sleep(0)

    async def write() -> None:
        for _ in range(10):
            assert await ours.flush()

    await asyncio.gather(*map(look, range(10)), write())
    await ours.close()
    assert await counted(rig) == Counted([500, 500], [0, 0])


async def test_what_is_counted_is_bounded_and_batches_are_small(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST", 2_500)
    views = Views("secret", Recently(SAME_VISIT, cells=1 << 14))
    for number in range(3_000):
        views.see_story("a", number, NOW)
    assert views.size == 2_500
    assert [len(batch.stories) for batch in views.take()] == [1_000, 1_000, 500]
    assert views.size == 0


async def test_ids_of_old_flushes_are_forgotten(rig: Rig, shelf: Shelf) -> None:
    one, _ = await rig.db.primary.all(IDS)
    await write_batch(rig.db, rig.clock, ViewBatch(new_uid(), {one: 1}, {}))
    rig.clock.advance(timedelta(days=31))
    await write_batch(rig.db, rig.clock, ViewBatch(new_uid(), {one: 1}, {}))
    assert await rig.db.primary.first(FLUSHES) == 1


# --- with Redis --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def redis_of_all() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture
async def server(redis_of_all: RedisServer) -> RedisServer:
    redis_of_all.start()
    redis_of_all.cli("flushall")
    return redis_of_all


@asynccontextmanager
async def linked(server: RedisServer, seconds: float = PATIENT) -> AsyncGenerator[RedisLink]:
    async with open_redis(server.url, call_seconds=seconds) as link:
        assert link is not None
        yield link


async def test_processes_hand_over_to_redis_and_any_of_them_writes(
    rig: Rig, shelf: Shelf, server: RedisServer
) -> None:
    one, _ = await rig.db.primary.all(IDS)
    first, second = await rig.db.primary.all(CHAPTERS)
    async with linked(server) as link:
        for who in ("a", "b"):
            views = counter()
            views.see_story(who, one, NOW)
            views.read_chapter(who, first, NOW)
            await flusher(views, rig.db, link).hand_over()
            assert views.size == 0  # what is killed from here on takes nothing with it
        assert await counted(rig) == Counted([0, 0], [0, 0])
        last = counter()
        last.read_chapter("c", second, NOW)
        writers = [flusher(last, rig.db, link), flusher(counter(), rig.db, link)]
        assert await asyncio.gather(*(writer.flush() for writer in writers)) == [True, True]
        await writers[0].flush()
    assert await counted(rig) == Counted([2, 0], [2, 1])
    assert server.cli("keys", "*counts*") == server.cli("keys", "*taken*") == ""


async def test_a_drain_that_was_killed_is_gone_on_with_and_counts_once(
    rig: Rig, shelf: Shelf, server: RedisServer
) -> None:
    one, two = await rig.db.primary.all(IDS)
    async with linked(server) as link:
        views = counter()
        views.see_story("a", one, NOW)
        await flusher(views, rig.db, link).hand_over()
        shared = SharedViews(link, rig.clock)
        taken = await shared.take()  # killed before it wrote
        assert taken is not None
        later = counter()
        later.see_story("a", two, NOW)
        await flusher(later, rig.db, link).hand_over()
        assert await shared.take() == taken
        await write_batch(rig.db, rig.clock, taken)  # killed after it wrote
        assert await flusher(counter(), rig.db, link).flush()
    assert await counted(rig) == Counted([1, 1], [0, 0])


async def test_a_batch_that_redis_may_have_heard_of_is_sent_again_and_counts_once(
    rig: Rig, shelf: Shelf, server: RedisServer
) -> None:
    one, _ = await rig.db.primary.all(IDS)
    async with linked(server, 0.3) as link:
        views = counter()
        ours = flusher(views, rig.db, link)
        views.see_story("a", one, NOW)
        await ours.hand_over()
        views.see_story("b", one, NOW)
        server.hang()
        await ours.hand_over()
        assert link.degraded
        server.go_on()  # and now it does what it was told
        async with asyncio.timeout(10):
            while link.degraded:  # noqa: ASYNC110 - the link looks for it
                await asyncio.sleep(0.02)
        assert await ours.flush()
    assert await counted(rig) == Counted([2, 0], [0, 0])


async def test_while_redis_is_away_processes_write_for_themselves(
    rig: Rig, shelf: Shelf, server: RedisServer
) -> None:
    one, _ = await rig.db.primary.all(IDS)
    async with linked(server, 0.3) as link:
        views = counter()
        ours = flusher(views, rig.db, link)
        server.kill()
        views.see_story("a", one, NOW)
        await ours.flush()
        assert await counted(rig) == Counted([1, 0], [0, 0])
        views.see_story("b", one, NOW)
        await ours.flush()
        assert await counted(rig) == Counted([2, 0], [0, 0])
        server.start()
        async with asyncio.timeout(10):
            while link.degraded:  # noqa: ASYNC110 - the link looks for it
                await asyncio.sleep(0.02)
        views.see_story("c", one, NOW)
        assert await ours.flush()
    assert await counted(rig) == Counted([3, 0], [0, 0])


async def test_a_batch_is_given_up_when_redis_has_forgotten_whether_it_counted(
    rig: Rig, shelf: Shelf, server: RedisServer
) -> None:
    one, _ = await rig.db.primary.all(IDS)
    async with linked(server, 0.3) as link:
        views = counter()
        ours = flusher(views, rig.db, link)
        views.see_story("a", one, NOW)
        await ours.flush()
        views.see_story("b", one, NOW)
        server.hang()
        await ours.hand_over()
        server.kill()
        server.start()
        async with asyncio.timeout(10):
            while link.degraded:  # noqa: ASYNC110 - the link looks for it
                await asyncio.sleep(0.02)
        views.see_story("c", one, NOW)
        assert await ours.flush()
    assert await counted(rig) == Counted([2, 0], [0, 0])


# --- what was seen lately ----------------------------------------------------------------


def test_processes_share_what_was_seen_lately(tmp_path: Path) -> None:
    one, other = (Recently(SAME_VISIT, tmp_path / "run" / "seen", cells=64) for _ in range(2))
    mark = 0xDEADBEEF_12345678
    assert one.note(mark, 1000)
    assert not other.note(mark, 1000 + 1799)
    assert other.note(mark, 1000 + 1800)
    assert (tmp_path / "run" / "seen").stat().st_size == 64 * 8


def test_a_full_memory_forgets_the_oldest_first() -> None:
    recently = Recently(SAME_VISIT, cells=4)
    marks = [number << 24 for number in range(1, 6)]
    assert all(recently.note(mark, 1000 + place) for place, mark in enumerate(marks))
    assert [recently.note(mark, 1010) for mark in marks[1:]] == [False] * 4
    assert recently.note(marks[0], 1010)


def test_a_folder_that_cannot_be_written_is_no_reason_not_to_count(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file, no folder")
    recently = Recently(SAME_VISIT, tmp_path / "run" / "seen", cells=4)
    assert recently.note(1 << 30, 1000)
    assert not recently.note(1 << 30, 1001)
