"""The shelf over `/api/v1`, field by field."""

from datetime import timedelta

import pytest

from tests.rooms.shelf.desk import API, NOVEL, Desk, Reader

pytestmark = pytest.mark.anyio

LIBRARY = f"{API}/library"
PROGRESS = f"{API}/progress"


def moment(desk: Desk) -> str:
    return desk.rig.clock.now().isoformat().replace("+00:00", "Z")


async def test_a_series_is_put_on_the_shelf_and_changed_and_removed(
    desk: Desk, ada: Reader
) -> None:
    series = desk.stories["s1"]
    made = moment(desk)
    answer = await ada.client.post(LIBRARY, json={"seriesId": str(series.uid)})
    assert (answer.status_code, answer.headers["cache-control"]) == (201, "private, no-store")
    expected = {
        "seriesId": str(series.uid),
        "status": "reading",
        "notifyNewChapter": True,
        "addedAt": made,
        "updatedAt": made,
    }
    assert answer.json() == expected
    desk.rig.clock.advance(timedelta(minutes=1))
    body = {"seriesId": str(series.uid), "status": "on_hold", "notifyNewChapter": False}
    answer = await ada.client.post(LIBRARY, json=body)
    assert answer.status_code == 200
    expected |= {"status": "on_hold", "notifyNewChapter": False, "updatedAt": moment(desk)}
    assert answer.json() == expected
    desk.rig.clock.advance(timedelta(minutes=1))
    path = f"{LIBRARY}/{series.uid}"
    answer = await ada.client.patch(path, json={"status": "completed"})
    assert answer.json() == expected | {"status": "completed", "updatedAt": moment(desk)}
    answer = await ada.client.patch(path, json={"notifyNewChapter": True})
    assert (answer.json()["status"], answer.json()["notifyNewChapter"]) == ("completed", True)
    assert (await ada.client.delete(path)).status_code == 204
    for refused in (
        await ada.client.delete(path),
        await ada.client.patch(path, json={"status": "reading"}),
    ):
        assert (refused.status_code, refused.json()["code"]) == (404, "NOT_FOUND")


async def test_the_library_shows_series_with_where_one_is(desk: Desk, ada: Reader) -> None:
    chapter = desk.chapters["s1 2"]
    body = {"chapterId": str(chapter.uid), "pageNumber": 7, "scrollPosition": 0.5}
    assert (await ada.client.post(PROGRESS, json=body)).status_code == 200
    now = moment(desk)
    (item,) = (await ada.ask(LIBRARY))["items"]
    series = item.pop("series")
    assert item == {
        "seriesId": str(desk.stories["s1"].uid),
        "status": "reading",
        "notifyNewChapter": True,
        "addedAt": now,
        "updatedAt": now,
        "progress": {
            "chapterId": str(chapter.uid),
            "chapterSlug": "c-2",
            "chapterTitle": "Chapter 2",
            "sortOrder": 2.0,
            "pageNumber": 7,
            "scrollPosition": 0.5,
            "updatedAt": now,
        },
    }
    assert (series["id"], series["slug"], series["contentType"], series["status"]) == (
        *(str(desk.stories["s1"].uid), "truyen:s1", "novel", "ongoing"),
    )


async def test_the_library_can_be_asked_for_one_status(desk: Desk, ada: Reader) -> None:
    for name, status in (("s1", "completed"), ("s2", "on_hold"), ("s3", "favorite")):
        body = {"seriesId": str(desk.stories[name].uid), "status": status}
        await ada.client.post(LIBRARY, json=body)
    for name, status in (("s1", "completed"), ("s2", "on_hold"), ("s3", "favorite")):
        (item,) = (await ada.ask(LIBRARY, status=status))["items"]
        assert (item["seriesId"], item["status"]) == (str(desk.stories[name].uid), status)
    assert (await ada.ask(LIBRARY, status="reading"))["items"] == []
    following = await ada.every(f"{NOVEL}/me/library", 1, bookmark_status=0)
    assert {item["story"]["slug"] for item in following} == {"s1", "s2"}
    assert {item["bookmark"]["status"] for item in following} == {0}


async def test_the_novel_api_leaves_what_it_cannot_say_as_it_is(desk: Desk, ada: Reader) -> None:
    series = desk.stories["s1"]
    body = {"seriesId": str(series.uid), "status": "completed"}
    await ada.client.post(LIBRARY, json=body)
    told = await ada.keep(series, 0, notify_new_chapter=False)
    assert (told["status"], told["notify_new_chapter"]) == (0, False)
    (item,) = (await ada.ask(LIBRARY))["items"]
    assert (item["status"], item["notifyNewChapter"]) == ("completed", False)
    await ada.keep(series, 1)
    (item,) = (await ada.ask(LIBRARY))["items"]
    assert item["status"] == "favorite"


