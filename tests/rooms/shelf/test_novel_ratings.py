"""Ratings as a client of the novel API meets them."""

from datetime import timedelta

import pytest

from rensai.kit.db import Command
from tests.rig import Rig
from tests.rooms.catalogue.stories import add_story
from tests.rooms.shelf.opinions import API, NOVEL, Reader, a_reader, count_anew, hide, story_id

pytestmark = pytest.mark.anyio

_CLOSE = Command("UPDATE users SET deleted_at = now() WHERE id = $1")
HOSTILE = "<script>alert(1)</script>\n\t<img src=x onerror=alert(2)> \u202eabc &amp; 'quotes' \\"


@pytest.fixture
async def ada(rig: Rig) -> Reader:
    """A reader, and one story to rate."""
    await add_story(rig.db, "than-dao", source="truyen", title="Thần Đạo")
    return await a_reader(rig, "ada")


async def mine(rig: Rig) -> str:
    return f"{NOVEL}/me/ratings/{await story_id(rig, 'than-dao')}"


THEIRS = f"{NOVEL}/stories/truyen/than-dao/ratings"


async def test_a_rating_is_given_and_shown(rig: Rig, ada: Reader) -> None:
    at = rig.clock.now().isoformat().replace("+00:00", "Z")
    given = {"score": 9, "review_text": "  Hay quá!\r\nĐọc lại.  "}
    answer = await ada.visitor.post(await mine(rig), json=given)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.json() == {
        "story_id": await story_id(rig, "than-dao"),
        "score": 9,
        "review_text": "Hay quá!\nĐọc lại.",
        "created_at": at,
        "updated_at": at,
    }
    assert await ada.ask("GET", await mine(rig)) == answer.json()
    shown = (await rig.get(THEIRS)).json()
    (item,) = shown["items"]
    assert isinstance(item.pop("id"), int)
    assert item == {
        "user": {"id": ada.user.id, "username": "ada", "display_name": "ada"},
        "score": 9,
        "review_text": "Hay quá!\nĐọc lại.",
        "created_at": at,
        "updated_at": at,
    }
    assert (shown["next_cursor"], shown["has_more"]) == (None, False)


async def test_the_figures_follow_with_the_next_count(rig: Rig, ada: Reader) -> None:
    bo = await a_reader(rig, "bo-reader")
    await ada.ask("POST", await mine(rig), json={"score": 9})
    await bo.ask("POST", await mine(rig), json={"score": 4})
    none = dict.fromkeys(map(str, range(1, 11)), 0)
    before = (await rig.get(THEIRS)).json()["summary"]
    assert before == {"avg": None, "count": 0, "distribution": none}
    await count_anew(rig)
    after = (await rig.get(THEIRS)).json()["summary"]
    assert after == {"avg": 6.5, "count": 2, "distribution": none | {"4": 1, "9": 1}}
    told = (await rig.get(f"{NOVEL}/stories/truyen/than-dao")).json()
    assert (told["rating_avg"], told["rating_count"]) == (6.5, 2)
    assert told["popularity_score"] == 6.5
    await bo.ask("DELETE", await mine(rig), 204)
    await ada.ask("DELETE", await mine(rig), 204)
    await count_anew(rig)
    assert (await rig.get(THEIRS)).json()["summary"] == before
    told = (await rig.get(f"{NOVEL}/stories/truyen/than-dao")).json()
    assert (told["rating_avg"], told["rating_count"]) == (None, 0)


async def test_a_second_rating_takes_the_place_of_the_first(rig: Rig, ada: Reader) -> None:
    first = await ada.ask("POST", await mine(rig), json={"score": 9, "review_text": "Good"})
    rig.clock.advance(timedelta(hours=1))
    second = await ada.ask("POST", await mine(rig), json={"score": 3})
    assert second["review_text"] == "Good", "what is not named stays"
    assert (second["score"], second["created_at"]) == (3, first["created_at"])
    assert second["updated_at"] > first["updated_at"]
    for nothing in (None, "", "  \n "):
        await ada.ask("POST", await mine(rig), json={"score": 3, "review_text": "Good"})
        emptied = await ada.ask("POST", await mine(rig), json={"score": 3, "review_text": nothing})
        assert emptied["review_text"] is None
    assert len((await rig.get(THEIRS)).json()["items"]) == 1


async def test_what_was_taken_back_is_gone(rig: Rig, ada: Reader) -> None:
    await ada.ask("POST", await mine(rig), json={"score": 9})
    await ada.ask("DELETE", await mine(rig), 204)
    for method in ("DELETE", "GET"):
        missing = await ada.ask(method, await mine(rig), 404)
        assert missing["error"]["code"] == "not_found"
    assert (await rig.get(THEIRS)).json()["items"] == []


