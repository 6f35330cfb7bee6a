"""Paging while others write: what stays and does not move is met exactly once, in order.

Hypothesis makes up what others commit between one page and the next, through the API's own
cursors and with nothing kept, so that each page is read from the tables as they are by then.
"""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rensai.kit.clock import SetClock
from rensai.kit.db import Command, Database
from tests.rig import Rig, build_services
from tests.rooms.catalogue.stories import MORNING

pytestmark = pytest.mark.anyio

NAMES = 12
LIMIT = 3

_CLEAR = Command("DELETE FROM stories")
_STORY = Command(
    """
    INSERT INTO stories (
        uid, kind, source, source_story_id, slug, title, language, status, popularity_score,
        published_at, created_at, updated_at
    ) VALUES (gen_random_uuid(), 'novel', 'local', $1, $1, $1, 'vi', 1, $2, $3, $3, $3)
    ON CONFLICT (source, source_story_id) DO UPDATE SET
        popularity_score = $2, published_at = $3, updated_at = $3, deleted_at = NULL
    """
)
_REMOVE_STORY = Command("UPDATE stories SET deleted_at = now() WHERE slug = $1")
_DRAFT = Command("UPDATE stories SET status = 0 WHERE slug = $1")
_BOOK = Command(
    """
    INSERT INTO stories (uid, kind, source, source_story_id, slug, title, language, status)
    VALUES (gen_random_uuid(), 'novel', 'local', 'book', 'book', 'Book', 'vi', 1)
    """
)
_CHAPTER = Command(
    """
    WITH renamed AS (
        UPDATE chapters SET chapter_no = $2, is_published = true, deleted_at = NULL
        WHERE slug = $1 RETURNING id
    )
    INSERT INTO chapters (uid, story_id, chapter_no, slug, title, language, uploader_id)
    SELECT gen_random_uuid(), id, $2, $1, $1, 'vi', NULL FROM stories
    WHERE NOT EXISTS (SELECT FROM renamed)
    """
)
_REMOVE_CHAPTER = Command("UPDATE chapters SET deleted_at = now() WHERE slug = $1")
_WITHDRAW = Command("UPDATE chapters SET is_published = false WHERE slug = $1")

Writes = list[tuple[str, str, int]]
"""What is done, to whom, and the place that it gets."""

NAME = st.integers(0, NAMES - 1).map("n-{}".format)
PLACE = st.integers(0, 5)
"""Few places, so that many stand at the same one and only the id tells them apart."""

WRITES = st.lists(st.tuples(st.sampled_from(["put", "remove", "hide"]), NAME, PLACE), max_size=4)
START = st.lists(st.tuples(st.just("put"), NAME, PLACE), min_size=4, max_size=NAMES)
UNDER_WRITES = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


class Shelf:
    """Something that is paged through while it is written to."""

    def __init__(self, rig: Rig, path: str, name: str) -> None:
        self.rig = rig
        self.path = path
        self.name = name

    async def write(self, writes: Writes) -> set[str]:
        """Commit each in a transaction of its own; who was touched."""
        for what, name, place in writes:
            async with self.rig.db.transaction() as tx:
                command, args = self.command(what, name, place)
                await tx.run(command, *args)
        return {name for _, name, _ in writes}

    def command(self, what: str, name: str, place: int) -> tuple[Command, tuple[object, ...]]:
        raise NotImplementedError

    async def all(self) -> list[str]:
        answer = (await self.rig.get(self.path, params={"limit": "100"})).json()
        return [row["slug"] for row in answer["items"]]

    async def paged(self, between: list[Writes]) -> tuple[list[str], set[str]]:
        """What was met page by page, and who was touched meanwhile."""
        met: list[str] = []
        touched: set[str] = set()
        params = {"limit": str(LIMIT)}
        while True:
            page: dict[str, Any] = (await self.rig.get(self.path, params=params)).json()
            met += [row["slug"] for row in page["items"]]
            cursor = page[self.name]
            if cursor is None:
                return met, touched
            params["cursor"] = cursor
            if between:
                touched |= await self.write(between.pop(0))


class Stories(Shelf):
    def command(self, what: str, name: str, place: int) -> tuple[Command, tuple[object, ...]]:
        if what == "put":
            return _STORY, (name, place, _moment(place))
        return (_REMOVE_STORY if what == "remove" else _DRAFT), (name,)


class Chapters(Shelf):
    def command(self, what: str, name: str, place: int) -> tuple[Command, tuple[object, ...]]:
        if what == "put":
            # Of one source a number belongs to one chapter, so each name has its own at a place.
            return _CHAPTER, (name, place + int(name.removeprefix("n-")) / 100)
        return (_REMOVE_CHAPTER if what == "remove" else _WITHDRAW), (name,)


def _moment(place: int) -> datetime:
    return MORNING + timedelta(minutes=place)


@pytest.fixture
async def uncached(database: Database, tmp_path: Path, clock: SetClock) -> Rig:
    return Rig(build_services(database, tmp_path, clock, ANSWER_CACHE_SECONDS="0"), clock)


async def check(shelf: Shelf, start: Writes, between: list[Writes]) -> None:
    await shelf.write(start)
    before = await shelf.all()
    met, touched = await shelf.paged(list(between))
    still = [name for name in before if name not in touched]
    assert [name for name in met if name in still] == still
    # Who only came or went is not met twice either; only who was moved ahead of the reader is.
    moved = {name for writes in between for what, name, _ in writes if what == "put"}
    for name in set(met) - moved:
        assert met.count(name) == 1


@pytest.mark.parametrize("sort", ["updated", "popular", "newest"])
@given(start=START, between=st.lists(WRITES, max_size=5))
@UNDER_WRITES
async def test_stories(uncached: Rig, sort: str, start: Writes, between: list[Writes]) -> None:
    async with uncached.db.transaction() as tx:
        await tx.run(_CLEAR)
    await check(Stories(uncached, f"/api/v1/series?sort={sort}", "nextCursor"), start, between)


@pytest.mark.parametrize("sort", ["asc", "desc"])
@given(start=START, between=st.lists(WRITES, max_size=5))
@UNDER_WRITES
async def test_chapters_of_a_series(
    uncached: Rig, sort: str, start: Writes, between: list[Writes]
) -> None:
    async with uncached.db.transaction() as tx:
        await tx.run(_CLEAR)
        await tx.run(_BOOK)
    path = f"/api/v1/series/book/chapters?sort={sort}"
    await check(Chapters(uncached, path, "nextCursor"), start, between)


@given(start=START, between=st.lists(WRITES, max_size=5))
@UNDER_WRITES
async def test_chapters_of_a_story(uncached: Rig, start: Writes, between: list[Writes]) -> None:
    async with uncached.db.transaction() as tx:
        await tx.run(_CLEAR)
        await tx.run(_BOOK)
    book = await uncached.get("/wp-json/novel/v1/stories/local/book")
    path = f"/wp-json/novel/v1/stories/{book.json()['id']}/chapters"
    await check(Chapters(uncached, path, "next_cursor"), start, between)
