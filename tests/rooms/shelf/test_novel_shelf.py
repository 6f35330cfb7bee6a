"""The shelf over the novel API, field by field."""

from datetime import timedelta

import pytest

from tests.rooms.shelf.desk import NOVEL, Desk, Reader

pytestmark = pytest.mark.anyio

PROGRESS = f"{NOVEL}/me/progress"
LIBRARY = f"{NOVEL}/me/library"
HISTORY = f"{NOVEL}/me/history"


def moment(desk: Desk) -> str:
    return desk.rig.clock.now().isoformat().replace("+00:00", "Z")


async def test_progress_is_answered_as_it_was_accepted(desk: Desk, ada: Reader) -> None:
    chapter = desk.chapters["s1 2"]
    body = {"chapter_id": chapter.id, "chapter_no": 2, "scroll_position": 0.37}
    answer = await ada.client.put(f"{PROGRESS}/{chapter.story_id}", json=body)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.json() == {
        "story_id": chapter.story_id,
        "chapter_id": chapter.id,
        "chapter_no": 2.0,
        "scroll_position": 0.37,
        "updated_at": moment(desk),
    }


async def test_reading_makes_history_and_a_bookmark(desk: Desk, ada: Reader) -> None:
    chapter = desk.chapters["s1 2"]
    await ada.read(chapter, scroll=0.25)
    now = moment(desk)
    (item,) = (await ada.ask(LIBRARY))["items"]
    assert item.pop("story")["title"] == "S1"
    assert item == {
        "progress": {
            "chapter_id": chapter.id,
            "chapter_no": 2.0,
            "chapter_slug": "c-2",
            "chapter_title": "Chapter 2",
            "scroll_position": 0.25,
            "updated_at": now,
        },
        "bookmark": {
            "status": 0,
            "notify_new_chapter": True,
            "created_at": now,
            "updated_at": now,
        },
        "updated_at": now,
    }
    assert await ada.ask(HISTORY) == {
        "items": [
            {
                "story_id": chapter.story_id,
                "story_title": "S1",
                "story_source": "truyen",
                "story_slug": "s1",
                "chapter_id": chapter.id,
                "chapter_title": "Chapter 2",
                "chapter_no": 2.0,
                "chapter_slug": "c-2",
                "read_at": now,
            }
        ],
        "next_cursor": None,
        "has_more": False,
    }


async def test_a_story_in_the_library_says_what_a_list_needs(desk: Desk, ada: Reader) -> None:
    await ada.keep(desk.stories["s2"])
    (item,) = (await ada.ask(LIBRARY))["items"]
    assert item["progress"] is None
    story = item["story"]
    assert set(story) == {
        *("id", "source", "slug", "title", "author_name", "cover_url", "status", "language"),
        *("is_nsfw", "chapter_count", "last_chapter_no", "updated_at"),
    }
    assert (story["id"], story["source"], story["slug"]) == (desk.stories["s2"].id, "truyen", "s2")


async def test_the_number_is_that_of_the_chapter_whatever_was_sent(desk: Desk, ada: Reader) -> None:
    chapter = desk.chapters["s1 3"]
    body = {"chapter_id": chapter.id, "chapter_no": 99.5}
    answer = await ada.client.put(f"{PROGRESS}/{chapter.story_id}", json=body)
    assert answer.json()["chapter_no"] == 3.0


async def test_a_bookmark_is_put_and_changed_and_removed(desk: Desk, ada: Reader) -> None:
    story = desk.stories["s1"]
    made = moment(desk)
    path = f"{NOVEL}/me/bookmarks/{story.id}"
    bare = await ada.client.post(path)
    assert bare.status_code == 200, bare.text
    assert bare.json() == {
        "story_id": story.id,
        "status": 0,
        "notify_new_chapter": True,
        "created_at": made,
        "updated_at": made,
    }
    desk.rig.clock.advance(timedelta(minutes=1))
    changed = await ada.keep(story, 3, notify_new_chapter=False)
    assert changed == {
        "story_id": story.id,
        "status": 3,
        "notify_new_chapter": False,
        "created_at": made,
        "updated_at": moment(desk),
    }
    desk.rig.clock.advance(timedelta(minutes=1))
    assert await ada.keep(story, 3, notify_new_chapter=False) == changed  # nothing is different
    gone = await ada.client.delete(path)
    assert (gone.status_code, gone.content) == (204, b"")
    again = await ada.client.delete(path)
    assert again.status_code == 404
    assert again.json()["error"]["code"] == "bookmark_not_found"


