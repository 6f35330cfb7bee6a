"""What was counted outlives a stop, and a kill takes no more than the interval."""

import asyncio
from pathlib import Path

import httpx
import pytest

from rensai.kit.db import Database, Query
from tests.process.conftest import Make
from tests.process.site import Site
from tests.redis_server import redis_server
from tests.rooms.catalogue.incoming import SOURCE, Shelf, story

pytestmark = pytest.mark.anyio

VIEWS = Query("SELECT view_count FROM stories", int)
VISITORS = 40


def look(site: Site) -> None:
    """Many visitors look at the story, each with a browser of its own."""
    url = f"http://127.0.0.1:{site.port}/wp-json/novel/v1/stories/{SOURCE}/s1"
    with httpx.Client() as client:
        for number in range(VISITORS):
            answer = client.get(url, headers={"user-agent": f"browser {number}"})
            assert answer.status_code == 200


async def eventually_counted(database: Database, wanted: int) -> None:
    async with asyncio.timeout(20):
        while await database.primary.first(VIEWS) != wanted:  # noqa: ASYNC110 - a table tells
            await asyncio.sleep(0.1)


@pytest.fixture
async def url(database: Database, database_url: str) -> str:
    """A database with one story."""
    await Shelf(database).stories(story("s1", status=1))
    return database_url


def started(new_site: Make, url: str, folder: Path, **settings: str) -> Site:
    site = new_site(folder / "data", DATABASE_PRIMARY_URL=url, RUN_MODE="web", **settings)
    site.start().wait_for_page("/readyz")
    return site


async def test_a_stop_writes_what_was_counted(
    new_site: Make, database: Database, url: str, tmp_path: Path
) -> None:
    site = started(new_site, url, tmp_path)
    await asyncio.to_thread(look, site)
    assert await database.primary.first(VIEWS) == 0
    assert site.end() == 0
    assert await database.primary.first(VIEWS) == VISITORS


async def test_a_kill_takes_what_was_counted_since_the_last_flush_and_no_more(
    new_site: Make, database: Database, url: str, tmp_path: Path
) -> None:
    site = started(new_site, url, tmp_path, VIEWS_FLUSH_SECONDS="1")
    await asyncio.to_thread(look, site)
    await eventually_counted(database, VISITORS)
    site.child("web").kill()
    site.wait_for_page("/readyz")
    await asyncio.to_thread(look, site)  # the same visitors, who are still known
    assert site.end() == 0
    assert await database.primary.first(VIEWS) == VISITORS


async def test_with_redis_a_kill_takes_a_second_and_no_more(
    new_site: Make, database: Database, url: str, tmp_path: Path
) -> None:
    with redis_server() as server:
        site = started(new_site, url, tmp_path, REDIS_URL=server.url, WEB_PROCESSES="2")
        await asyncio.to_thread(look, site)
        await asyncio.sleep(2.5)
        assert await database.primary.first(VIEWS) == 0
        site.child("web").kill()
        site.wait_for_page("/readyz")
        assert site.end() == 0
        assert await database.primary.first(VIEWS) == VISITORS
