"""Ratings as a client of `/api/v1` meets them."""

from datetime import timedelta

import pytest

from tests.rig import Rig
from tests.rooms.catalogue.stories import add_story
from tests.rooms.shelf.opinions import API, NOVEL, Reader, a_reader, count_anew, hide, story_id

pytestmark = pytest.mark.anyio

THEIRS = f"{API}/series/truyen:than-dao/ratings"
MINE = f"{THEIRS}/me"


@pytest.fixture
async def ada(rig: Rig) -> Reader:
    """A reader, and two stories to rate."""
    await add_story(rig.db, "than-dao", source="truyen", title="Thần Đạo", chapters=3)
    await add_story(rig.db, "own")
    return await a_reader(rig, "ada")


async def test_a_rating_is_put_changed_and_taken_back(rig: Rig, ada: Reader) -> None:
    at = rig.clock.now().isoformat().replace("+00:00", "Z")
    missing = await ada.ask("GET", MINE, 404)
    assert missing == {"error": "You have not rated this.", "code": "RATING_NOT_FOUND"}
    put = await ada.ask("PUT", MINE, json={"score": 8, "reviewText": "Good"})
    assert put == {
        "id": put["id"],
        "score": 8,
        "reviewText": "Good",
        "createdAt": at,
        "updatedAt": at,
    }
    assert await ada.ask("GET", MINE) == put
    rig.clock.advance(timedelta(minutes=5))
    changed = await ada.ask("PUT", MINE, json={"score": 2})
    assert changed == put | {"score": 2, "updatedAt": changed["updatedAt"]}
    shown = (await rig.get(THEIRS)).json()
    user = {"id": str(ada.user.uid), "username": "ada", "displayName": "ada"}
    assert shown["items"] == [changed | {"user": user}]
    await ada.ask("DELETE", MINE, 204)
    assert (await ada.ask("DELETE", MINE, 404))["code"] == "RATING_NOT_FOUND"


async def test_what_all_of_them_come_to_is_told_beside_every_page(rig: Rig, ada: Reader) -> None:
    bo = await a_reader(rig, "bo-reader")
    await ada.ask("PUT", MINE, json={"score": 10})
    await bo.ask("PUT", MINE, json={"score": 9})
    await count_anew(rig)
    for query in ("", "?sort=highest&limit=1"):
        page = (await rig.get(THEIRS + query)).json()
        spread = dict.fromkeys(map(str, range(1, 11)), 0) | {"9": 1, "10": 1}
        assert page["summary"] == {"average": 9.5, "count": 2, "distribution": spread}
    series = (await rig.get(f"{API}/series/truyen:than-dao")).json()
    assert (series["rating"], series["ratingCount"]) == (9.5, 2)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"score": 0},
        {"score": 11},
        {"score": 5, "review_text": "snake"},
        {"score": 5, "reviewText": "a\x00"},
        {"score": 5, "reviewText": "x" * 2001},
        {"score": 5, "userId": "x"},
    ],
    ids=lambda body: str(body)[:40],
)
async def test_what_is_no_rating_is_refused(rig: Rig, ada: Reader, body: object) -> None:
    refused = await ada.ask("PUT", MINE, 422, json=body)
    assert refused["code"] == "VALIDATION_ERROR"
    assert (await rig.get(THEIRS)).json()["items"] == []


async def test_nobody_rates_without_an_account_nor_what_is_not_there(rig: Rig, ada: Reader) -> None:
    for method in ("GET", "PUT", "DELETE"):
        body = {"score": 5} if method == "PUT" else None
        answer = await rig.client.request(method, MINE, json=body)
        assert (answer.status_code, answer.json()["code"]) == (401, "AUTH_REQUIRED")
        nowhere = await ada.ask(method, f"{API}/series/nowhere/ratings/me", 404, json=body)
        assert nowhere["code"] == "SERIES_NOT_FOUND"
    await hide(rig, "than-dao")
    assert (await ada.ask("PUT", MINE, 404, json={"score": 5}))["code"] == "SERIES_NOT_FOUND"
    assert (await rig.get(THEIRS)).json()["code"] == "SERIES_NOT_FOUND"


async def test_both_apis_tell_of_one_rating(rig: Rig, ada: Reader) -> None:
    await ada.ask("PUT", f"{API}/series/own/ratings/me", json={"score": 7, "reviewText": "One"})
    path = f"{NOVEL}/me/ratings/{await story_id(rig, 'own')}"
    assert (await ada.ask("GET", path))["review_text"] == "One"
    await ada.ask("POST", path, json={"score": 3})
    told = await ada.ask("GET", f"{API}/series/own/ratings/me")
    assert (told["score"], told["reviewText"]) == (3, "One")


async def test_ones_own_ratings_come_with_their_series(rig: Rig, ada: Reader) -> None:
    await ada.ask("PUT", MINE, json={"score": 8})
    rig.clock.advance(timedelta(minutes=1))
    await ada.ask("PUT", f"{API}/series/own/ratings/me", json={"score": 7})
    page = await ada.ask("GET", f"{API}/ratings?limit=1")
    assert (page["hasMore"], page["items"][0]["series"]["slug"]) == (True, "own")
    rest = await ada.ask("GET", f"{API}/ratings?limit=1&cursor={page['nextCursor']}")
    (item,) = rest["items"]
    assert (item["score"], item["series"]["slug"]) == (8, "truyen:than-dao")
    assert (item["series"]["title"], item["series"]["chapterCount"]) == ("Thần Đạo", 3)
    assert rest["hasMore"] is False
    await hide(rig, "own")
    assert [one["score"] for one in (await ada.ask("GET", f"{API}/ratings"))["items"]] == [8]
    assert (await rig.get(f"{API}/ratings")).status_code == 401
