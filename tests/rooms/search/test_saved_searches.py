"""Searches that readers keep."""

import asyncio
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.kit.db import Command, Query
from rensai.kit.errors import InvalidFilter
from rensai.rooms.search.adapters.questions import one_spelling
from rensai.rooms.search.errors import TooManySearches
from rensai.rooms.search.service import saved as service
from rensai.rooms.search.store import saved as store
from tests.plans import assert_served_by_index
from tests.rig import Rig
from tests.rooms.catalogue.incoming import Shelf, story
from tests.rooms.shelf.opinions import API, Reader, a_crowd, a_reader

pytestmark = pytest.mark.anyio

SEARCHES = f"{API}/searches"
NOBODY = "0190163d-8694-739b-aea5-966c26f8ad91"
_HOW_MANY = Query("SELECT count(*) AS kept FROM saved_searches", int)


@pytest.fixture
async def ada(rig: Rig) -> Reader:
    return await a_reader(rig, "ada")


async def keep(reader: Reader, name: str = "Mine", query: str = "q=sword") -> dict[str, Any]:
    return await reader.ask("POST", SEARCHES, 201, json={"name": name, "query": query})


async def test_a_search_is_kept_and_its_address_answers_as_of_now(rig: Rig, ada: Reader) -> None:
    at = rig.clock.now().isoformat().replace("+00:00", "Z")
    query = "?status=ongoing&exclude_genre=horror&q=%20Th%E1%BA%A7n%20&cursor=abc&limit=5&match=any"
    kept = await keep(ada, " Swords, mostly ", query)
    spelt = "q=Th%E1%BA%A7n&exclude_genre=horror&status=ongoing"
    assert kept == {
        "id": kept["id"],
        "name": "Swords, mostly",
        "query": spelt,
        "url": f"http://rensai.test/api/v1/search?{spelt}",
        "createdAt": at,
        "updatedAt": at,
    }
    assert await ada.ask("GET", f"{SEARCHES}/{kept['id']}") == kept
    assert (await ada.ask("GET", SEARCHES))["items"] == [kept]
    found = (await rig.get(kept["url"])).json()
    assert (found["total"], found["items"]) == (0, [])
    await Shelf(rig.db, rig.clock).stories(story("s1", title="Thần Đạo", status=1))
    await rig.work()
    async with asyncio.timeout(20):
        while not (await rig.get(kept["url"])).json()["items"]:  # noqa: ASYNC110 - it tells
            await asyncio.sleep(0.05)


async def test_a_search_that_wants_no_counts_is_kept_so(rig: Rig, ada: Reader) -> None:
    kept = await keep(ada, query="counts=false&values=5&sort=newest")
    assert kept["query"] == "sort=newest&counts=false&values=5"
    assert (await rig.get(kept["url"])).json()["facets"] == {}
    everything = await keep(ada, "All", "")
    assert everything["url"] == "http://rensai.test/api/v1/search"


async def test_a_search_gets_another_name_or_asks_something_else(rig: Rig, ada: Reader) -> None:
    kept = await keep(ada)
    path = f"{SEARCHES}/{kept['id']}"
    rig.clock.advance(timedelta(minutes=1))
    renamed = await ada.ask("PATCH", path, json={"name": "Yours"})
    assert renamed == kept | {"name": "Yours", "updatedAt": renamed["updatedAt"]}
    assert renamed["updatedAt"] > kept["updatedAt"]
    other = await ada.ask("PATCH", path, json={"query": "q=spear"})
    assert (other["name"], other["query"]) == ("Yours", "q=spear")
    assert await ada.ask("PATCH", path, json={}) | {"updatedAt": ""} == other | {"updatedAt": ""}
    second = await keep(ada, "Second")
    taken = await ada.ask("PATCH", path, 409, json={"name": "Second"})
    assert taken["code"] == "NAME_TAKEN"
    taken = await ada.ask("POST", SEARCHES, 409, json={"name": " Second ", "query": ""})
    assert taken["code"] == "NAME_TAKEN"
    await ada.ask("PATCH", f"{SEARCHES}/{second['id']}", json={"name": "Second"})
    await ada.ask("DELETE", path, 204)
    assert (await ada.ask("DELETE", path, 404))["code"] == "SEARCH_NOT_FOUND"


