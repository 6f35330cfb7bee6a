"""Reading lists: kept by one reader, seen by whom they let."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.kit.db import Query
from rensai.rooms.shelf.errors import ShelfFull
from rensai.rooms.shelf.model.lists import SLUG, slug_for
from rensai.rooms.shelf.service import lists as service
from tests.rig import Rig
from tests.rooms.shelf.opinions import API, Reader, a_reader

pytestmark = pytest.mark.anyio

LISTS = f"{API}/lists"
NOBODY = "0190163d-8694-739b-aea5-966c26f8ad91"
_HOW_MANY = Query("SELECT count(*) AS lists FROM reading_lists", int)


@pytest.fixture
async def ada(rig: Rig) -> Reader:
    return await a_reader(rig, "ada")


async def make(reader: Reader, **given: Any) -> dict[str, Any]:
    body = {"title": "Best of", **given}
    return await reader.ask("POST", LISTS, 201, json=body)


async def test_a_list_is_made_and_told_in_full(rig: Rig, ada: Reader) -> None:
    at = rig.clock.now().isoformat().replace("+00:00", "Z")
    made = await make(ada, title="  Đọc lại: Thần Đạo! ", description="Once\r\nmore")
    assert made == {
        "id": made["id"],
        "owner": {"id": str(ada.user.uid), "username": "ada", "displayName": "ada"},
        "slug": "doc-lai-than-dao",
        "title": "Đọc lại: Thần Đạo!",
        "description": "Once\nmore",
        "isPublic": False,
        "entryCount": 0,
        "createdAt": at,
        "updatedAt": at,
    }
    assert await ada.ask("GET", f"{LISTS}/{made['id']}") == made
    assert (await ada.ask("GET", LISTS))["items"] == [made]


async def test_a_private_list_is_there_for_its_owner_alone(rig: Rig, ada: Reader) -> None:
    made = await make(ada)
    path = f"{LISTS}/{made['id']}"
    bo = await a_reader(rig, "bo-reader")
    nobody = (await rig.get(f"{LISTS}/{NOBODY}")).json()
    assert nobody == {"error": "There is no such reading list here.", "code": "LIST_NOT_FOUND"}
    for visitor in (rig.client, bo.visitor):
        for hidden in (path, f"{path}/entries", f"{API}/users/ada/lists/{made['slug']}"):
            answer = await visitor.get(hidden)
            assert (answer.status_code, answer.json()) == (404, nobody), hidden
    assert await bo.ask("PATCH", path, 404, json={"isPublic": True}) == nobody
    assert await bo.ask("DELETE", path, 404) == nobody
    assert await bo.ask("PUT", f"{path}/order", 404, json={"series": []}) == nobody
    assert (await rig.get(f"{API}/users/ada/lists")).json()["items"] == []
    assert (await bo.ask("GET", LISTS))["items"] == []
    assert (await ada.ask("GET", f"{API}/users/ADA/lists/{made['slug']}")) == made


async def test_a_public_list_is_there_for_everybody_and_changed_by_its_owner_alone(
    rig: Rig, ada: Reader
) -> None:
    made = await make(ada, isPublic=True)
    path = f"{LISTS}/{made['id']}"
    bo = await a_reader(rig, "bo-reader")
    for address in (path, f"{API}/users/ada/lists/{made['slug']}"):
        assert (await rig.get(address)).json() == made
        assert await bo.ask("GET", address) == made
    assert (await rig.get(f"{API}/users/ada/lists")).json()["items"] == [made]
    await bo.ask("PATCH", path, 404, json={"title": "Mine"})
    await bo.ask("DELETE", path, 404)
    for method in ("PATCH", "DELETE"):
        answer = await rig.client.request(method, path, json={})
        assert answer.status_code == 401
    await ada.ask("PATCH", path, json={"isPublic": False})
    assert (await rig.get(path)).status_code == 404


async def test_what_is_named_changes_and_the_rest_stays(rig: Rig, ada: Reader) -> None:
    made = await make(ada, description="Why", isPublic=True)
    path = f"{LISTS}/{made['id']}"
    rig.clock.advance(timedelta(minutes=1))
    changed = await ada.ask("PATCH", path, json={"title": "Worst of"})
    assert changed == made | {"title": "Worst of", "updatedAt": changed["updatedAt"]}
    assert changed["updatedAt"] > made["updatedAt"]
    emptied = await ada.ask("PATCH", path, json={"description": "", "slug": "worst-1"})
    assert (emptied["description"], emptied["slug"]) == ("", "worst-1")
    await ada.ask("GET", f"{API}/users/ada/lists/{made['slug']}", 404)
    assert (await ada.ask("PATCH", path, json={}))["title"] == "Worst of"


async def test_two_lists_of_a_reader_never_share_an_address(rig: Rig, ada: Reader) -> None:
    slugs = [(await make(ada))["slug"] for _ in range(3)]
    assert slugs == ["best-of", "best-of-2", "best-of-3"]
    taken = await ada.ask("POST", LISTS, 409, json={"title": "x", "slug": "best-of-2"})
    assert taken["code"] == "SLUG_TAKEN"
    second = (await ada.ask("GET", LISTS))["items"][0]
    path = f"{LISTS}/{second['id']}"
    assert (await ada.ask("PATCH", path, 409, json={"slug": "best-of"}))["code"] == "SLUG_TAKEN"
    await ada.ask("PATCH", path, json={"slug": second["slug"]})
    bo = await a_reader(rig, "bo-reader")
    assert (await make(bo))["slug"] == "best-of"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"title": ""},
        {"title": "   "},
        {"title": "x" * 101},
        {"title": "two\nlines"},
        {"title": "turned \u202e round"},
        {"title": None},
        {"title": "x", "description": "y" * 2001},
        {"title": "x", "description": "a\x00b"},
        {"title": "x", "isPublic": "yes"},
        {"title": "x", "slug": ""},
        {"title": "x", "slug": "Big"},
        {"title": "x", "slug": "a--b"},
        {"title": "x", "slug": "-a"},
        {"title": "x", "slug": "a\n"},
        {"title": "x", "slug": "a/b"},
        {"title": "x", "slug": "a" * 101},
        {"title": "x", "userId": 1},
        {"title": "x", "entryCount": 5},
        [],
    ],
    ids=lambda body: str(body)[:40],
)
async def test_what_is_no_list_is_refused(rig: Rig, ada: Reader, body: object) -> None:
    refused = await ada.ask("POST", LISTS, 422, json=body)
    assert refused["code"] == "VALIDATION_ERROR"
    assert await rig.db.primary.first(_HOW_MANY) == 0


async def test_stored_markup_comes_back_as_text(rig: Rig, ada: Reader) -> None:
    hostile = "<script>alert('1')</script>"
    made = await make(ada, title=hostile, description=hostile, isPublic=True)
    told = await rig.get(f"{LISTS}/{made['id']}")
    assert (told.json()["title"], told.json()["description"]) == (hostile, hostile)
    assert told.headers["content-type"] == "application/json"
    assert SLUG.fullmatch(made["slug"])


async def test_there_is_room_for_a_hundred_lists_and_no_more(rig: Rig, ada: Reader) -> None:
    async def one(number: int) -> None:
        async with rig.db.transaction() as tx:
            await service.make_list(tx, rig.clock, ada.user.id, title=f"List {number}")

    for number in range(99):
        await one(number)
    async with rig.db.transaction() as tx:
        await service.make_list(tx, rig.clock, ada.user.id, title="The last")
        another = asyncio.create_task(one(100))
        await asyncio.sleep(0.3)
        assert not another.done(), "it waits to see how many there are"
    with pytest.raises(ShelfFull):
        await another
    assert await rig.db.primary.first(_HOW_MANY) == 100
    full = await ada.ask("POST", LISTS, 409, json={"title": "One more"})
    assert full["code"] == "LIMIT_REACHED"
    assert full["details"] == {"limit": 100}
    bo = await a_reader(rig, "bo-reader")
    await make(bo)


async def test_lists_come_page_by_page_the_last_changed_first(rig: Rig, ada: Reader) -> None:
    for number in range(7):
        await make(ada, title=f"List {number}", isPublic=number != 3)
        rig.clock.advance(timedelta(seconds=number % 2))
    first = (await ada.ask("GET", LISTS))["items"][-1]
    rig.clock.advance(timedelta(minutes=1))
    await ada.ask("PATCH", f"{LISTS}/{first['id']}", json={"description": "Changed"})
    for address, count in ((LISTS, 7), (f"{API}/users/ada/lists", 6)):
        titles: list[str] = []
        cursor: str | None = None
        while True:
            query = f"?limit=2{f'&cursor={cursor}' if cursor else ''}"
            page = await ada.ask("GET", address + query)
            titles += [one["title"] for one in page["items"]]
            cursor = page["nextCursor"]
            if cursor is None:
                break
        assert len(titles) == count
        assert titles[0] == "List 0"
        assert titles[1:] == [f"List {n}" for n in range(6, 0, -1) if n != 3 or count == 7]


async def test_what_was_removed_is_gone(rig: Rig, ada: Reader) -> None:
    made = await make(ada)
    await ada.ask("DELETE", f"{LISTS}/{made['id']}", 204)
    for method in ("DELETE", "GET"):
        assert (await ada.ask(method, f"{LISTS}/{made['id']}", 404))["code"] == "LIST_NOT_FOUND"
    for no_id in ("x", "%20", "1", NOBODY):
        assert (await rig.get(f"{LISTS}/{no_id}")).status_code == 404


@pytest.mark.parametrize("name", ["nobody", "ad", "%00", "a%2Fb", "<script>", "ada@example.com"])
async def test_nobody_has_no_lists(rig: Rig, ada: Reader, name: str) -> None:
    del ada
    assert (await rig.get(f"{API}/users/{name}/lists")).status_code in {400, 404}
    assert (await rig.get(f"{API}/users/{name}/lists/x")).status_code in {400, 404}


@given(st.text(max_size=120), st.sets(st.from_regex(SLUG, fullmatch=True), max_size=5))
def test_every_title_gives_an_address_that_is_free(title: str, taken: set[str]) -> None:
    first = slug_for(title, taken)
    second = slug_for(title, {*taken, first})
    for slug in (first, second):
        assert SLUG.fullmatch(slug)
        assert len(slug) <= 100
    assert first not in taken
    assert second != first
