"""Opinions taken along, taken in elsewhere, and forgotten with their account."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from rensai.kit.db import Query
from rensai.kit.events import emit
from rensai.rooms.readers.door import AccountDeleted, Belongings
from rensai.rooms.search.door import BELONGINGS as OF_SEARCH
from rensai.rooms.shelf.door import BELONGINGS as OF_SHELF
from rensai.rooms.shelf.model.lists import MOST_ENTRIES, MOST_LISTS
from tests.rig import Rig
from tests.rooms.catalogue.stories import add_story
from tests.rooms.shelf.opinions import API, NOVEL, Reader, a_reader, count_anew, hide, story_id

pytestmark = pytest.mark.anyio

FILES = {one.name: one for one in (*OF_SHELF, *OF_SEARCH)}
NAMES = ("ratings", "lists", "saved_searches")
_LEFT = Query(
    """
    SELECT (SELECT count(*) FROM ratings) + (SELECT count(*) FROM reading_lists)
        + (SELECT count(*) FROM reading_list_entries) + (SELECT count(*) FROM saved_searches)
        AS left_over
    """,
    int,
)
_TOO_MANY = Query(
    """
    SELECT entry_count - (
        SELECT count(*) FROM reading_list_entries WHERE list_id = reading_lists.id
    ) AS too_many FROM reading_lists
    """,
    int,
)


async def lines_of(rig: Rig, reader: Reader, name: str) -> list[bytes]:
    """A file of the reader's archive."""
    rows = FILES[name].rows(rig.db.primary, reader.user.id)
    return [msgspec.json.encode(row) async for row in rows]


async def told(rig: Rig, reader: Reader, name: str) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in await lines_of(rig, reader, name)]


async def restore(rig: Rig, reader: Reader, name: str, lines: Sequence[bytes]) -> int:
    belongings: Belongings = FILES[name]
    assert belongings.restore is not None
    taken = 0
    for start in range(0, len(lines), 500):
        async with rig.db.transaction() as tx:
            portion = lines[start : start + 500]
            taken += await belongings.restore(tx, reader.user, portion, rig.clock.now())
    return taken


@pytest.fixture
async def ada(rig: Rig) -> Reader:
    """A reader with every kind of opinion about the stories a to f."""
    ada = await a_reader(rig, "ada")
    for number, slug in enumerate("abcdef"):
        await add_story(rig.db, slug, source="truyen" if number % 2 else "local")
        body = {"score": number + 1, "review_text": f"<b>{slug}</b>\nline" if number else None}
        await ada.ask("POST", f"{NOVEL}/me/ratings/{await story_id(rig, slug)}", json=body)
        rig.clock.advance(timedelta(minutes=1))
    best = await ada.ask("POST", f"{API}/lists", 201, json={"title": "Best", "isPublic": True})
    await ada.ask("POST", f"{API}/lists", 201, json={"title": "Empty", "description": "Yet"})
    for slug in "cab":
        public = f"truyen:{slug}" if slug in "bdf" else slug
        uid = (await rig.get(f"{API}/series/{public}")).json()["id"]
        path = f"{API}/lists/{best['id']}/entries/{uid}"
        await ada.ask("PUT", path, 201, json={"note": f"Note on {slug}"})
    for name in ("One", "Two"):
        body = {"name": name, "query": f"q={name}&genre=x&limit=3"}
        await ada.ask("POST", f"{API}/searches", 201, json=body)
    return ada


async def test_a_rating_and_a_list_are_told_by_the_addresses_of_stories(
    rig: Rig, ada: Reader
) -> None:
    first, second, *_ = await told(rig, ada, "ratings")
    assert first["source"] == "local"
    assert {**second, "created_at": 0, "updated_at": 0} == {
        "source": "truyen",
        "slug": "b",
        "title": "B",
        "score": 2,
        "review_text": "<b>b</b>\nline",
        "created_at": 0,
        "updated_at": 0,
    }
    lists = await told(rig, ada, "lists")
    assert [(one["kind"], one["list"]) for one in lists] == [
        *[("list", "best"), *[("entry", "best")] * 3] * (lists[0]["list"] == "best"),
        ("list", "empty"),
        *[("list", "best"), *[("entry", "best")] * 3] * (lists[0]["list"] == "empty"),
    ]
    entries = [one for one in lists if one["kind"] == "entry"]
    assert [(one["slug"], one["note"]) for one in entries] == [
        (slug, f"Note on {slug}") for slug in "cab"
    ]
    assert [one["query"] for one in await told(rig, ada, "saved_searches")] == [
        "q=Two&genre=x",
        "q=One&genre=x",
    ]


