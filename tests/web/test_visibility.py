"""What nobody may read appears nowhere: not by its address, in no list, in no count.

A new route that answers GET belongs into `READS` with addresses that would show something hidden
if it could, into `SHOWS_NO_STORIES` if it never shows any, or into `OF_ONE_READER` if it answers
nobody else.
"""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from litestar.handlers import HTTPRouteHandler

from rensai.kit.db import Command, Query
from rensai.rooms.catalogue.door import recount_due, set_policy
from rensai.wiring.routes import ROUTES
from tests.rig import Rig
from tests.rooms.catalogue.incoming import Sent, Shelf, chapter, story

pytestmark = pytest.mark.anyio

NOVEL = "/wp-json/novel/v1"
API = "/api/v1"
MARK = "zyxw"
"""Stands in the name and the text of everything that is hidden, and nowhere else."""


class Named(msgspec.Struct, frozen=True):
    """A story or a chapter by all that it is called by."""

    id: int
    uid: UUID
    story_id: int
    source: str
    slug: str

    @property
    def address(self) -> str:
        return f"{self.source}/{self.slug}"

    @property
    def public_slug(self) -> str:
        return self.slug if self.source == "local" else f"{self.source}:{self.slug}"


class Library(msgspec.Struct, frozen=True):
    """What there is, apart by whether everybody may read it."""

    stories: list[Named]
    chapters: list[Named]
    hidden_stories: list[Named]
    hidden_chapters: list[Named]

    @property
    def sources(self) -> list[str]:
        return sorted({one.source for one in (*self.stories, *self.hidden_stories)})


class Read(msgspec.Struct, frozen=True):
    """Addresses of one route: those that answer, and those that must be as if never there."""

    shown: Callable[[Library], list[str]]
    hidden: Callable[[Library], list[str]] = lambda _: []


def each(template: str, *, chapters: bool = False) -> Read:
    """A route that shows one thing, by `{0}`."""

    def shown(library: Library) -> list[str]:
        return [template.format(one) for one in (library.chapters if chapters else library.stories)]

    def hidden(library: Library) -> list[str]:
        things = library.hidden_chapters if chapters else library.hidden_stories
        return [template.format(one) for one in things]

    return Read(shown, hidden)


def lists(path: str, *queries: str) -> Read:
    """A route that shows many things, asked in each way and for each source by `{source}`."""

    def shown(library: Library) -> list[str]:
        sources = library.sources
        asked = {query.format(source=source) for query in queries for source in sources}
        return [path, *(f"{path}?{query}" for query in sorted(asked))]

    return Read(shown)


READS = {
    "/": lists("/"),
    "/browse": lists("/browse", "sort=popular", "sort=newest"),
    f"{API}/instance": lists(f"{API}/instance"),
    f"{API}/series": lists(
        f"{API}/series", "sort=popular", "sort=newest", "source={source}", "limit=100"
    ),
    API + "/series/{slug:str}": each(API + "/series/{0.public_slug}"),
    API + "/series/{slug:str}/chapters": each(API + "/series/{0.public_slug}/chapters?sort=desc"),
    API + "/chapters/{chapter_id:str}": each(API + "/chapters/{0.uid}", chapters=True),
    f"{API}/search": lists(
        f"{API}/search",
        f"q={MARK}",
        f"q=author:{MARK}",
        "source={source}&sort=newest&limit=100",
        "status=hiatus&status=dropped&status=ongoing",
        "counts=true",
    ),
    f"{API}/search/suggest": lists(f"{API}/search/suggest", f"q={MARK}", f"q={MARK[:2]}", "q=s"),
    f"{API}/search/facets": lists(f"{API}/search/facets"),
    f"{NOVEL}/stories": lists(
        f"{NOVEL}/stories",
        "sort=popular_desc",
        "sort=newest_desc&source={source}",
        f"q={MARK}",
        f"author=Author%20{MARK}",
        "status=3,4",
        "updated_after=2020-01-01T00:00:00Z",
    ),
    NOVEL + "/stories/{source:str}/{slug:str}": each(NOVEL + "/stories/{0.address}"),
    NOVEL + "/stories/{story_id:int}/chapters": each(NOVEL + "/stories/{0.id}/chapters?limit=200"),
    NOVEL + "/chapters/{chapter_id:int}": each(NOVEL + "/chapters/{0.id}", chapters=True),
}
SHOWS_NO_STORIES = {
    "/age",
    "/healthz",
    "/readyz",
    "/metrics",
    "/static/{digest:str}/{name:path}",
    "/login",
    "/admin",
    f"{API}/openapi.json",
    f"{API}/docs",
    f"{API}/auth/me",
    NOVEL + "/ingest/requests/{request_id:str}",
}
OF_ONE_READER = {
    f"{NOVEL}/me/library",
    f"{NOVEL}/me/history",
    f"{API}/library",
    f"{API}/history",
    API + "/progress/{chapter_id:str}",
    API + "/progress/series/{slug:str}",
}
"""What somebody who has signed in is told of their own; tests of the room hide things there."""