async def test_nobody_sees_or_touches_the_searches_of_another(rig: Rig, ada: Reader) -> None:
    kept = await keep(ada)
    path = f"{SEARCHES}/{kept['id']}"
    bo = await a_reader(rig, "bo-reader")
    nobody = await bo.ask("GET", f"{SEARCHES}/{NOBODY}", 404)
    for method in ("GET", "PATCH", "DELETE"):
        body = {"name": "Stolen"} if method == "PATCH" else None
        assert await bo.ask(method, path, 404, json=body) == nobody
        assert (await rig.client.request(method, path, json=body)).status_code == 401
    assert (await bo.ask("GET", SEARCHES))["items"] == []
    assert (await rig.get(SEARCHES)).status_code == 401
    assert (await rig.post(SEARCHES, json={"name": "x", "query": ""})).status_code == 401
    assert await ada.ask("GET", path) == kept
    await keep(bo)  # the same name, for another reader
    for no_id in ("x", "1", "%20"):
        await ada.ask("GET", f"{SEARCHES}/{no_id}", 404)


@pytest.mark.parametrize(
    "query",
    [
        "colour=red",
        "custom:nothing=x",
        "status=asleep",
        "status=",
        "sort=relevance",
        "sort=sideways",
        "match=some",
        "q=a&q=b",
        "counts=maybe",
        "values=0",
        "limit=101",
        "q=" + "x" * 301,
        "q=" + "+a" * 30,
        "genre=" + "&genre=".join(map(str, range(51))),
        "q=a%00b",
        "q=a%0Ab",
        "q=%ff",
        "&".join(f"x{n}=1" for n in range(500)),
        "q=" + "%E1%BA%A7" * 400,
    ],
    ids=lambda query: query[:30],
)
async def test_what_search_would_refuse_is_not_kept(rig: Rig, ada: Reader, query: str) -> None:
    body = {"name": "Mine", "query": query}
    refused = await ada.ask("POST", SEARCHES, 422, json=body)
    assert refused["code"] == "VALIDATION_ERROR"
    kept = await keep(ada)
    await ada.ask("PATCH", f"{SEARCHES}/{kept['id']}", 422, json={"query": query})
    assert await rig.db.primary.first(_HOW_MANY) == 1


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "x"},
        {"query": "q=x"},
        {"name": "", "query": ""},
        {"name": "  ", "query": ""},
        {"name": "x" * 101, "query": ""},
        {"name": "a\nb", "query": ""},
        {"name": "a\x00b", "query": ""},
        {"name": "x", "query": "q=" + "x" * 4000},
        {"name": "x", "query": None},
        {"name": "x", "query": "", "userId": 1},
        [],
    ],
    ids=lambda body: str(body)[:40],
)
async def test_what_is_no_search_is_refused(rig: Rig, ada: Reader, body: object) -> None:
    refused = await ada.ask("POST", SEARCHES, 422, json=body)
    assert refused["code"] == "VALIDATION_ERROR"
    assert await rig.db.primary.first(_HOW_MANY) == 0


async def test_a_name_comes_back_as_the_same_text(rig: Rig, ada: Reader) -> None:
    del rig
    hostile = "<script>alert('1')</script>"
    kept = await keep(ada, hostile, urlencode({"q": hostile}))
    assert kept["name"] == hostile
    assert "<" not in kept["url"]


