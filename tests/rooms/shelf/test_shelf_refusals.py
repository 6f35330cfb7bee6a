"""What is refused, and that nothing of somebody else's is told."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from tests.rooms.shelf.desk import API, NOVEL, Desk, Reader

pytestmark = pytest.mark.anyio

ROUTES = [
    ("GET", f"{NOVEL}/me/library"),
    ("PUT", f"{NOVEL}/me/progress/1"),
    ("DELETE", f"{NOVEL}/me/progress/1"),
    ("POST", f"{NOVEL}/me/progress/bulk"),
    ("POST", f"{NOVEL}/me/bookmarks/1"),
    ("DELETE", f"{NOVEL}/me/bookmarks/1"),
    ("GET", f"{NOVEL}/me/history"),
    ("DELETE", f"{NOVEL}/me/history"),
    ("GET", f"{API}/library"),
    ("POST", f"{API}/library"),
    ("PATCH", f"{API}/library/{uuid4()}"),
    ("DELETE", f"{API}/library/{uuid4()}"),
    ("GET", f"{API}/progress/{uuid4()}"),
    ("POST", f"{API}/progress"),
    ("GET", f"{API}/progress/series/s1"),
    ("DELETE", f"{API}/progress/series/s1"),
    ("GET", f"{API}/history"),
    ("DELETE", f"{API}/history"),
]
BODIES: dict[str, dict[str, Any]] = {
    f"{NOVEL}/me/progress/1": {"chapter_id": 1, "chapter_no": 1},
    f"{NOVEL}/me/progress/bulk": {"items": [{"story_id": 1, "chapter_id": 1, "chapter_no": 1}]},
    f"{API}/library": {"seriesId": str(uuid4())},
    f"{API}/progress": {"chapterId": str(uuid4())},
}


async def test_nobody_has_no_shelf(desk: Desk) -> None:
    for method, path in ROUTES:
        given = BODIES.get(path, {}) if method in {"POST", "PUT", "PATCH"} else None
        answer = await desk.rig.client.request(method, path, json=given)
        assert answer.status_code == 401, answer.text
        told = answer.json()
        assert told.get("code") == "AUTH_REQUIRED" or told["error"]["code"] == "invalid_token"


WRONG_PLACES: list[dict[str, Any]] = [
    {},
    {"chapter_id": 1},
    {"chapter_no": 1},
    {"chapter_id": 0, "chapter_no": 1},
    {"chapter_id": -1, "chapter_no": 1},
    {"chapter_id": 2**63, "chapter_no": 1},
    {"chapter_id": "1", "chapter_no": 1},
    {"chapter_id": 1.5, "chapter_no": 1},
    {"chapter_id": 1, "chapter_no": "1"},
    {"chapter_id": 1, "chapter_no": 1e9},
    {"chapter_id": 1, "chapter_no": 1, "scroll_position": -0.1},
    {"chapter_id": 1, "chapter_no": 1, "scroll_position": 1.1},
    {"chapter_id": 1, "chapter_no": 1, "scroll_position": "0.5"},
    {"chapter_id": 1, "chapter_no": 1, "updated_at": "yesterday"},
    {"chapter_id": 1, "chapter_no": 1, "updated_at": "2026-01-01T00:00:00"},
    {"chapter_id": 1, "chapter_no": 1, "updated_at": 1},
    {"chapter_id": 1, "chapter_no": 1, "user_id": 2},
    {"chapter_id": 1, "chapter_no": 1, "page_number": 2},
]


async def test_a_place_that_cannot_be_is_an_invalid_schema(ada: Reader) -> None:
    for body in WRONG_PLACES:
        many = {"items": [{"story_id": 1, **body}]}
        for answer in (
            await ada.client.put(f"{NOVEL}/me/progress/1", json=body),
            await ada.client.post(f"{NOVEL}/me/progress/bulk", json=many),
        ):
            assert answer.status_code == 400, body
            assert answer.json()["error"]["code"] == "invalid_schema"


@pytest.mark.parametrize("count", [0, 51])
async def test_a_device_sends_one_to_fifty_places_at_once(ada: Reader, count: int) -> None:
    items = [{"story_id": 1, "chapter_id": 1, "chapter_no": 1}] * count
    answer = await ada.client.post(f"{NOVEL}/me/progress/bulk", json={"items": items})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_schema")


@pytest.mark.parametrize(
    "body", [{"status": 4}, {"status": -1}, {"status": "0"}, {"notify_new_chapter": 1}, {"x": 1}]
)
async def test_a_bookmark_that_cannot_be_is_an_invalid_schema(
    desk: Desk, ada: Reader, body: dict[str, Any]
) -> None:
    path = f"{NOVEL}/me/bookmarks/{desk.stories['s1'].id}"
    answer = await ada.client.post(path, json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_schema")


@pytest.mark.parametrize(
    "body",
    [
        {"status": "reading"},
        {"seriesId": "s1"},
        {"seriesId": "{uid}", "status": "following"},
        {"seriesId": "{uid}", "status": None},
        {"seriesId": "{uid}", "addedAt": "2026-01-01T00:00:00Z"},
    ],
)
async def test_a_series_that_cannot_be_kept_is_a_validation_error(
    desk: Desk, ada: Reader, body: dict[str, Any]
) -> None:
    uid = str(desk.stories["s1"].uid)
    given = {name: uid if value == "{uid}" else value for name, value in body.items()}
    answer = await ada.client.post(f"{API}/library", json=given)
    assert (answer.status_code, answer.json()["code"]) == (422, "VALIDATION_ERROR")


@pytest.mark.parametrize(
    "more",
    [
        {"pageNumber": 0},
        {"pageNumber": 100_001},
        {"completed": "yes"},
        {"scrollPosition": 2},
        {"updatedAt": "2026-01-01T00:00:00"},
        {"userId": 1},
    ],
)
async def test_progress_that_cannot_be_is_a_validation_error(
    desk: Desk, ada: Reader, more: dict[str, Any]
) -> None:
    body = {"chapterId": str(desk.chapters["s1 1"].uid), **more}
    answer = await ada.client.post(f"{API}/progress", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "VALIDATION_ERROR")


async def test_what_is_not_here_is_not_found(desk: Desk, ada: Reader) -> None:
    place = {"chapter_id": desk.chapters["s1 1"].id, "chapter_no": 1}
    elsewhere = f"{NOVEL}/me/progress/{desk.stories['s2'].id}"  # a chapter of another story
    never = f"{NOVEL}/me/progress/{desk.stories['s1'].id}"
    for answer in (
        await ada.client.put(elsewhere, json=place),
        await ada.client.put(never, json={"chapter_id": 424242, "chapter_no": 1}),
        await ada.client.post(f"{NOVEL}/me/bookmarks/424242", json={}),
        await ada.client.post(f"{NOVEL}/me/bookmarks/0", json={}),
        await ada.client.post(f"{NOVEL}/me/bookmarks/{2**70}", json={}),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
    uid = str(uuid4())
    for answer, code in (
        (await ada.client.post(f"{API}/library", json={"seriesId": uid}), "SERIES_NOT_FOUND"),
        (await ada.client.patch(f"{API}/library/{uid}", json={}), "SERIES_NOT_FOUND"),
        (await ada.client.delete(f"{API}/library/{uid}"), "SERIES_NOT_FOUND"),
        (await ada.client.delete(f"{API}/library/nonsense"), "SERIES_NOT_FOUND"),
        (await ada.client.post(f"{API}/progress", json={"chapterId": uid}), "CHAPTER_NOT_FOUND"),
        (await ada.client.get(f"{API}/progress/{uid}"), "CHAPTER_NOT_FOUND"),
        (await ada.client.get(f"{API}/progress/nonsense"), "CHAPTER_NOT_FOUND"),
        (await ada.client.get(f"{API}/progress/series/never"), "SERIES_NOT_FOUND"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, code)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("type=kept", "invalid_filter"),
        ("bookmark_status=4", "invalid_filter"),
        ("bookmark_status=x", "invalid_filter"),
        ("type=reading&bookmark_status=1", "invalid_filter"),
        ("part=all", "invalid_filter"),
        ("limit=0", "invalid_filter"),
        ("limit=101", "invalid_filter"),
        ("cursor=x", "invalid_cursor"),
    ],
)
async def test_a_library_that_cannot_be_asked_for(ada: Reader, query: str, code: str) -> None:
    answer = await ada.client.get(f"{NOVEL}/me/library?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


async def test_a_cursor_is_good_for_its_reader_and_its_list_alone(
    desk: Desk, ada: Reader, ben: Reader
) -> None:
    lists = {
        f"{NOVEL}/me/library": {},
        f"{NOVEL}/me/library?type=reading": {"type": "reading"},
        f"{NOVEL}/me/history": {},
        f"{API}/library": {},
        f"{API}/history": {},
        f"{API}/progress/series/truyen:s1": {},
    }
    for reader in (ada, ben):
        for name in ("s1 1", "s1 2", "s2 1"):
            desk.rig.clock.advance(timedelta(seconds=1))
            await reader.read(desk.chapters[name])
    cursors: dict[str, str] = {}
    for path, query in lists.items():
        page = await ada.ask(path.partition("?")[0], limit=1, **query)
        cursors[path] = page.get("next_cursor") or page["nextCursor"]
    for path, query in lists.items():
        bare = path.partition("?")[0]
        for origin, cursor in cursors.items():
            asked = {**query, "cursor": cursor}
            hers = await ada.client.get(bare, params=asked)
            assert hers.status_code == (200 if origin == path else 422 if API in bare else 400)
            assert (await ben.client.get(bare, params=asked)).status_code in {400, 422}


async def test_what_is_somebody_elses_is_as_if_it_were_not_there(
    desk: Desk, ada: Reader, ben: Reader
) -> None:
    story, chapter = desk.stories["s1"], desk.chapters["s1 1"]
    await ada.read(chapter)
    await ada.ask(f"{NOVEL}/me/library")
    for answer in (
        await ben.client.delete(f"{NOVEL}/me/bookmarks/{story.id}"),
        await ben.client.delete(f"{NOVEL}/me/progress/{story.id}"),
        await ben.client.delete(f"{API}/library/{story.uid}"),
        await ben.client.patch(f"{API}/library/{story.uid}", json={"status": "dropped"}),
    ):
        assert answer.status_code == 404
    assert (await ben.ask(f"{API}/progress/{chapter.uid}"))["updatedAt"] is None
    for path in (f"{NOVEL}/me/library", f"{NOVEL}/me/history", f"{API}/library"):
        assert (await ben.ask(path))["items"] == []
        assert len((await ada.ask(path))["items"]) == 1