_STORIES = Query("SELECT id, uid, id AS story_id, source, slug FROM stories ORDER BY id", Named)
_CHAPTERS = Query(
    """
    SELECT chapters.id, chapters.uid, story_id, source, chapters.slug
    FROM chapters JOIN stories ON stories.id = story_id ORDER BY chapters.id
    """,
    Named,
)
_OWN = Command("UPDATE stories SET source = 'local' WHERE source = 'own'")


def test_every_route_is_looked_at() -> None:
    paths = {
        path
        for handler in ROUTES
        if isinstance(handler, HTTPRouteHandler) and "GET" in map(str, handler.http_methods)
        for path in handler.paths
    }
    assert paths == set(READS) | SHOWS_NO_STORIES | OF_ONE_READER


def readable(id_: str) -> list[Sent]:
    """The chapters of a story, with hidden ones before, between and after those that show."""
    secret: dict[str, Any] = {"title": f"Title {MARK}", "text": f"Text {MARK}", "story": id_}
    return [
        chapter(-1, slug=f"{MARK}-a", is_published=False, **secret),
        chapter(1, story=id_),
        chapter(2, slug=f"{MARK}-b", **secret),
        chapter(3, slug=f"{MARK}-c", is_published=False, **secret),
        chapter(4, story=id_),
        chapter(9, slug=f"{MARK}-d", **secret),
    ]


def gone(id_: str) -> list[Sent]:
    return [chapter(n, minutes=5, story=id_, deleted=True) for n in (2, 9)]


async def search_knows(rig: Rig, count: int) -> None:
    """Wait until search, which hears of changes by tasks, finds so many marked stories."""
    await rig.work()
    async with asyncio.timeout(20):
        while await found(rig) != count:  # noqa: ASYNC110 - only an answer tells
            await asyncio.sleep(0.05)


async def found(rig: Rig) -> int:
    return len((await rig.get(f"{API}/search?q={MARK}&limit=100")).json()["items"])


