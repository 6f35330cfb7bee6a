"""What a reader has muted is nowhere: not in lists, pages, counts or suggestions."""

import re
from datetime import timedelta
from typing import Any

import httpx
import pytest

from rensai.kit.db import Command
from rensai.rooms.readers.door import person_named
from tests.rig import ADMIN, Rig
from tests.rooms.catalogue.incoming import story
from tests.rooms.readers.accounts import an_admin
from tests.rooms.readers.muting import say
from tests.rooms.readers.people import a_token
from tests.rooms.search.library import FACETS, NOVEL, SEARCH, SUGGEST, Library

pytestmark = pytest.mark.anyio

SERIES = "/api/v1/series"
PRIVATE = "private, no-store"
NSFW = Command("UPDATE stories SET is_nsfw = true WHERE source_story_id = $1")


@pytest.fixture
async def reader(rig: Rig) -> httpx.AsyncClient:
    """Somebody who has signed in: on the site by a cookie, on the APIs by a token."""
    await rig.create_admin()
    visitor = await rig.sign_in(rig.visitor())
    return await with_token(rig, visitor, ADMIN)


async def with_token(rig: Rig, visitor: httpx.AsyncClient, name: str) -> httpx.AsyncClient:
    account = await person_named(rig.db.primary, name)
    assert account is not None
    visitor.headers["Authorization"] = f"Bearer {await a_token(rig, account.id)}"
    return visitor


@pytest.fixture
async def seven(library: Library) -> Library:
    """Seven stories, of which one is muted in each way."""
    await library.shelf.stories(
        *(story(f"s{number}", title=f"Dao {number}", status=1) for number in range(1, 8)),
        story("s8", title="Dao 8", status=1, author_name="Ann Muted", genres=["Quiet"]),
    )
    await library.describe("s1", tags=["Harem"])
    await library.assign("s2", "warning", "Gore")
    await library.assign("s3", "fandom", "Naruto")
    await library.describe("s4", age_rating="explicit")
    await library.settle()
    return library