async def test_there_is_room_for_a_hundred_searches_and_no_more(rig: Rig, ada: Reader) -> None:
    async def one(number: int) -> None:
        async with rig.db.transaction() as tx:
            await service.save(tx, rig.clock, ada.user.id, name=f"Search {number}", query="")

    for number in range(99):
        await one(number)
    async with rig.db.transaction() as tx:
        await service.save(tx, rig.clock, ada.user.id, name="The last", query="")
        another = asyncio.create_task(one(100))
        await asyncio.sleep(0.3)
        assert not another.done(), "it waits to see how many there are"
    with pytest.raises(TooManySearches):
        await another
    assert await rig.db.primary.first(_HOW_MANY) == 100
    full = await ada.ask("POST", SEARCHES, 409, json={"name": "One more", "query": ""})
    assert (full["code"], full["details"]) == ("LIMIT_REACHED", {"limit": 100})


async def test_searches_come_page_by_page_the_latest_first(rig: Rig, ada: Reader) -> None:
    for number in range(7):
        await keep(ada, f"Search {number}")
        rig.clock.advance(timedelta(seconds=number % 2))
    names: list[str] = []
    cursor: str | None = None
    while True:
        query = f"?limit=2{f'&cursor={cursor}' if cursor else ''}"
        page = await ada.ask("GET", SEARCHES + query)
        names += [one["name"] for one in page["items"]]
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert names == [f"Search {number}" for number in range(6, -1, -1)]


async def test_an_account_that_saves_without_end_must_wait(rig: Rig, ada: Reader) -> None:
    del rig
    kept = await keep(ada)
    path = f"{SEARCHES}/{kept['id']}"
    for _ in range(59):
        await ada.ask("PATCH", path, json={})
    assert (await ada.ask("PATCH", path, 429, json={}))["code"] == "RATE_LIMITED"


_FILL = Command(
    """
    INSERT INTO saved_searches (id, user_id, name, query, created_at, updated_at)
    SELECT gen_random_uuid(), users.id, 'Search ' || n, 'q=x',
        now() - (n * 7919 % 101) * interval '1 minute', now()
    FROM users, generate_series(1, 100) AS n
    """
)
_ANALYSE = Command("ANALYZE")


async def test_the_list_is_read_from_its_index(rig: Rig) -> None:
    ids = await a_crowd(rig, 100)
    async with rig.db.transaction(timedelta(minutes=2)) as tx:
        await tx.run(_FILL)
        await tx.run(_ANALYSE)
    async with rig.db.transaction() as tx:
        args = (ids[7], rig.clock.now(), NOBODY, 21)
        await assert_served_by_index(tx, store.OF_USER, *args, at_most=21)


_VALUES = st.text(min_size=1, max_size=8)
_QUERIES = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["genre", "author", "tag", "exclude_tag", "custom:x"]), _VALUES),
        st.tuples(st.just("q"), st.text(max_size=8)),
        st.sampled_from(
            [
                *(("match", "all"), ("match", "any"), ("sort", "newest"), ("sort", "relevance")),
                *(("type", "novel"), ("type", "series"), ("counts", "false"), ("values", "30")),
                *(("limit", "7"), ("cursor", "abc"), ("kind", "novel"), ("kind", "manga")),
            ]
        ),
    ),
    max_size=6,
)


@given(_QUERIES, st.randoms())
def test_one_spelling_asks_the_same_and_is_one(pairs: list[tuple[str, str]], chance: Any) -> None:
    try:
        spelt, question = one_spelling(urlencode(pairs, errors="surrogatepass"))
    except InvalidFilter:
        return
    again, asked = one_spelling(spelt)
    assert again == spelt
    assert asked.text.strip() == question.text.strip()
    assert (asked.sort, asked.counts, asked.values) == (
        question.sort,
        question.counts,
        question.values,
    )
    for one, other in (
        (asked.filters.include, question.filters.include),
        (asked.filters.exclude, question.filters.exclude),
    ):
        assert {name: set(values) for name, values in one.items()} == {
            name: set(values) for name, values in other.items()
        }
    assert asked.filters.match_all == question.filters.match_all
    if len({name for name, _ in pairs if name not in {"limit", "cursor"}}) == len(pairs):
        chance.shuffle(pairs)
        assert one_spelling(urlencode(pairs, errors="surrogatepass"))[0] == spelt
