"""The library in its order: nothing lost, nothing twice, whatever is read and kept."""

import asyncio
from datetime import datetime, timedelta

import pytest

from rensai.kit.db import Command
from tests.rooms.shelf.desk import API, NOVEL, Desk, Reader

pytestmark = pytest.mark.anyio

LIBRARY = f"{NOVEL}/me/library"
STORIES = 40

_PROGRESS = Command(
    """
    INSERT INTO reading_progress (user_id, story_id, chapter_id, chapter_no, updated_at)
    SELECT $1, id, 1, 1, $2::timestamptz - ((id * 7919 + $3) % 11) * interval '1 minute'
    FROM stories WHERE (id + $3) % 4 > 0
    """
)
_BOOKMARKS = Command(
    """
    INSERT INTO bookmarks (user_id, story_id, status, created_at, updated_at)
    SELECT $1, id, (id + $3) % 6, $2,
        $2::timestamptz - ((id * 104729 + $3) % 13) * interval '1 minute'
    FROM stories WHERE (id + $3) % 5 > 0
    """
)


@pytest.fixture
async def wide(desk: Desk) -> Desk:
    """More stories than a page has; many of them are read and kept at the same minutes."""
    await desk.fill([f"w{number}" for number in range(STORIES - 3)], 1)
    return desk


async def fill(desk: Desk, reader: Reader, seed: int) -> None:
    now = desk.rig.clock.now()
    async with desk.rig.db.transaction() as tx:
        await tx.run(_PROGRESS, reader.id, now, seed)
        await tx.run(_BOOKMARKS, reader.id, now, seed)


def place(item: dict[str, object]) -> tuple[datetime, int]:
    story = item["story"]
    assert isinstance(story, dict)
    return datetime.fromisoformat(str(item["updated_at"])), int(str(story["id"]))  # pyright: ignore[reportUnknownArgumentType]


async def test_what_is_read_and_kept_is_one_item_where_it_was_touched_last(
    wide: Desk, ada: Reader
) -> None:
    for seed in range(4):
        reader = ada if seed == 0 else await wide.reader(f"reader{seed}")
        await fill(wide, reader, seed)
        read = {place(i)[1]: place(i)[0] for i in await reader.every(LIBRARY, 100, type="reading")}
        kept = {
            place(i)[1]: place(i)[0] for i in await reader.every(LIBRARY, 100, type="bookmarks")
        }
        both = {
            id_: max(moment for part in (read, kept) if (moment := part.get(id_)) is not None)
            for id_ in read.keys() | kept.keys()
        }
        assert 25 <= len(read) <= 35
        assert len(read.keys() & kept.keys()) > 15
        expected = sorted(((moment, id_) for id_, moment in both.items()), reverse=True)
        for limit in (1, 3, 7, 100):
            items = await reader.every(LIBRARY, limit)
            assert [place(item) for item in items] == expected
        for item in items:
            assert (item["progress"] is not None) == (place(item)[1] in read)
            assert (item["bookmark"] is not None) == (place(item)[1] in kept)


async def test_every_status_is_a_list_in_order(wide: Desk, ada: Reader) -> None:
    await fill(wide, ada, 1)
    kept = await ada.every(LIBRARY, 100, type="bookmarks")
    assert [place(item) for item in kept] == sorted(map(place, kept), reverse=True)
    for status in range(4):
        expected = [item for item in kept if item["bookmark"]["status"] == status]
        assert len(expected) > 2
        for limit in (2, 100):
            assert await ada.every(LIBRARY, limit, bookmark_status=status) == expected
    words = ("reading", "favorite", "plan_to_read", "dropped", "completed", "on_hold")
    parts = [await ada.every(f"{API}/library", 3, status=word) for word in words]
    assert [{item["status"] for item in part} for part in parts] == [{word} for word in words]
    assert sum(map(len, parts)) == len(await ada.every(f"{API}/library", 7)) == len(kept)


async def test_pages_stay_full_while_stories_are_hidden(wide: Desk, ada: Reader) -> None:
    await fill(wide, ada, 2)
    before = await ada.every(LIBRARY, 100)
    hidden = [f"w{number}" for number in range(30)]
    for name in hidden:
        await wide.hide(name)
    shown = [item for item in before if item["story"]["slug"] not in hidden]
    assert 0 < len(shown) < 11
    for limit in (1, 2, 5, 100):
        assert await ada.every(LIBRARY, limit) == shown
    for name in hidden:
        await wide.hide(name, public=True)
    assert await ada.every(LIBRARY, 9) == before


async def test_a_library_in_which_nothing_can_be_read_is_empty(wide: Desk, ada: Reader) -> None:
    await fill(wide, ada, 3)
    for name in list(wide.stories):
        await wide.hide(name)
    page = await ada.ask(LIBRARY, limit=1)
    assert page == {"items": [], "next_cursor": None, "has_more": False}


async def test_nothing_is_lost_while_somebody_reads_on_between_pages(
    wide: Desk, ada: Reader
) -> None:
    """What is touched moves to the front; all else is met once."""
    await fill(wide, ada, 0)
    before = [place(item)[1] for item in await ada.every(LIBRARY, 100)]
    touched = wide.stories["w36"].id
    seen: list[int] = []
    cursor: dict[str, str] = {}
    while True:
        page = await ada.ask(LIBRARY, limit=5, **cursor)
        seen += [place(item)[1] for item in page["items"]]
        wide.rig.clock.advance(timedelta(seconds=1))
        await asyncio.gather(
            ada.read(wide.chapters["w36 1"]), ada.keep(wide.stories["w36"], len(seen) % 4)
        )
        if not page["has_more"]:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert [id_ for id_ in seen if id_ != touched] == [id_ for id_ in before if id_ != touched]
    assert seen.count(touched) <= 1
    assert place((await ada.ask(LIBRARY, limit=1))["items"][0])[1] == touched