async def test_what_was_taken_along_is_the_same_elsewhere_and_twice_is_once(
    rig: Rig, ada: Reader
) -> None:
    ben = await a_reader(rig, "ben-reader")
    for name in NAMES:
        lines = await lines_of(rig, ada, name)
        for _ in range(2):
            assert await restore(rig, ben, name, lines) == len(lines)
            found = await told(rig, ben, name)
            assert sorted(map(msgspec.json.encode, found)) == sorted(
                map(msgspec.json.encode, await told(rig, ada, name))
            )
            assert [one for one in found if one.get("kind") == "entry"] == [
                one for one in await told(rig, ada, name) if one.get("kind") == "entry"
            ]
    assert await rig.db.primary.first(_TOO_MANY) == 0
    await count_anew(rig)
    assert (await rig.get(f"{NOVEL}/stories/truyen/b")).json()["rating_count"] == 2


async def test_the_newer_of_two_wins(rig: Rig, ada: Reader) -> None:
    old = {name: await lines_of(rig, ada, name) for name in NAMES}
    rig.clock.advance(timedelta(days=1))
    await ada.ask("POST", f"{NOVEL}/me/ratings/{await story_id(rig, 'b')}", json={"score": 10})
    (kept, *_) = (await ada.ask("GET", f"{API}/searches"))["items"]
    await ada.ask("PATCH", f"{API}/searches/{kept['id']}", json={"query": "q=newer"})
    for one in (await ada.ask("GET", f"{API}/lists"))["items"]:
        await ada.ask("PATCH", f"{API}/lists/{one['id']}", json={"description": "newer"})
    new = {name: await told(rig, ada, name) for name in NAMES}
    for name in NAMES:
        await restore(rig, ada, name, old[name])
        assert await told(rig, ada, name) == new[name]
    ben = await a_reader(rig, "ben-reader")
    for name in NAMES:
        await restore(rig, ben, name, old[name])
        await restore(rig, ben, name, [msgspec.json.encode(one) for one in new[name]])
        assert sorted(map(str, await told(rig, ben, name))) == sorted(map(str, new[name]))


async def test_what_is_hidden_is_taken_along_without_its_name(rig: Rig, ada: Reader) -> None:
    before = {name: await told(rig, ada, name) for name in ("ratings", "lists")}
    await hide(rig, "b")
    for name, lines in before.items():
        nameless = [
            {**one, "source": None, "slug": None, "title": None} if one.get("slug") == "b" else one
            for one in lines
        ]
        assert await told(rig, ada, name) == nameless
        ben = await a_reader(rig, f"ben-{name}")
        sent = [msgspec.json.encode(one) for one in nameless]
        assert await restore(rig, ben, name, sent) == len(sent) - 1
        full = [msgspec.json.encode(one) for one in lines]
        assert await restore(rig, ben, name, full) == len(sent) - 1, "hidden here is not here"


def line(**fields: object) -> bytes:
    return msgspec.json.encode(fields)


AT = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}
RATING = {"source": "truyen", "slug": "b", "score": 5, **AT}
LIST = {"kind": "list", "list": "best", "title": "T", **AT}
ENTRY = {
    "kind": "entry",
    "list": "best",
    "source": "truyen",
    "slug": "b",
    "added_at": AT["created_at"],
}
SEARCH = {"name": "N", "query": "q=x", **AT}
BAD: dict[str, list[bytes]] = {
    "ratings": [
        line(**RATING | {"score": 11}),
        line(**RATING | {"score": "5"}),
        line(**RATING | {"review_text": "x" * 2001}),
        line(**RATING | {"review_text": "a\x07b"}),
        line(**RATING | {"slug": "nowhere"}),
        line(**RATING | {"slug": "a\x00"}),
        line(**RATING | {"created_at": "2026-01-01T00:00:00"}),
        line(**RATING | {"created_at": "yesterday"}),
    ],
    "lists": [
        line(**LIST | {"list": "Not A Slug"}),
        line(**LIST | {"title": " "}),
        line(**LIST | {"title": "a\nb"}),
        line(**LIST | {"description": "a\x00b"}),
        line(**LIST | {"kind": "table"}),
        line(**ENTRY | {"list": "no-such-list"}),
        line(**ENTRY | {"note": "a\x07b"}),
        line(**ENTRY | {"slug": "nowhere"}),
    ],
    "saved_searches": [
        line(**SEARCH | {"name": ""}),
        line(**SEARCH | {"name": "a\nb"}),
        line(**SEARCH | {"query": "colour=red"}),
        line(**SEARCH | {"query": "q=a%00b"}),
        line(**SEARCH | {"query": "x" * 5000}),
    ],
}
NONSENSE = [b"", b"null", b"{", b"[]", b"\xff\xfe", b'"\\ud800"', b"{}", b"[" * 100_000]


