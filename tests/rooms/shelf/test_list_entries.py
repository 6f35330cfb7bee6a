"""What stands on reading lists, in which order, and who sees it."""

import asyncio
import random
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from rensai.kit.db import Command, Query
from rensai.rooms.shelf.errors import ShelfFull
from rensai.rooms.shelf.service import entries as service
from rensai.rooms.shelf.store import entries as store
from rensai.rooms.shelf.store import lists as list_store
from tests.plans import assert_served_by_index
from tests.rig import Rig
from tests.rooms.catalogue.stories import add_story, fill
from tests.rooms.shelf.opinions import API, Reader, a_crowd, a_reader, hide, story_id

pytestmark = pytest.mark.anyio

NOBODY = "0190163d-8694-739b-aea5-966c26f8ad91"
_UID = Query("SELECT uid::text AS uid FROM stories WHERE slug = $1", str)
_POSITIONS = Query("SELECT position FROM reading_list_entries ORDER BY position", int)
_HELD = Query(
    """
    SELECT entry_count - (
        SELECT count(*) FROM reading_list_entries WHERE list_id = reading_lists.id
    ) AS too_many FROM reading_lists
    """,
    int,
)


class Kept:
    """A public list of a reader, and a way to ask for it."""

    def __init__(self, rig: Rig, owner: Reader, told: dict[str, Any]) -> None:
        self.rig = rig
        self.owner = owner
        self.uid = UUID(told["id"])
        self.path = f"{API}/lists/{self.uid}"

    async def entry(self, slug: str) -> str:
        uid = await self.rig.db.primary.first(_UID, slug)
        return f"{self.path}/entries/{uid}"

    async def put(self, slug: str, status: int = 201, **given: Any) -> Any:  # Any: decoded JSON
        if given.get("after"):
            given["after"] = await self.rig.db.primary.first(_UID, given["after"])
        return await self.owner.ask("PUT", await self.entry(slug), status, json=given)

    async def told(self, limit: int = 100) -> list[dict[str, Any]]:
        """All that everybody sees on it."""
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            query = f"?limit={limit}{f'&cursor={cursor}' if cursor else ''}"
            answer = await self.rig.get(f"{self.path}/entries{query}")
            assert answer.status_code == 200, answer.text
            page = answer.json()
            assert len(page["items"]) == limit or not page["hasMore"]
            found += page["items"]
            cursor = page["nextCursor"]
            if cursor is None:
                return found

    async def slugs(self, limit: int = 100) -> list[str]:
        return [one["series"]["slug"] for one in await self.told(limit)]


@pytest.fixture
async def kept(rig: Rig) -> Kept:
    """A public list with the stories a, b, c and d on it."""
    ada = await a_reader(rig, "ada")
    body = {"title": "Best of", "isPublic": True}
    kept = Kept(rig, ada, await ada.ask("POST", f"{API}/lists", 201, json=body))
    for slug in "abcd":
        await add_story(rig.db, slug)
        await kept.put(slug)
    return kept


async def test_a_new_entry_comes_last_and_says_what_it_is(rig: Rig, kept: Kept) -> None:
    assert await kept.slugs() == ["a", "b", "c", "d"]
    await add_story(rig.db, "e", source="truyen", title="E", chapters=7)
    told = await kept.put("e", note=" <b>Read it</b>\r\ntwice ")
    last = (await kept.told())[-1]
    assert told["note"] == last["note"] == "<b>Read it</b>\ntwice"
    assert told["addedAt"] == last["addedAt"]
    card = last["series"]
    assert (card["id"], card["slug"]) == (told["seriesId"], "truyen:e")
    assert (card["title"], card["chapterCount"], card["status"]) == ("E", 7, "ongoing")
    assert (await rig.get(kept.path)).json()["entryCount"] == 5


async def test_putting_what_is_there_changes_what_is_named_alone(kept: Kept) -> None:
    await kept.put("b", 200, note="A note")
    assert await kept.slugs() == ["a", "b", "c", "d"]
    await kept.put("b", 200, after="d")
    (moved,) = [one for one in await kept.told() if one["series"]["slug"] == "b"]
    assert moved["note"] == "A note"
    await kept.put("b", 200)
    assert await kept.slugs() == ["a", "c", "d", "b"]
    await kept.put("b", 200, note="")
    assert {one["note"] for one in await kept.told()} == {""}