async def test_text_comes_back_as_the_same_text(rig: Rig, ada: Reader) -> None:
    told = await ada.ask("POST", await mine(rig), json={"score": 1, "review_text": HOSTILE})
    assert told["review_text"] == HOSTILE
    answer = await rig.get(THEIRS)
    assert answer.json()["items"][0]["review_text"] == HOSTILE
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"score": 0},
        {"score": 11},
        {"score": 7.5},
        {"score": "7"},
        {"score": None},
        {"score": True},
        {"score": 10**30},
        {"score": 7, "review_text": "x" * 2001},
        {"score": 7, "review_text": "ﬃ\u0344" * 1000},
        {"score": 7, "review_text": "a\x00b"},
        {"score": 7, "review_text": "a\x1bb"},
        {"score": 7, "review_text": "a\x85b"},
        {"score": 7, "review_text": 5},
        {"score": 7, "reviewText": "camel"},
        {"score": 7, "user_id": 1},
        {"score": 7, "created_at": "2020-01-01T00:00:00Z"},
        [],
        None,
    ],
    ids=lambda body: str(body)[:40],
)
async def test_what_is_no_rating_is_refused(rig: Rig, ada: Reader, body: object) -> None:
    refused = await ada.ask("POST", await mine(rig), 400, json=body)
    assert refused["error"]["code"] == "invalid_schema"
    assert (await rig.get(THEIRS)).json()["items"] == []


async def test_two_thousand_characters_of_any_script_fit(rig: Rig, ada: Reader) -> None:
    review = "字" * 1999 + "🐉"
    told = await ada.ask("POST", await mine(rig), json={"score": 7, "review_text": review})
    assert told["review_text"] == review


async def test_nobody_rates_without_an_account(rig: Rig, ada: Reader) -> None:
    del ada
    for method in ("GET", "POST", "DELETE"):
        body = {"score": 5} if method == "POST" else None
        answer = await rig.client.request(method, await mine(rig), json=body)
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "invalid_token"


async def test_nobody_touches_the_rating_of_another(rig: Rig, ada: Reader) -> None:
    await ada.ask("POST", await mine(rig), json={"score": 9})
    bo = await a_reader(rig, "bo-reader")
    await bo.ask("GET", await mine(rig), 404)
    await bo.ask("DELETE", await mine(rig), 404)
    await bo.ask("POST", await mine(rig), json={"score": 1})
    assert (await ada.ask("GET", await mine(rig)))["score"] == 9


@pytest.mark.parametrize("number", ["999999999", "0", "-1", "9223372036854775808", "x"])
async def test_a_story_that_is_not_here_cannot_be_rated(rig: Rig, ada: Reader, number: str) -> None:
    answer = await ada.visitor.post(f"{NOVEL}/me/ratings/{number}", json={"score": 5})
    assert answer.status_code in {400, 404}
    assert answer.json()["error"]["code"] in {"not_found", "invalid_schema", "invalid_filter"}
    await ada.ask("POST", f"{NOVEL}/me/ratings/999999999", 404, json={"score": 5})
    assert (await rig.get(f"{NOVEL}/stories/truyen/nowhere/ratings")).status_code == 404


async def test_what_is_hidden_is_rated_by_nobody_and_comes_back_with_its_ratings(
    rig: Rig, ada: Reader
) -> None:
    await ada.ask("POST", await mine(rig), json={"score": 9})
    await hide(rig, "than-dao")
    await ada.ask("POST", await mine(rig), 404, json={"score": 1})
    await ada.ask("GET", await mine(rig), 404)
    assert (await rig.get(THEIRS)).status_code == 404
    assert (await ada.ask("GET", f"{NOVEL}/me/ratings"))["items"] == []
    await hide(rig, "than-dao", hidden=False)
    assert (await rig.get(THEIRS)).json()["items"][0]["score"] == 9
    await hide(rig, "than-dao")
    await ada.ask("DELETE", await mine(rig), 204)  # one's own word can always be taken back


