"""Lists of ratings: every order by its index, every page whole, however many there are."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rensai.kit.db import Command, Database, Query
from rensai.rooms.catalogue.door import touch_recounts
from rensai.rooms.shelf.model.ratings import RatingSort
from rensai.rooms.shelf.store import figures
from rensai.rooms.shelf.store import ratings as store
from tests.plans import assert_served_by_index, nodes, plan_of
from tests.rig import Rig
from tests.rooms.catalogue.stories import add_story
from tests.rooms.shelf.opinions import API, NOVEL, a_crowd, a_reader, count_anew, story_id

pytestmark = pytest.mark.anyio

MANY = 20_000
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
# Many equal scores and equal times, so that only the id tells some of them apart.
_RATE = Command(
    """
    INSERT INTO ratings (uid, user_id, story_id, score, review_text, created_at, updated_at)
    SELECT gen_random_uuid(), users.id, $1, 1 + users.id % 10, 'Review ' || users.id,
        $2::timestamptz - (users.id * 7919 % $3) * interval '1 minute', $2::timestamptz
    FROM users WHERE username LIKE 'crowd-%'
    """
)
_ANALYSE = Command("ANALYZE")
_VACUUM = Query("VACUUM (ANALYZE) ratings", str)
_USED = {
    RatingSort.NEWEST: "ratings_newest",
    RatingSort.HIGHEST: "ratings_highest",
    RatingSort.LOWEST: "ratings_lowest",
}


async def rated_by_a_crowd(rig: Rig, size: int, *slugs: str) -> None:
    """Stories that so many readers have rated."""
    await a_crowd(rig, size)
    for slug in slugs:
        await add_story(rig.db, slug, source="truyen")
        async with rig.db.transaction(timedelta(minutes=2)) as tx:
            await tx.run(_RATE, await story_id(rig, slug), NOON, max(1, size // 4))


async def walk(rig: Rig, path: str, name: str, **query: Any) -> list[dict[str, Any]]:
    """Every item of a list, page by page."""
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        given = {**query, **({"cursor": cursor} if cursor else {})}
        answer = await rig.get(path, params=given)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += page["items"]
        cursor = page[name]
        if cursor is None:
            return found


def expected(items: Sequence[dict[str, Any]], sort: str) -> list[dict[str, Any]]:
    newest = sorted(items, key=lambda one: (one["created_at"], one["id"]), reverse=True)
    if sort == "newest":
        return newest
    return sorted(newest, key=lambda one: one["score"] * (1 if sort == "lowest" else -1))


@pytest.mark.parametrize("sort", [one.value for one in RatingSort])
async def test_every_order_is_whole_and_right_at_any_size_of_page(rig: Rig, sort: str) -> None:
    await rated_by_a_crowd(rig, 60, "hot", "other")
    path = f"{NOVEL}/stories/truyen/hot/ratings"
    for limit in (1, 7, 50):
        items = await walk(rig, path, "next_cursor", sort=sort, limit=limit)
        assert len({one["id"] for one in items}) == len(items) == 60
        assert items == expected(items, sort)
    told = await walk(rig, f"{API}/series/truyen:hot/ratings", "nextCursor", sort=sort)
    assert [one["reviewText"] for one in told] == [one["review_text"] for one in items]


async def test_a_cursor_is_good_for_its_own_story_and_order_alone(rig: Rig) -> None:
    await rated_by_a_crowd(rig, 5, "hot", "other")
    page = (await rig.get(f"{NOVEL}/stories/truyen/hot/ratings?limit=2")).json()
    cursor = page["next_cursor"]
    highest = (await rig.get(f"{NOVEL}/stories/truyen/hot/ratings?limit=2&sort=highest")).json()
    for path in (
        f"{NOVEL}/stories/truyen/hot/ratings?sort=lowest&cursor={highest['next_cursor']}",
        f"{NOVEL}/stories/truyen/other/ratings?cursor={cursor}",
        f"{NOVEL}/stories/truyen/hot/ratings?sort=highest&cursor={cursor}",
        f"{NOVEL}/stories/truyen/hot/ratings?cursor={cursor[:-1]}",
        f"{NOVEL}/stories/truyen/hot/ratings?cursor=AAAA",
    ):
        answer = await rig.get(path)
        assert answer.status_code == 400, path
        assert answer.json()["error"]["code"] == "invalid_cursor"


@pytest.mark.parametrize("query", ["sort=oldest", "limit=0", "limit=51", "limit=x", "min_score=5"])
async def test_what_the_list_does_not_know_is_refused(rig: Rig, query: str) -> None:
    await add_story(rig.db, "hot", source="truyen")
    answer = await rig.get(f"{NOVEL}/stories/truyen/hot/ratings?{query}")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid_filter"


async def test_who_rates_while_others_page_loses_and_doubles_nothing(rig: Rig) -> None:
    await rated_by_a_crowd(rig, 30, "hot")
    ada = await a_reader(rig, "ada")
    path = f"{NOVEL}/stories/truyen/hot/ratings"
    first = (await rig.get(f"{path}?limit=10&sort=lowest")).json()
    mine = f"{NOVEL}/me/ratings/{await story_id(rig, 'hot')}"
    await ada.ask("POST", mine, json={"score": 1})
    rest: list[dict[str, Any]] = []
    cursor = first["next_cursor"]
    while cursor:
        page = (await rig.get(f"{path}?limit=10&sort=lowest&cursor={cursor}")).json()
        rest += page["items"]
        cursor = page["next_cursor"]
    ids = [one["id"] for one in (*first["items"], *rest)]
    assert len(set(ids)) == len(ids) == 30


async def test_each_order_reads_one_index_and_sorts_nothing(rig: Rig) -> None:
    await rated_by_a_crowd(rig, MANY, "hot", "warm")
    async with rig.db.transaction(timedelta(minutes=2)) as tx:
        await tx.run(_ANALYSE)
    hot = await story_id(rig, "hot")
    deep = NOON - timedelta(minutes=MANY // 8)
    keys = {
        RatingSort.NEWEST: (deep, MANY),
        RatingSort.HIGHEST: (5, deep, MANY),
        RatingSort.LOWEST: (-5, deep, MANY),
    }
    async with rig.db.transaction() as tx:
        for (sort, after), query in store.LISTS.items():
            args = (hot, 51, *(keys[sort] if after else ()))
            await assert_served_by_index(tx, query, *args, at_most=51)
            plan = await plan_of(tx, query, *args)
            assert [node["Node Type"] for node in nodes(plan)] == ["Limit", "Index Scan"]
            assert plan["Plans"][0]["Index Name"] == _USED[sort]
            assert plan["Plans"][0]["Scan Direction"] == "Backward"
        reader = 77
        for query, args in (
            (store.OWN_LIST, (reader, NOON, 1, 51)),
            (store.OWN_BY_STORY, (reader, 0, 51)),
        ):
            await assert_served_by_index(tx, query, *args, at_most=10)


async def test_a_hot_story_is_counted_from_an_index_alone(rig: Rig, database: Database) -> None:
    await rated_by_a_crowd(rig, MANY, "hot", "warm")
    await database.primary.all(_VACUUM)
    ids = [await story_id(rig, "hot")]
    async with database.transaction() as tx:
        plan = await plan_of(tx, figures.COUNT, ids)
        (scan,) = (node for node in nodes(plan) if "Index Name" in node)
        assert scan["Node Type"] == "Index Only Scan"
        # The last page may have been written too lately to be known as visible to everybody.
        assert scan["Heap Fetches"] < MANY // 100
    async with rig.db.transaction() as tx:
        await touch_recounts(tx, rig.clock, ids)
    await count_anew(rig)
    summary = (await rig.get(f"{NOVEL}/stories/truyen/hot/ratings?limit=1")).json()["summary"]
    assert summary["count"] == MANY
    assert summary["distribution"] == {str(score): MANY // 10 for score in range(1, 11)}
