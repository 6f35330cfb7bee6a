"""What nobody may read appears nowhere: not by its address, in no list, in no count.

A new public route that answers GET belongs into `READS` with addresses that would show something
hidden if it could, or into `SHOWS_NO_STORIES` if it never shows any. What one that wants an account
shows is for the tests of its room.
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
from rensai.rooms.readers.door import person_named
from rensai.rooms.shelf.service.entries import put_entry
from rensai.rooms.shelf.service.lists import make_list
from rensai.wiring.routes import ROUTES
from tests.rig import ADMIN, Rig
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
    kept: UUID
    """A public list of a reader with every story on it."""

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
    NOVEL + "/stories/{source:str}/{slug:str}/ratings": each(
        NOVEL + "/stories/{0.address}/ratings"
    ),
    API + "/series/{slug:str}/ratings": each(API + "/series/{0.public_slug}/ratings"),
    API + "/users/{username:str}/lists": lists(f"{API}/users/{ADMIN}/lists"),
    API + "/users/{username:str}/lists/{slug:str}": lists(f"{API}/users/{ADMIN}/lists/kept"),
    API + "/lists/{list_id:str}": Read(lambda library: [f"{API}/lists/{library.kept}"]),
    API + "/lists/{list_id:str}/entries": Read(
        lambda library: [
            f"{API}/lists/{library.kept}/entries?limit={limit}" for limit in (1, 5, 100)
        ]
    ),
    API + "/series/{slug:str}/comments": each(API + "/series/{0.public_slug}/comments?sort=top"),
    API + "/chapters/{chapter_id:str}/comments": each(
        API + "/chapters/{0.uid}/comments", chapters=True
    ),
    API + "/comments/{comment_id:str}": each(API + "/comments/{0.uid}", chapters=True),
    API + "/comments/{comment_id:str}/replies": each(API + "/comments/{0.uid}/replies"),
    API + "/users/{username:str}/comments": lists(f"{API}/users/writer/comments", "limit=100"),
    NOVEL + "/stories/{story_id:int}/comments": each(NOVEL + "/stories/{0.id}/comments"),
    NOVEL + "/chapters/{chapter_id:int}/comments": each(
        NOVEL + "/chapters/{0.id}/comments?sort=oldest", chapters=True
    ),
}
SHOWS_NO_STORIES = {
    "/age",
    "/healthz",
    "/readyz",
    "/metrics",
    "/static/{digest:str}/{name:path}",
    "/login",
    "/register",
    "/recover",
    "/admin",
    f"{API}/openapi.json",
    f"{API}/docs",
    "/reset",
    "/verify",
    API + "/users/{username:str}",
    NOVEL + "/ingest/requests/{request_id:str}",
}

_STORIES = Query("SELECT id, uid, id AS story_id, source, slug FROM stories ORDER BY id", Named)
_CHAPTERS = Query(
    """
    SELECT chapters.id, chapters.uid, story_id, source, chapters.slug
    FROM chapters JOIN stories ON stories.id = story_id ORDER BY chapters.id
    """,
    Named,
)
# On each story and each chapter, under the uid of that; what it says tells whether it is hidden.
_TALK = Command(
    """
    WITH writer AS (
        INSERT INTO users (uid, username, email, password_hash, display_name)
        VALUES (gen_random_uuid(), 'writer', 'writer@example.com', '-', 'Writer')
        RETURNING id
    ), things AS (
        SELECT uid, id AS story_id, NULL::bigint AS chapter_id FROM stories
        UNION ALL
        SELECT uid, story_id, id FROM chapters
    )
    INSERT INTO comments (uid, story_id, chapter_id, user_id, content, created_at, updated_at)
    SELECT uid, story_id, chapter_id, writer.id,
        CASE WHEN uid = ANY($1::uuid []) THEN 'Well said' ELSE $2 END, now(), now()
    FROM things, writer
    """
)
_OWN = Command("UPDATE stories SET source = 'local' WHERE source = 'own'")


def test_every_route_is_looked_at() -> None:
    paths = {
        path
        for handler in ROUTES
        if isinstance(handler, HTTPRouteHandler)
        and "GET" in map(str, handler.http_methods)
        and not handler.security
        for path in handler.paths
    }
    assert paths == set(READS) | SHOWS_NO_STORIES


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
    kept = await keep_everything(rig)
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
    built = Library(
        stories=[one for one in stories if one.id in open_ids],
        hidden_stories=[one for one in stories if one.id not in open_ids],
        chapters=[one for one in chapters if _shows(one, open_ids)],
        hidden_chapters=[one for one in chapters if not _shows(one, open_ids)],
        kept=kept,
    )
    async with rig.db.transaction() as tx:
        await tx.run(_TALK, [one.uid for one in (*built.stories, *built.chapters)], MARK)
    return built


async def keep_everything(rig: Rig) -> UUID:
    """A public list of the administrator with all stories on it."""
    await rig.create_admin()
    stories = await rig.db.primary.all(_STORIES)
    owner = await person_named(rig.db.primary, ADMIN)
    assert owner is not None
    async with rig.db.transaction() as tx:
        kept = await make_list(tx, rig.clock, owner.id, title="Kept", is_public=True)
        for one in stories:
            await put_entry(tx, rig.clock, owner.id, kept.uid, one.id)
    return kept.uid


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


async def test_what_is_said_of_what_can_be_read_is_shown(rig: Rig, library: Library) -> None:
    said = (await rig.get(f"{API}/users/writer/comments?limit=100")).json()
    assert len(said["items"]) == len(library.stories) + len(library.chapters)
    for address in READS[NOVEL + "/chapters/{chapter_id:int}/comments"].shown(library):
        assert len((await rig.get(address)).json()["items"]) == 1, address


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


async def test_a_list_of_everything_shows_and_counts_what_can_be_read(
    rig: Rig, library: Library
) -> None:
    told = (await rig.get(f"{API}/lists/{library.kept}/entries?limit=100")).json()["items"]
    assert {one["series"]["id"] for one in told} == {str(one.uid) for one in library.stories}
    assert (await rig.get(f"{API}/lists/{library.kept}")).json()["entryCount"] == 8


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