@pytest.mark.parametrize(
    ("slug", "after", "order"),
    [
        ("c", None, "cabd"),
        ("a", None, "abcd"),
        ("a", "d", "bcda"),
        ("a", "b", "bacd"),
        ("d", "a", "adbc"),
        ("d", "c", "abcd"),
        ("c", "c", "abcd"),
        ("b", "a", "abcd"),
    ],
)
async def test_an_entry_follows_the_one_that_it_is_to_follow(
    kept: Kept, slug: str, after: str | None, order: str
) -> None:
    await kept.put(slug, 200, after=after)
    assert await kept.slugs() == list(order)


async def test_moving_again_and_again_to_one_place_never_runs_out_of_room(kept: Kept) -> None:
    chance = random.Random(7)  # noqa: S311 - a mind to be changed
    order = ["a", "b", "c", "d"]
    for turn in range(80):
        moved = chance.choice("bcd") if turn < 70 else chance.choice("abcd")
        after = "a" if turn < 70 else None
        async with kept.rig.db.transaction() as tx:
            await service.put_entry(
                tx,
                kept.rig.clock,
                kept.owner.user.id,
                kept.uid,
                await story_id(kept.rig, moved),
                after=None if after is None else await story_id(kept.rig, after),
            )
        order.remove(moved)
        order.insert(0 if after is None else order.index(after) + 1, moved)
        assert await kept.slugs() == order
    positions = await kept.rig.db.primary.all(_POSITIONS)
    assert len(set(positions)) == 4


async def test_a_whole_order_is_taken_and_the_rest_follows_as_it_was(kept: Kept) -> None:
    ids = {one["series"]["slug"]: one["series"]["id"] for one in await kept.told()}
    path = f"{kept.path}/order"
    await kept.owner.ask("PUT", path, 204, json={"series": [ids["d"], ids["b"]]})
    assert await kept.slugs() == ["d", "b", "a", "c"]
    await kept.owner.ask("PUT", path, 204, json={"series": []})
    assert await kept.slugs() == ["d", "b", "a", "c"]
    for wrong in ([NOBODY], [ids["a"], ids["a"]], ["x"], None):
        refused = await kept.owner.ask("PUT", path, 422, json={"series": wrong})
        assert refused["code"] == "VALIDATION_ERROR"
    assert await kept.slugs(limit=1) == ["d", "b", "a", "c"]


async def test_what_cannot_be_is_refused(rig: Rig, kept: Kept) -> None:
    await add_story(rig.db, "elsewhere")
    await kept.put("a", 422, note="x" * 1001)
    await kept.put("a", 422, note="a\x07b")
    await kept.put("a", 422, position=3)
    await kept.put("a", 422, after="elsewhere")
    await kept.owner.ask("PUT", await kept.entry("a"), 422, json={"after": "b"})
    missing = await kept.owner.ask("PUT", f"{kept.path}/entries/{NOBODY}", 404, json={})
    assert missing["code"] == "SERIES_NOT_FOUND"
    gone = await kept.owner.ask("PUT", await kept.entry("a"), 404, json={"after": NOBODY})
    assert gone["code"] == "SERIES_NOT_FOUND"
    not_there = await kept.owner.ask("DELETE", await kept.entry("elsewhere"), 404)
    assert not_there["code"] == "ENTRY_NOT_FOUND"
    assert await kept.slugs() == ["a", "b", "c", "d"]


async def test_taking_off_leaves_the_others_in_their_order(rig: Rig, kept: Kept) -> None:
    await kept.owner.ask("DELETE", await kept.entry("b"), 204)
    await kept.owner.ask("DELETE", await kept.entry("b"), 404)
    assert await kept.slugs() == ["a", "c", "d"]
    assert (await rig.get(kept.path)).json()["entryCount"] == 3
    assert await rig.db.primary.first(_HELD) == 0


async def test_nobody_else_changes_a_list(rig: Rig, kept: Kept) -> None:
    bo = await a_reader(rig, "bo-reader")
    entry = await kept.entry("a")
    for method, path in (("PUT", entry), ("DELETE", entry), ("PUT", f"{kept.path}/order")):
        body = {"series": [NOBODY]} if path.endswith("order") else {"note": "Mine now"}
        answer = await bo.ask(method, path, 404, json=body)
        assert answer["code"] == "LIST_NOT_FOUND"
        assert (await rig.client.request(method, path, json=body)).status_code == 401
    assert await kept.slugs() == ["a", "b", "c", "d"]
    assert {one["note"] for one in await kept.told()} == {""}