async def test_the_author_of_a_closed_account_is_nobody(rig: Rig, ada: Reader) -> None:
    await ada.ask("POST", await mine(rig), json={"score": 9, "review_text": "Good"})
    made = await ada.ask("POST", f"{API}/lists", 201, json={"title": "Best", "isPublic": True})
    async with rig.db.transaction() as tx:
        await tx.run(_CLOSE, ada.user.id)
    (item,) = (await rig.get(THEIRS)).json()["items"]
    assert (item["user"], item["review_text"]) == (None, "Good")
    (item,) = (await rig.get(f"{API}/series/truyen:than-dao/ratings")).json()["items"]
    assert item["user"] is None
    for path in (f"lists/{made['id']}", "users/ada/lists", "users/ada/lists/best"):
        assert (await rig.get(f"{API}/{path}")).status_code == 404, path


async def test_a_moderator_strikes_a_rating_and_nobody_else(rig: Rig, ada: Reader) -> None:
    await ada.ask("POST", await mine(rig), json={"score": 9, "review_text": "Spam"})
    (item,) = (await rig.get(f"{API}/series/truyen:than-dao/ratings")).json()["items"]
    path = f"{API}/ratings/{item['id']}"
    assert (await rig.client.delete(path)).status_code == 401
    assert (await ada.ask("DELETE", path, 403))["code"] == "FORBIDDEN"
    await count_anew(rig)
    judge = await a_reader(rig, "judge", "moderator")
    await judge.ask("DELETE", path, 204)
    for missing in (path, f"{API}/ratings/x"):
        assert (await judge.ask("DELETE", missing, 404))["code"] == "NOT_FOUND"
    await ada.ask("GET", await mine(rig), 404)
    await count_anew(rig)
    assert (await rig.get(THEIRS)).json()["summary"]["count"] == 0


async def test_followers_count_with_the_ratings(rig: Rig, ada: Reader) -> None:
    path = f"{NOVEL}/me/bookmarks/{await story_id(rig, 'than-dao')}"
    told = f"{NOVEL}/stories/truyen/than-dao"
    for status, followers in ((0, 1), (1, 1), (2, 0), (3, 0), (0, 1)):
        await ada.ask("POST", path, json={"status": status})
        await count_anew(rig)
        assert (await rig.get(told)).json()["follower_count"] == followers
    await ada.ask("DELETE", path, 204)
    await count_anew(rig)
    assert (await rig.get(told)).json()["follower_count"] == 0


async def test_an_account_that_rates_without_end_must_wait(rig: Rig, ada: Reader) -> None:
    statuses = [
        (await ada.visitor.post(await mine(rig), json={"score": 5})).status_code for _ in range(61)
    ]
    assert statuses == [200] * 60 + [429]
    answer = await ada.visitor.post(await mine(rig), json={"score": 5})
    assert answer.json()["error"]["code"] == "rate_limited"
    assert int(answer.headers["retry-after"]) > 0
    bo = await a_reader(rig, "bo-reader")
    await bo.ask("POST", await mine(rig), json={"score": 5})


async def test_ones_own_ratings_come_page_by_page_without_what_is_hidden(
    rig: Rig, ada: Reader
) -> None:
    for number in range(30):
        slug = f"story-{number}"
        await add_story(rig.db, slug, source="truyen")
        rig.clock.advance(timedelta(seconds=1 if number % 3 else 0))
        await ada.ask("POST", f"{NOVEL}/me/ratings/{await story_id(rig, slug)}", json={"score": 5})
    for number in (*range(10, 25), 29):
        await hide(rig, f"story-{number}")
    pages: list[list[str]] = []
    cursor: str | None = None
    while not pages or cursor:
        query = f"?limit=4{f'&cursor={cursor}' if cursor else ''}"
        page = await ada.ask("GET", f"{NOVEL}/me/ratings{query}")
        assert page["has_more"] == (page["next_cursor"] is not None)
        pages.append([item["story"]["slug"] for item in page["items"]])
        cursor = page["next_cursor"]
    assert [len(page) for page in pages] == [4, 4, 4, 2]
    told = [slug for page in pages for slug in page]
    assert told == [f"story-{n}" for n in (28, 27, 26, 25, *range(9, -1, -1))]


async def test_a_cursor_of_somebody_else_is_refused(rig: Rig, ada: Reader) -> None:
    for number in range(3):
        await add_story(rig.db, f"s-{number}", source="truyen")
        await ada.ask(
            "POST", f"{NOVEL}/me/ratings/{await story_id(rig, f's-{number}')}", json={"score": 5}
        )
    page = await ada.ask("GET", f"{NOVEL}/me/ratings?limit=1")
    bo = await a_reader(rig, "bo-reader")
    path = f"{NOVEL}/me/ratings?limit=1&cursor={page['next_cursor']}"
    refused = await bo.ask("GET", path, 400)
    assert refused["error"]["code"] == "invalid_cursor"
    await ada.ask("GET", path)
