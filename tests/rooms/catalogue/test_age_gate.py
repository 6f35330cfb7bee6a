"""Stories for adults: what is told of them, and who gets their text under each `AGE_GATE`."""

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from rensai.kit.db import Command, Database, Query
from rensai.rooms.catalogue.door import Description, assign_terms, describe_story
from tests.rig import Rig, build_services, this_moment
from tests.rooms.catalogue.incoming import SOURCE, Shelf, chapter, story
from tests.rooms.readers.muting import say
from tests.rooms.readers.people import a_person, a_token

pytestmark = pytest.mark.anyio

NOVEL = "/wp-json/novel/v1"
NSFW = Command("UPDATE stories SET is_nsfw = true WHERE source_story_id = 'nsfw'")
IDS = Query(
    """
    SELECT chapters.id FROM chapters JOIN stories ON stories.id = chapters.story_id
    WHERE source_story_id = $1
    """,
    int,
)
UIDS = Query(
    """
    SELECT chapters.uid::text AS uid FROM chapters JOIN stories ON stories.id = chapters.story_id
    WHERE source_story_id = $1
    """,
    str,
)
STORY_ID = Query("SELECT id FROM stories WHERE source_story_id = $1", int)

WARNING = {"isNsfw": False, "ageRating": "explicit", "warnings": [{"slug": "gore", "name": "Gore"}]}

Gated = Callable[[str], AbstractAsyncContextManager[Rig]]


@pytest.fixture
async def gated(database: Database, tmp_path: Path) -> Gated:
    """Makes a site with an age gate, over one plain story and two for adults."""
    clock = this_moment()
    shelf = Shelf(database)
    await shelf.stories(*(story(name, status=1) for name in ("plain", "explicit", "nsfw")))
    for name in ("plain", "explicit", "nsfw"):
        await shelf.chapters(chapter(1, story=name, text=f"text of {name}"))
    async with database.transaction() as tx:
        explicit = await tx.first(STORY_ID, "explicit")
        assert explicit is not None
        await describe_story(tx, explicit, Description(age_rating="explicit"))
        await assign_terms(tx, clock, explicit, "warning", ["Gore"], create=True)
        await tx.run(NSFW)

    @asynccontextmanager
    async def site(gate: str) -> AsyncGenerator[Rig]:
        services = build_services(database, tmp_path, clock, AGE_GATE=gate)
        async with Rig(services, clock) as rig:
            yield rig

    return site


async def read(rig: Rig, name: str, client: httpx.AsyncClient | None = None) -> list[Any]:
    """The chapter of a story over both APIs."""
    client = client or rig.visitor()
    id_, uid = await rig.db.primary.first(IDS, name), await rig.db.primary.first(UIDS, name)
    return [
        await client.get(f"{NOVEL}/chapters/{id_}"),
        await client.get(f"/api/v1/chapters/{uid}"),
    ]


async def test_every_answer_says_whom_a_story_is_for(gated: Gated) -> None:
    async with gated("warn") as rig:
        novel = (await rig.get(f"{NOVEL}/stories/{SOURCE}/explicit")).json()
        series = (await rig.get(f"/api/v1/series/{SOURCE}:explicit")).json()
        assert (novel["age_rating"], novel["is_nsfw"]) == ("explicit", False)
        assert novel["warnings"] == series["warnings"] == WARNING["warnings"]
        assert series["contentWarning"] == WARNING
        assert novel["content_warning"] == {
            "is_nsfw": False,
            "age_rating": "explicit",
            "warnings": WARNING["warnings"],
        }
        for path, age, nsfw in (
            ("/api/v1/series", "ageRating", "isNsfw"),
            (f"{NOVEL}/stories", "age_rating", "is_nsfw"),
        ):
            rows = {row["title"]: row for row in (await rig.get(path)).json()["items"]}
            assert rows["Explicit"][age] == "explicit"
            assert rows["Explicit"]["warnings"] == WARNING["warnings"]
            assert rows["Nsfw"][nsfw] is True
            assert (rows["Plain"][age], rows["Plain"]["warnings"]) == (None, [])


async def test_with_warn_everybody_gets_the_text_with_a_warning(gated: Gated) -> None:
    async with gated("warn") as rig:
        for name in ("explicit", "nsfw"):
            novel, api = await read(rig, name)
            assert novel.json()["content_raw"] == f"text of {name}"
            assert novel.json()["content_warning"]["is_nsfw"] is (name == "nsfw")
            assert f"text of {name}" in api.json()["contentHtml"]
            assert api.headers["cache-control"] == "public, no-cache"
        novel, api = await read(rig, "plain")
        assert novel.json()["content_warning"] is api.json()["contentWarning"] is None


async def test_with_off_there_is_no_warning(gated: Gated) -> None:
    async with gated("off") as rig:
        novel, api = await read(rig, "explicit")
        assert novel.json()["content_warning"] is api.json()["contentWarning"] is None
        story = (await rig.get(f"{NOVEL}/stories/{SOURCE}/explicit")).json()
        assert (story["content_warning"], story["age_rating"]) == (None, "explicit")