@pytest.fixture
async def library(rig: Rig) -> Library:
    """The same in a source that is open, in one that gets closed, and uploaded here.

    Search has heard of everything while it could still be read.
    """
    shelf = Shelf(rig.db, rig.clock)
    secret: dict[str, Any] = {"title": MARK, "author_name": f"Author {MARK}", "aliases": [MARK]}
    for source in ("open", "closed", "own"):
        marked = secret if source == "closed" else {}
        await shelf.stories(
            *(story(f"s{status}", status=status, **marked) for status in (1, 2, 3, 4)),
            story("draft", slug=f"{MARK}-draft", status=1, **secret),
            story("gone", slug=f"{MARK}-gone", status=1, **secret),
            source=source,
        )
        for id_ in ("s1", "s2", "s3", "s4", "draft", "gone"):
            await shelf.chapters(*readable(id_), source=source)
    async with rig.db.transaction() as tx:
        await tx.run(_OWN)
    await search_knows(rig, 10)
    for source in ("open", "closed", "local"):
        hidden = [
            story("draft", slug=f"{MARK}-draft", minutes=5, status=0, **secret),
            story("gone", minutes=5, deleted=True),
        ]
        await shelf.stories(*hidden, source=source)
        for id_ in ("s1", "s2", "s3", "s4", "draft", "gone"):
            await shelf.chapters(*gone(id_), source=source)
    await set_policy(rig.db, rig.clock, "closed", is_public=False)
    rig.clock.advance(timedelta(minutes=2))  # a window lies between a change and its count
    while await recount_due(rig.db, rig.clock, worker="test"):
        pass
    await search_knows(rig, 0)
    stories = await rig.db.primary.all(_STORIES)
    chapters = await rig.db.primary.all(_CHAPTERS)
    open_ids = {
        one.id for one in stories if one.source != "closed" and not one.slug.startswith(MARK)
    }
    return Library(
        stories=[one for one in stories if one.id in open_ids],
        hidden_stories=[one for one in stories if one.id not in open_ids],
        chapters=[one for one in chapters if _shows(one, open_ids)],
        hidden_chapters=[one for one in chapters if not _shows(one, open_ids)],
    )


def _shows(one: Named, open_ids: set[int]) -> bool:
    return one.story_id in open_ids and not one.slug.startswith(MARK)


@pytest.mark.parametrize("path", sorted(READS))
async def test_what_is_hidden_is_as_if_it_had_never_been(
    rig: Rig, library: Library, path: str
) -> None:
    assert len(library.stories) == 8
    assert len(library.hidden_stories) == 10
    for address in READS[path].shown(library):
        answer = await rig.get(address)
        assert answer.status_code == 200, address
        assert MARK not in answer.text.lower(), address
    for address in READS[path].hidden(library):
        answer = await rig.get(address, headers={"If-None-Match": "*"})
        # What was uploaded here and could be read may be told to be gone, with nothing else.
        assert answer.status_code in {404, 410}, address
        assert answer.status_code == 404 or (address.startswith(API) and "closed:" not in address)
        assert answer.json() == (await rig.get(address)).json()
        assert MARK not in answer.text.lower(), address


async def test_only_what_was_uploaded_here_is_told_to_be_gone(rig: Rig, library: Library) -> None:
    told = {
        one.public_slug: (await rig.get(f"{API}/series/{one.public_slug}")).status_code
        for one in library.hidden_stories
    }
    assert [slug for slug, status in told.items() if status == 410] == [f"{MARK}-gone"]


async def test_counts_are_of_what_can_be_read(rig: Rig, library: Library) -> None:
    counts = (await rig.get(f"{API}/instance")).json()["counts"]
    assert (counts["stories"], counts["chapters"]) == (4, 8)
    for one in library.stories:
        told = (await rig.get(f"{NOVEL}/stories/{one.address}")).json()
        ends = told["chapter_stats"].pop("first_chapter"), told["latest_chapter"]
        assert told["chapter_stats"] == {
            "chapter_count": 2,
            "word_count": 6,
            "last_chapter_no": 4.0,
        }
        assert [end["chapter_no"] for end in ends] == [1.0, 4.0]


async def test_what_rests_is_found_by_its_address_and_in_no_list_unasked(
    rig: Rig, library: Library
) -> None:
    for address in READS[f"{API}/series"].shown(library):
        rows = (await rig.get(address)).json()["items"]
        assert {row["status"] for row in rows} <= {"ongoing", "completed"}, address
    resting = [one for one in library.stories if one.slug in {"s3", "s4"}]
    assert len(resting) == 4
    for one in resting:
        assert (await rig.get(f"{NOVEL}/stories/{one.address}")).status_code == 200


async def test_the_neighbours_of_a_chapter_can_be_read(rig: Rig, library: Library) -> None:
    ids = {one.id for one in library.chapters}
    for one in library.chapters:
        told = (await rig.get(f"{NOVEL}/chapters/{one.id}")).json()
        beside = [told[side]["id"] for side in ("prev_chapter", "next_chapter") if told[side]]
        assert len(beside) == 1
        assert set(beside) <= ids