async def test_what_is_hidden_is_on_no_page_and_in_no_count_and_comes_back(
    rig: Rig, kept: Kept
) -> None:
    for number in range(40):
        await add_story(rig.db, f"s{number}")
        async with rig.db.transaction() as tx:
            await service.put_entry(
                tx,
                rig.clock,
                kept.owner.user.id,
                kept.uid,
                await story_id(rig, f"s{number}"),
            )
    everything = await kept.slugs()
    for slug in ("b", *(f"s{number}" for number in range(35))):
        await hide(rig, slug)
    shown = ["a", "c", "d", *(f"s{number}" for number in range(35, 40))]
    for limit in (1, 3, 100):
        assert await kept.slugs(limit) == shown
    assert (await rig.get(kept.path)).json()["entryCount"] == len(shown)
    told = (await rig.get(f"{API}/users/ada/lists")).json()["items"]
    assert [one["entryCount"] for one in told] == [len(shown)]
    await kept.owner.ask("PUT", await kept.entry("b"), 404, json={"note": "hidden"})
    for slug in ("b", *(f"s{number}" for number in range(35))):
        await hide(rig, slug, hidden=False)
    assert await kept.slugs() == everything


async def test_there_is_room_for_a_thousand_entries_and_no_more(rig: Rig, kept: Kept) -> None:
    await fill(rig.db, 1000)
    async with rig.db.transaction() as tx:
        await tx.all(_MANY, list(range(5, 1000)))

    async def put(number: int) -> bool:
        async with rig.db.transaction() as tx:
            _, is_new = await service.put_entry(tx, rig.clock, kept.owner.user.id, kept.uid, number)
        return is_new

    ended = await asyncio.gather(*(put(number) for number in (1000, 1001)), return_exceptions=True)
    assert sorted(map(type, ended), key=str) == sorted([bool, ShelfFull], key=str)
    assert await put(5) is False, "what is there can still be changed"
    assert await rig.db.primary.first(_HELD) == 0


_MANY = Query(
    """
    WITH put AS (
        INSERT INTO reading_list_entries (list_id, story_id, position, added_at)
        SELECT reading_lists.id, story_id, story_id * 4294967296, now()
        FROM unnest($1::bigint []) AS story_id, reading_lists
        RETURNING story_id
    )
    UPDATE reading_lists SET entry_count = entry_count + (SELECT count(*) FROM put) RETURNING id
    """,
    int,
)
_FILL = Command(
    """
    INSERT INTO reading_lists (uid, user_id, slug, title, is_public, created_at, updated_at)
    SELECT gen_random_uuid(), users.id, 'l-' || n, 'List', n % 2 = 0, now(),
        now() - (n * 7919 % 101) * interval '1 minute'
    FROM users, generate_series(1, 40) AS n
    """
)
_FILL_ENTRIES = Command(
    """
    INSERT INTO reading_list_entries (list_id, story_id, position, added_at)
    SELECT reading_lists.id, n, n * 7919 % 997, now()
    FROM reading_lists, generate_series(1, 300) AS n
    WHERE reading_lists.id % 10 = 0
    """
)
_ANALYSE = Command("ANALYZE")


async def test_every_list_is_read_from_its_index(rig: Rig) -> None:
    await fill(rig.db, 2000)
    ids = await a_crowd(rig, 100)
    async with rig.db.transaction(timedelta(minutes=2)) as tx:
        await tx.run(_FILL)
        await tx.run(_FILL_ENTRIES)
        await tx.run(_ANALYSE)
    now = rig.clock.now() + timedelta(hours=1)
    async with rig.db.transaction() as tx:
        for query in (list_store.OWN, list_store.PUBLIC):
            await assert_served_by_index(tx, query, ids[7], now, 1, 21, at_most=21)
        await assert_served_by_index(tx, store.FOLLOWING, 10, 400, 5, 21, at_most=21)
        await assert_served_by_index(tx, store._LAST, 10, at_most=1)  # pyright: ignore[reportPrivateUsage] - to see its plan