async def answers(client: httpx.AsyncClient, path: str, **asked: Any) -> Any:
    answer = await client.get(path, params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def slugs(client: httpx.AsyncClient, path: str, **asked: Any) -> set[str]:
    """Every slug of a list, page by page, none of them twice."""
    found: list[str] = []
    cursor: str | None = None
    while True:
        more = {} if cursor is None else {"cursor": cursor}
        page = await answers(client, path, limit=2, **asked, **more)
        found += [item["slug"].rpartition(":")[2] for item in page["items"]]
        cursor = page.get("nextCursor", page.get("next_cursor"))
        if cursor is None:
            assert len(found) == len(set(found))
            return set(found)
        assert len(page["items"]) == 2, "pages are full"


LISTS: list[tuple[str, dict[str, str]]] = [
    (SEARCH, {"counts": "false"}),
    (SEARCH, {"q": "dao", "counts": "false"}),
    (SERIES, {}),
    (SERIES, {"sort": "popular", "source": "truyen"}),
    (SERIES, {"sort": "newest"}),
    (NOVEL, {}),
    (NOVEL, {"sort": "popular_desc"}),
    (NOVEL, {"q": "dao"}),
    (NOVEL, {"source": "truyen", "sort": "newest_desc"}),
]


@pytest.mark.parametrize(("path", "asked"), LISTS)
async def test_lists_leave_out_what_is_muted_and_their_pages_are_full(
    seven: Library, reader: httpx.AsyncClient, path: str, asked: dict[str, str]
) -> None:
    everything = {f"s{number}" for number in range(1, 9)}
    assert await slugs(reader, path, **asked) == everything
    for mute, gone in (
        (("tag", "harem"), "s1"),
        (("warning", "warning:gore"), "s2"),
        (("warning", "fandom:naruto"), "s3"),
        (("author", "ann muted"), "s8"),
        (("genre", "quiet"), "s8"),
    ):
        await say(seven.db, ADMIN, mute)
        assert await slugs(reader, path, **asked) == everything - {gone}, mute
    await say(seven.db, ADMIN, ("tag", "harem"), ("genre", "quiet"), hide_adult=True, of_age=True)
    assert await slugs(reader, path, **asked) == everything - {"s1", "s4", "s8"}
    assert await slugs(seven.rig.client, path, **asked) == everything, "others see it all"


async def test_pages_of_the_site_leave_it_out(seven: Library, reader: httpx.AsyncClient) -> None:
    await say(seven.db, ADMIN, ("tag", "harem"), ("genre", "quiet"))
    for path in ("/", "/browse", "/browse?sort=popular"):
        told = set(re.findall(r"Dao \d", (await reader.get(path)).text))
        assert told == {f"Dao {number}" for number in range(2, 8)}, path
        assert "Dao 1" in (await seven.rig.get(path)).text


async def test_a_long_shelf_is_paged_without_what_is_muted(
    library: Library, reader: httpx.AsyncClient
) -> None:
    await library.add(
        *(
            story(f"s{number}", title=f"Dao {number:03}", status=1, genres=["Even"] * (number % 2))
            for number in range(60)
        )
    )
    await say(library.db, ADMIN, ("genre", "even"))
    met: list[str] = []
    path = "/browse"
    while True:
        page = (await reader.get(path)).text
        met += re.findall(r"Dao (\d{3})", page.replace('aria-label="', ""))
        following = re.search(r'rel="next" href="([^"]+)"', page)
        if following is None:
            break
        path = following[1].replace("&amp;", "&")
    assert sorted(set(met)) == [f"{number:03}" for number in range(0, 60, 2)]


async def test_counts_facets_and_suggestions_agree(
    seven: Library, reader: httpx.AsyncClient
) -> None:
    await say(seven.db, ADMIN, ("tag", "harem"), ("warning", "warning:gore"), hide_adult=True)
    found = await answers(reader, SEARCH)
    assert found["total"] == 5
    assert found["facets"]["tag"]["values"] == []
    assert found["facets"]["warning"]["values"] == []
    assert [one["count"] for one in found["facets"]["status"]["values"]] == [5]
    told = await answers(reader, FACETS)
    assert (told["total"], told["facets"]["tag"]["values"]) == (5, [])
    assert (await answers(reader, SEARCH, tag="harem"))["total"] == 0
    offered = await answers(reader, SUGGEST, q="dao", limit=20)
    assert {one["text"] for one in offered["items"]} == {f"Dao {n}" for n in (3, 5, 6, 7, 8)}
    assert (await answers(reader, SUGGEST, q="hare"))["items"] == []
    assert (await answers(seven.rig.client, SUGGEST, q="hare"))["items"] != []


async def test_answers_without_what_is_muted_are_kept_by_nobody(
    seven: Library, reader: httpx.AsyncClient
) -> None:
    paths = [f"{path}?limit=3" for path in (SEARCH, SERIES, NOVEL)]
    paths += [f"{SUGGEST}?q=dao", FACETS, f"{NOVEL}?q=dao"]
    for path in paths:
        answer = await reader.get(path)
        assert answer.headers["cache-control"].startswith("public"), path
    await say(seven.db, ADMIN, ("tag", "harem"))
    for path in paths:
        known = (await seven.rig.get(path)).headers["etag"]
        answer = await reader.get(path, headers={"if-none-match": known})
        assert answer.status_code == 200, path
        assert answer.headers["cache-control"] == PRIVATE, path
        assert "etag" not in answer.headers, path


@pytest.mark.parametrize("path", [f"{SERIES}?limit=2", f"{NOVEL}?limit=2"])
async def test_caches_between_keep_lists_of_strangers_apart(seven: Library, path: str) -> None:
    vary = ", ".join((await seven.rig.get(path)).headers.get_list("vary")).lower()
    assert {"authorization", "cookie"} <= set(vary.split(", "))


async def test_a_cursor_of_one_reader_is_none_of_another(
    seven: Library, reader: httpx.AsyncClient
) -> None:
    await an_admin(seven.db, "bob", another=True)
    bob = await with_token(seven.rig, seven.rig.visitor(), "bob")
    for name in (ADMIN, "bob"):
        await say(seven.db, name, ("tag", "harem"))
    for path in (SERIES, NOVEL):
        page = await answers(reader, path, limit=2)
        further = {"limit": 2, "cursor": page.get("nextCursor") or page["next_cursor"]}
        assert (await reader.get(path, params=further)).status_code == 200
        for other in (seven.rig.client, bob):
            assert (await other.get(path, params=further)).status_code in {400, 422}, path


async def test_a_story_that_becomes_adult_is_hidden_and_comes_back(
    seven: Library, reader: httpx.AsyncClient
) -> None:
    await say(seven.db, ADMIN, hide_adult=True)
    assert "s5" in await slugs(reader, SERIES)
    await seven.describe("s5", age_rating="explicit")
    async with seven.db.transaction() as tx:
        await tx.run(NSFW, "s6")
    await seven.describe("s6", tags=["touched"])
    await seven.settle()
    assert {"s5", "s6"} & await slugs(reader, SERIES) == set()
    await seven.describe("s5", age_rating="teen")
    await seven.settle()
    assert "s5" in await slugs(reader, SERIES)


async def test_views_of_what_is_found_are_as_they_are_and_the_index_knows_nothing_of_them(
    seven: Library,
) -> None:
    path = f"{NOVEL}/truyen/s1"
    assert (await seven.rig.get(path)).status_code == 200
    await seven.rig.restart()
    await seven.settle()
    (item,) = (await seven.ask("dao 1", tag="harem"))["items"]
    assert item["viewCount"] == 1
    (item,) = (await seven.ask("dao", NOVEL, genre="quiet"))["items"]
    assert item["view_count"] == 0
    assert await seven.drift() == []


async def test_a_kept_answer_of_search_shows_new_views_after_the_next_flush(
    seven: Library,
) -> None:
    assert (await seven.ask(tag="harem"))["items"][0]["viewCount"] == 0
    await seven.rig.get(f"{NOVEL}/truyen/s1")
    await seven.rig.restart()
    seven.clock.advance(timedelta(seconds=seven.rig.services.config.views_flush_seconds))
    assert (await seven.ask(tag="harem"))["items"][0]["viewCount"] == 1
