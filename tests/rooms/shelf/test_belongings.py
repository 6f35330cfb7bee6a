"""What a reader takes along comes back as it was, here and elsewhere."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec
import pytest

from rensai.kit.db import Reads
from rensai.rooms.readers.door import Belongings, User
from rensai.rooms.shelf.service.belongings import BELONGINGS
from tests.rooms.shelf.desk import API, NOVEL, Desk, Json, Reader
from tests.rooms.shelf.rows import all_of, recount_waits

pytestmark = pytest.mark.anyio


async def lines_of(reads: Reads, belongings: Belongings, user_id: int) -> list[bytes]:
    """The file of an archive."""
    return [msgspec.json.encode(row) async for row in belongings.rows(reads, user_id)]


async def archive_of(desk: Desk, reader: Reader) -> dict[str, list[bytes]]:
    await reader.ask(f"{NOVEL}/me/library")  # what was read is written by then
    reads = desk.rig.db.primary
    return {one.name: await lines_of(reads, one, reader.id) for one in BELONGINGS}


async def restore(desk: Desk, user: User, name: str, lines: Sequence[bytes]) -> int:
    (belongings,) = (one for one in BELONGINGS if one.name == name)
    assert belongings.restore is not None
    async with desk.rig.db.transaction() as tx:
        return await belongings.restore(tx, user, lines, desk.rig.clock.now())


@pytest.fixture
async def archive(desk: Desk, ada: Reader) -> dict[str, list[bytes]]:
    """What ada has after some reading."""
    await ada.keep(desk.stories["s3"], 2, notify_new_chapter=False)
    for name in ("s1 1", "s1 2", "s2 4"):
        desk.rig.clock.advance(timedelta(minutes=1))
        await ada.read(desk.chapters[name], scroll=0.5)
    done = {"chapterId": str(desk.chapters["s2 3"].uid), "pageNumber": 9, "completed": True}
    desk.rig.clock.advance(timedelta(minutes=1))
    await ada.client.post(f"{API}/progress", json=done)
    status = {"seriesId": str(desk.stories["s2"].uid), "status": "on_hold"}
    await ada.client.post(f"{API}/library", json=status)
    return await archive_of(desk, ada)


async def test_lines_name_things_as_another_server_does(
    desk: Desk, archive: dict[str, list[bytes]]
) -> None:
    assert {name: len(lines) for name, lines in archive.items()} == {
        "progress": 2,
        "bookmarks": 3,
        "history": 4,
    }
    now = desk.rig.clock.now().isoformat().replace("+00:00", "Z")
    place = {"source": "truyen", "slug": "s2", "title": "S2", "number": 3.0, "language": "vi"}
    assert msgspec.json.decode(archive["progress"][1]) == place | {
        "scroll_position": None,
        "page_number": 9,
        "updated_at": now,
    }
    read: list[Json] = [msgspec.json.decode(line) for line in archive["history"]]
    (done,) = (one for one in read if one["completed"])
    assert done == place | {
        "read_at": now,
        "completed": True,
        "scroll_position": None,
        "page_number": 9,
        "updated_at": now,
    }
    kept: list[Json] = [msgspec.json.decode(line) for line in archive["bookmarks"]]
    assert {one["slug"]: one["status"] for one in kept} == {
        "s1": "following",
        "s2": "on_hold",
        "s3": "plan_to_read",
    }
    assert kept[2]["notify_new_chapter"] is False


async def test_what_was_taken_along_is_the_same_for_another_account(
    desk: Desk, ada: Reader, ben: Reader, archive: dict[str, list[bytes]]
) -> None:
    user = ben.user
    for _ in range(2):  # twice is once
        for name, lines in archive.items():
            assert await restore(desk, user, name, lines) == len(lines)
        assert await all_of(desk, ben) == await all_of(desk, ada)
        assert await archive_of(desk, ben) == archive
    assert await recount_waits(desk, desk.stories["s1"])


async def test_the_newer_of_two_wins(
    desk: Desk, ada: Reader, archive: dict[str, list[bytes]]
) -> None:
    user = ada.user
    desk.rig.clock.advance(timedelta(minutes=1))
    await ada.read(desk.chapters["s1 4"], scroll=0.1)
    await ada.keep(desk.stories["s3"], 1)
    before = await all_of(desk, ada)
    for name, lines in archive.items():
        await restore(desk, user, name, lines)
    assert await all_of(desk, ada) == before
    newer = msgspec.json.decode(archive["bookmarks"][2])
    newer["updated_at"] = (desk.rig.clock.now() + timedelta(days=9)).isoformat()  # counts as now
    desk.rig.clock.advance(timedelta(minutes=1))
    assert await restore(desk, user, "bookmarks", [msgspec.json.encode(newer)]) == 1
    (item,) = (await ada.ask(f"{NOVEL}/me/library", bookmark_status=2))["items"]
    told = datetime.fromisoformat(item["bookmark"]["updated_at"])
    assert told == desk.rig.clock.now()


async def test_lines_that_are_none_and_stories_that_are_not_here_are_passed_over(
    desk: Desk, ben: Reader, archive: dict[str, list[bytes]]
) -> None:
    user = ben.user
    for name, lines in archive.items():
        good = msgspec.json.decode(lines[0])
        other = [
            *(b"", b"{", b"null", b"[]", b'"x"', b"\xff", b"[" * 100_000),
            *(
                msgspec.json.encode(good | wrong)
                for wrong in (
                    {"source": "never"},
                    {"slug": "a\0b"},
                    {"slug": ""},
                    {"slug": "x" * 192},
                    {"updated_at": "2026-01-01T00:00:00"},
                    {"updated_at": 7},
                    {"title": "x" * 1001},
                )
            ),
            b'{"source": "\\ud800"}',
        ]
        if name != "bookmarks":
            other += [
                msgspec.json.encode(good | wrong)
                for wrong in (
                    {"number": 99},
                    {"number": 1e300},
                    {"number": "1"},
                    {"language": "xx"},
                    {"scroll_position": 2},
                    {"page_number": 0},
                )
            ]
        assert await restore(desk, user, name, other) == 0
        assert await restore(desk, user, name, [*other, lines[0]]) == 1
        assert await restore(desk, user, name, []) == 0


async def test_times_that_cannot_be_are_brought_within_bounds(
    desk: Desk, ben: Reader, archive: dict[str, list[bytes]]
) -> None:
    user = ben.user
    for name, lines in archive.items():
        line = msgspec.json.decode(lines[0])
        for moment in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"):
            times = {key: moment for key in line if key.endswith("_at")}
            assert await restore(desk, user, name, [msgspec.json.encode(line | times)]) == 1
    (item,) = (await ben.ask(f"{NOVEL}/me/library", type="reading"))["items"]
    assert datetime.fromisoformat(item["updated_at"]) == desk.rig.clock.now()


async def test_what_nobody_may_read_is_not_taken_along(
    desk: Desk, ada: Reader, ben: Reader, archive: dict[str, list[bytes]]
) -> None:
    await desk.hide("s2")
    left = await archive_of(desk, ada)
    assert {name: len(lines) for name, lines in left.items()} == {
        "progress": 1,
        "bookmarks": 2,
        "history": 2,
    }
    assert not any(b"s2" in line for lines in left.values() for line in lines)
    user = ben.user
    taken = {name: await restore(desk, user, name, lines) for name, lines in archive.items()}
    assert taken == {"progress": 1, "bookmarks": 2, "history": 2}


async def test_lines_about_the_same_thing_end_in_the_newest(
    desk: Desk, ben: Reader, archive: dict[str, list[bytes]]
) -> None:
    user = ben.user
    old, new = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")
    read = msgspec.json.decode(archive["history"][0])
    twice = [
        msgspec.json.encode(read | {"updated_at": new, "read_at": None, "page_number": 7}),
        msgspec.json.encode(read | {"updated_at": old, "read_at": old, "page_number": 3}),
    ]
    assert await restore(desk, user, "history", twice) == 2
    (item,) = (await archive_of(desk, ben))["history"]
    told = msgspec.json.decode(item)
    assert (told["page_number"], told["updated_at"], told["read_at"]) == (7, new, old)
    kept = msgspec.json.decode(archive["bookmarks"][0])
    both = [
        msgspec.json.encode(kept | {"updated_at": new, "status": "dropped"}),
        msgspec.json.encode(kept | {"updated_at": old, "status": "favorite"}),
    ]
    assert await restore(desk, user, "bookmarks", both) == 2
    (line,) = (await archive_of(desk, ben))["bookmarks"]
    assert msgspec.json.decode(line)["status"] == "dropped"