async def test_progress_in_a_chapter_is_remembered(desk: Desk, ada: Reader) -> None:
    chapter = desk.chapters["s1 2"]
    path = f"{PROGRESS}/{chapter.uid}"
    unread = {
        "chapterId": str(chapter.uid),
        "seriesId": str(desk.stories["s1"].uid),
        "pageNumber": 1,
        "completed": False,
        "scrollPosition": None,
        "updatedAt": None,
    }
    assert await ada.ask(path) == unread
    body = {"chapterId": str(chapter.uid), "pageNumber": 12, "completed": True}
    answer = await ada.client.post(PROGRESS, json=body)
    read = unread | {"pageNumber": 12, "completed": True, "updatedAt": moment(desk)}
    assert answer.json() == read
    assert await ada.ask(path) == read  # from memory
    await ada.ask(LIBRARY)
    assert await ada.ask(path) == read  # from the table
    desk.rig.clock.advance(timedelta(minutes=1))
    again = await ada.client.post(PROGRESS, json={"chapterId": str(chapter.uid), "pageNumber": 3})
    assert again.status_code == 200
    for _ in range(2):
        told = await ada.ask(path)
        assert (told["pageNumber"], told["completed"]) == (3, True)  # nobody said otherwise
        await ada.ask(LIBRARY)


async def test_a_series_tells_what_was_read_of_it(desk: Desk, ada: Reader) -> None:
    for name in ("s1 1", "s1 3", "s2 1", "s1 2"):
        desk.rig.clock.advance(timedelta(minutes=1))
        await ada.read(desk.chapters[name])
    path = f"{PROGRESS}/series/truyen:s1"
    told = await ada.ask(path)
    assert told["seriesId"] == str(desk.stories["s1"].uid)
    assert told["current"]["chapterId"] == str(desk.chapters["s1 2"].uid)
    assert [item["sortOrder"] for item in told["items"]] == [2.0, 3.0, 1.0]
    assert [item["sortOrder"] for item in await ada.every(path, 1)] == [2.0, 3.0, 1.0]
    assert set(told["items"][0]) == {
        *("chapterId", "slug", "title", "sortOrder", "language", "pageNumber", "completed"),
        *("scrollPosition", "updatedAt"),
    }
    assert (await ada.client.delete(path)).status_code == 204
    told = await ada.ask(path)
    assert (told["current"], told["items"]) == (None, [])
    assert (await ada.client.delete(path)).status_code == 204
    assert len((await ada.ask(LIBRARY))["items"]) == 2  # it stays on the shelf


async def test_the_history_has_the_latest_first(desk: Desk, ada: Reader) -> None:
    for name in ("s1 1", "s2 1", "s1 2", "s1 1"):
        desk.rig.clock.advance(timedelta(minutes=1))
        await ada.read(desk.chapters[name])
    items = await ada.every(f"{API}/history", 2)
    assert [(item["seriesSlug"], item["chapterSlug"]) for item in items] == [
        ("truyen:s1", "c-1"),
        ("truyen:s1", "c-2"),
        ("truyen:s2", "c-1"),
    ]
    assert items[0] == {
        "chapterId": str(desk.chapters["s1 1"].uid),
        "chapterSlug": "c-1",
        "chapterTitle": "Chapter 1",
        "sortOrder": 1.0,
        "seriesId": str(desk.stories["s1"].uid),
        "seriesSlug": "truyen:s1",
        "seriesTitle": "S1",
        "readAt": moment(desk),
    }
    assert (await ada.client.delete(f"{API}/history")).status_code == 204
    assert (await ada.ask(f"{API}/history"))["items"] == []


async def test_chapters_of_a_series_say_whether_they_were_read(desk: Desk, ada: Reader) -> None:
    path = f"{API}/series/truyen:s1/chapters"
    await ada.read(desk.chapters["s1 2"])
    for _ in range(2):
        hers = (await ada.ask(path, sort="desc"))["items"]
        assert [item["isRead"] for item in hers] == [False, False, True, False]
        await ada.ask(LIBRARY)
    anybody = (await desk.rig.get(path)).json()["items"]
    assert all("isRead" not in item for item in anybody)