async def test_another_gate_makes_other_answers_of_the_same_version(gated: Gated) -> None:
    uncounted = {"sec-purpose": "prefetch"}  # a read would make another version
    async with gated("off") as rig:
        path = f"{NOVEL}/chapters/{await rig.db.primary.first(IDS, 'explicit')}"
        tag = (await rig.get(path, headers=uncounted)).headers["etag"]
        known = uncounted | {"if-none-match": tag}
        assert (await rig.get(path, headers=known)).status_code == 304
    async with gated("warn") as rig:
        assert (await rig.get(path, headers=known)).status_code == 200


async def test_with_require_strangers_get_no_text_and_everything_else(gated: Gated) -> None:
    async with gated("require") as rig:
        for name in ("explicit", "nsfw"):
            novel, api = await read(rig, name)
            assert (novel.status_code, api.status_code) == (403, 403)
            assert novel.json()["error"]["code"] == "permission_denied"
            assert novel.json()["error"]["details"]["reason"] == "age_restricted"
            assert api.json()["code"] == "AGE_RESTRICTED"
            for answer in (novel, api):
                assert answer.headers["cache-control"] == "no-store"
                assert "text of" not in answer.text
            story_id = await rig.db.primary.first(STORY_ID, name)
            listed = await rig.get(f"{NOVEL}/stories/{story_id}/chapters")
            assert len(listed.json()["items"]) == 1
            path = str(novel.request.url.raw_path, "ascii")
            bare = (await rig.get(f"{path}?include_content=false")).json()
            assert (bare["content_raw"], bare["content_html"]) == (None, None)
        assert [answer.status_code for answer in await read(rig, "plain")] == [200, 200]


async def test_with_require_an_account_of_age_reads_and_nothing_is_kept(gated: Gated) -> None:
    async with gated("require") as rig:
        bea = await a_person(rig.db, rig.clock)
        reader = rig.visitor()
        reader.headers["Authorization"] = f"Bearer {await a_token(rig, bea.id)}"
        assert [one.status_code for one in await read(rig, "explicit", reader)] == [403, 403]
        await say(rig.db, bea.username, of_age=True)
        for answer in await read(rig, "explicit", reader):
            assert answer.status_code == 200
            assert answer.headers["cache-control"] == "private, no-store"
            assert "etag" not in answer.headers
            assert "text of explicit" in answer.text
        assert [one.status_code for one in await read(rig, "explicit")] == [403, 403]
        await say(rig.db, bea.username)
        assert [one.status_code for one in await read(rig, "explicit", reader)] == [403, 403]


async def said(
    client: httpx.AsyncClient,
    answer: str = "yes",
    headers: dict[str, str] | None = None,
    **fields: str,
) -> httpx.Response:
    page = await client.get("/age", params={"next": "/browse"})
    found = re.search(r'name="token" value="(\w+)"', page.text)
    assert found is not None
    form = {"token": found[1], "next": "/browse", "of_age": answer, **fields}
    return await client.post("/age", data=form, headers=headers)


async def test_a_browser_can_be_told_and_told_otherwise(gated: Gated) -> None:
    async with gated("require") as rig:
        visitor = rig.visitor()
        answer = await said(visitor)
        assert (answer.status_code, answer.headers["location"]) == (303, "/browse")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        novel, api = await read(rig, "explicit", visitor)
        assert (novel.status_code, api.status_code) == (403, 200), "no cookie on the novel API"
        assert api.headers["cache-control"] == "private, no-store"
        assert "has been told" in (await visitor.get("/age")).text
        rig.clock.advance(timedelta(days=181))
        assert (await read(rig, "explicit", visitor))[1].status_code == 403
        await said(visitor)
        await said(visitor, "no")
        assert (await read(rig, "explicit", visitor))[1].status_code == 403


@pytest.mark.parametrize("forged", ["", "1", "1-", "1-00", "9" * 40, "²-1", "1780000000-é", "-"])
async def test_a_browser_cannot_tell_itself(gated: Gated, forged: str) -> None:
    async with gated("require") as rig:
        uid = await rig.db.primary.first(UIDS, "explicit")
        cookie = b"rensai_age=" + forged.encode()
        answer = await rig.get(f"/api/v1/chapters/{uid}", headers={"cookie": cookie})
        assert answer.status_code == 403


async def test_other_sites_cannot_tell_a_browser(gated: Gated) -> None:
    async with gated("require") as rig:
        visitor = rig.visitor()
        for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
            answer = await said(visitor, headers=headers)
            assert answer.status_code == 403
            assert "rensai_age" not in answer.headers.get("set-cookie", "")
        answer = await said(visitor, token="0" * 64)
        assert answer.status_code == 403
        assert (await said(visitor, next="//evil.example")).headers["location"] == "/"


async def test_what_was_withheld_was_not_read(gated: Gated) -> None:
    async with gated("require") as rig:
        await read(rig, "explicit")
        await rig.restart()
        counted = Query("SELECT sum(read_count)::bigint AS reads FROM chapters", int)
        assert await rig.db.primary.first(counted) == 0