async def test_reading_leaves_a_bookmark_as_it_is(desk: Desk, ada: Reader) -> None:
    await ada.keep(desk.stories["s1"], 3)
    await ada.read(desk.chapters["s1 1"])
    (item,) = (await ada.ask(LIBRARY))["items"]
    assert item["bookmark"]["status"] == 3


async def test_many_places_are_taken_in_at_once_and_those_that_are_gone_hold_up_none(
    desk: Desk, ada: Reader
) -> None:
    one, two = desk.chapters["s1 1"], desk.chapters["s2 4"]
    place = {"story_id": one.story_id, "chapter_id": one.id, "chapter_no": 1}
    other = {"story_id": two.story_id, "chapter_id": two.id, "chapter_no": 4}
    gone = {"story_id": 424242, "chapter_id": one.id, "chapter_no": 1}
    never = {"story_id": one.story_id, "chapter_id": 424242, "chapter_no": 1}
    body = {"items": [place, gone, {**other, "scroll_position": 1}, never]}
    answer = await ada.client.post(f"{PROGRESS}/bulk", json=body)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert (told["updated_count"], len(told["items"])) == (2, 2)
    assert told["items"][1] == {
        "story_id": two.story_id,
        "chapter_id": two.id,
        "chapter_no": 4.0,
        "scroll_position": 1.0,
        "updated_at": moment(desk),
    }
    assert told["not_found"] == [
        {"story_id": 424242, "chapter_id": one.id},
        {"story_id": one.story_id, "chapter_id": 424242},
    ]
    assert {item["story"]["slug"] for item in (await ada.ask(LIBRARY))["items"]} == {"s1", "s2"}


async def test_what_is_read_is_told_to_its_reader_alone(
    desk: Desk, ada: Reader, ben: Reader
) -> None:
    story = desk.stories["s1"]
    path = f"{NOVEL}/stories/{story.id}/chapters"
    await ada.read(desk.chapters["s1 2"])
    hers = (await ada.ask(path))["items"]
    assert [item["is_read"] for item in hers] == [False, True, False, False]
    assert [item["is_read"] for item in (await ben.ask(path))["items"]] == [False] * 4
    anybody = await desk.rig.get(path)
    assert all("is_read" not in item for item in anybody.json()["items"])
    assert "etag" in anybody.headers
    # Nor does a tag that somebody has from before they signed in keep it from them.
    known = {"If-None-Match": anybody.headers["etag"]}
    answer = await ada.client.get(path, headers=known)
    assert answer.status_code == 200
    await ada.ask(LIBRARY)  # by then it is written
    assert [item["is_read"] for item in (await ada.ask(path))["items"]] == [
        *(False, True, False, False)
    ]
    assert (await desk.rig.get(path)).json() == anybody.json()


async def test_clearing_history_forgets_what_was_read_and_not_where_one_is(
    desk: Desk, ada: Reader, ben: Reader
) -> None:
    for name in ("s1 1", "s1 2", "s2 1"):
        await ada.read(desk.chapters[name])
    await ben.read(desk.chapters["s1 1"])
    s1 = desk.stories["s1"]
    answer = await ada.client.delete(HISTORY, params={"story_id": s1.id})
    assert answer.status_code == 204
    left = (await ada.ask(HISTORY))["items"]
    assert [item["chapter_id"] for item in left] == [desk.chapters["s2 1"].id]
    chapters = (await ada.ask(f"{NOVEL}/stories/{s1.id}/chapters"))["items"]
    assert not any(item["is_read"] for item in chapters)
    assert (await ada.client.delete(HISTORY)).status_code == 204
    assert (await ada.ask(HISTORY))["items"] == []
    assert len((await ada.ask(LIBRARY, type="reading"))["items"]) == 2
    assert len((await ben.ask(HISTORY))["items"]) == 1


async def test_where_one_is_can_be_forgotten(desk: Desk, ada: Reader) -> None:
    await ada.read(desk.chapters["s1 1"])
    path = f"{PROGRESS}/{desk.stories['s1'].id}"
    assert (await ada.client.delete(path)).status_code == 204
    assert (await ada.ask(LIBRARY, type="reading"))["items"] == []
    assert len((await ada.ask(HISTORY))["items"]) == 1
    again = await ada.client.delete(path)
    assert (again.status_code, again.json()["error"]["code"]) == (404, "not_found")
