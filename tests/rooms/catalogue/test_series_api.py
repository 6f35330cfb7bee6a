"""`GET /api/v1/series`, as a program meets it."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.rig import Rig
from tests.rooms.catalogue.stories import MORNING, add_story, fill

pytestmark = pytest.mark.anyio


async def test_a_row_says_what_a_list_shows(rig: Rig) -> None:
    await add_story(
        rig.db,
        "than-dao",
        source="truyen",
        title="Thần Đạo",
        status=2,
        authors=["Cô Đơn"],
        chapters=7,
        updated_at=MORNING + timedelta(microseconds=5),
    )
    answer = await rig.client.get("/api/v1/series")
    (row,) = answer.json()["items"]
    row.pop("id")
    assert row == {
        "slug": "truyen:than-dao",
        "title": "Thần Đạo",
        "contentType": "novel",
        "status": "completed",
        "source": "truyen",
        "language": "vi",
        "originalLanguage": None,
        "authors": ["Cô Đơn"],
        "coverUrl": None,
        "isNsfw": False,
        "ageRating": None,
        "warnings": [],
        "chapterCount": 7,
        "lastChapter": None,
        "followerCount": 0,
        "rating": None,
        "createdAt": "2026-05-04T08:00:00Z",
        "updatedAt": "2026-05-04T08:00:00.000005Z",
    }


async def test_an_empty_list_is_a_list(rig: Rig) -> None:
    answer = await rig.client.get("/api/v1/series")
    assert answer.json() == {"items": [], "nextCursor": None, "hasMore": False}


@pytest.mark.parametrize("sort", ["updated", "popular", "newest"])
async def test_cursors_lead_through_the_whole_list(rig: Rig, sort: str) -> None:
    await fill(rig.db, 120)
    seen: list[str] = []
    cursor: str | None = None
    while True:
        params = {"sort": sort, "limit": "7"} | ({"cursor": cursor} if cursor else {})
        page = (await rig.client.get("/api/v1/series", params=params)).json()
        seen += [row["slug"] for row in page["items"]]
        cursor = page["nextCursor"]
        assert page["hasMore"] == (cursor is not None)
        if cursor is None:
            break
        assert len(page["items"]) == 7
    whole = await rig.client.get("/api/v1/series", params={"sort": sort, "limit": "100"})
    assert seen == [row["slug"] for row in whole.json()["items"]]
    assert len(seen) == len(set(seen)) > 20


async def test_the_limit_is_twenty_unless_another_is_asked_for(rig: Rig) -> None:
    await fill(rig.db, 100)
    assert len((await rig.client.get("/api/v1/series")).json()["items"]) == 20


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=101", "limit=x", "limit=-1", "limit=9999999999999999999999", "sort=title"],
)
async def test_what_cannot_be_asked_is_refused(rig: Rig, query: str) -> None:
    answer = await rig.client.get(f"/api/v1/series?{query}")
    assert answer.status_code == 422
    assert answer.json()["code"] == "VALIDATION_ERROR"


async def test_a_cursor_is_good_for_its_own_list_alone(rig: Rig) -> None:
    await fill(rig.db, 100)
    cursor = (await rig.client.get("/api/v1/series")).json()["nextCursor"]
    for params in (
        {"sort": "popular", "cursor": cursor},
        {"source": "truyen", "cursor": cursor},
        {"cursor": cursor[:-1] + ("A" if cursor[-1] != "A" else "B")},
    ):
        answer = await rig.client.get("/api/v1/series", params=params)
        assert answer.status_code == 422, params
    same = await rig.client.get("/api/v1/series", params={"limit": "5", "cursor": cursor})
    assert same.status_code == 200


@given(cursor=st.text(min_size=1, max_size=60), source=st.text(min_size=1, max_size=40))
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
async def test_no_query_is_our_fault(rig: Rig, cursor: str, source: str) -> None:
    for params in ({"cursor": cursor}, {"source": source}):
        answer = await rig.client.get("/api/v1/series", params=params)
        assert answer.status_code < 500, params