@pytest.mark.parametrize("name", NAMES)
async def test_what_anybody_may_have_written_is_passed_over(
    rig: Rig, ada: Reader, name: str
) -> None:
    before = await told(rig, ada, name)
    assert await restore(rig, ada, name, [*NONSENSE, *BAD[name]]) == 0
    assert await told(rig, ada, name) == before


async def test_times_that_cannot_be_are_brought_into_the_past(rig: Rig, ada: Reader) -> None:
    ben = await a_reader(rig, "ben-reader")
    odd = ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00")
    for created, updated in (odd, odd[::-1]):
        times = {"created_at": created, "updated_at": updated}
        for name, given in (
            ("ratings", [line(**RATING | times)]),
            ("lists", [line(**LIST | times), line(**ENTRY | {"added_at": created})]),
            ("saved_searches", [line(**SEARCH | times)]),
        ):
            assert await restore(rig, ben, name, given) == len(given)
            for one in await told(rig, ben, name):
                for field in ("created_at", "updated_at", "added_at"):
                    assert one.get(field, "1970") <= rig.clock.now().isoformat().replace(
                        "+00:00", "Z"
                    )
    del ada


async def test_one_story_twice_in_an_archive_is_one_rating(rig: Rig, ada: Reader) -> None:
    del ada
    ben = await a_reader(rig, "ben-reader")
    later = "2026-02-01T00:00:00Z"
    lines = [line(**RATING | {"updated_at": later, "score": 9}), line(**RATING)]
    assert await restore(rig, ben, "ratings", lines) == 2
    assert [one["score"] for one in await told(rig, ben, "ratings")] == [9]


async def test_no_archive_makes_more_than_there_is_room_for(rig: Rig, ada: Reader) -> None:
    lists = [line(**LIST | {"list": f"list-{n}"}) for n in range(MOST_LISTS + 20)]
    assert await restore(rig, ada, "lists", lists) == MOST_LISTS - 2
    searches = [line(**SEARCH | {"name": f"search {n}"}) for n in range(120)]
    assert await restore(rig, ada, "saved_searches", searches) == 98
    assert len(await told(rig, ada, "saved_searches")) == 100
    for number in range(MOST_ENTRIES):
        await add_story(rig.db, f"s{number}")
    entries = [
        line(**ENTRY | {"source": "local", "slug": f"s{number}"}) for number in range(MOST_ENTRIES)
    ]
    assert await restore(rig, ada, "lists", entries) == MOST_ENTRIES - 3
    assert await rig.db.primary.first(_TOO_MANY) == 0


async def test_an_account_that_is_gone_leaves_no_opinion(rig: Rig, ada: Reader) -> None:
    ben = await a_reader(rig, "ben-reader")
    await ben.ask("POST", f"{NOVEL}/me/ratings/{await story_id(rig, 'b')}", json={"score": 4})
    await count_anew(rig)
    assert (await rig.get(f"{NOVEL}/stories/truyen/b")).json()["rating_avg"] == 3.0
    for _ in range(2):  # it may be told twice
        async with rig.db.transaction() as tx:
            await emit(tx, AccountDeleted(ada.user.id))
        await rig.work()
    assert await rig.db.primary.first(_LEFT) == 1
    await count_anew(rig)
    told_of_b = (await rig.get(f"{NOVEL}/stories/truyen/b")).json()
    assert (told_of_b["rating_avg"], told_of_b["rating_count"]) == (4.0, 1)
    assert (await rig.get(f"{NOVEL}/stories/local/a")).json()["rating_count"] == 0
    assert (await rig.get(f"{API}/users/ada/lists")).json()["items"] == []


async def test_restoring_while_rating_and_counting_ends_well(rig: Rig, ada: Reader) -> None:
    lines = await lines_of(rig, ada, "ratings")
    readers = [await a_reader(rig, f"reader-{number}") for number in range(3)]
    path = f"{NOVEL}/me/ratings/{await story_id(rig, 'b')}"

    async def rate() -> None:
        for score in range(1, 11):
            await ada.ask("POST", path, json={"score": score})

    async with asyncio.timeout(60):
        await asyncio.gather(
            rate(),
            *(restore(rig, one, "ratings", lines) for one in readers),
            *(restore(rig, one, "ratings", lines[::-1]) for one in readers),
        )
    await count_anew(rig)
    told_of_b = (await rig.get(f"{NOVEL}/stories/truyen/b")).json()
    assert (told_of_b["rating_count"], told_of_b["rating_avg"]) == (4, 4.0)
