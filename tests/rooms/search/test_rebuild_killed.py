"""A builder that is killed leaves what it has done, and readers never notice."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from rensai.kit.db import Query
from rensai.kit.db_driver import connect
from rensai.rooms.search.model import State
from rensai.rooms.search.service.rebuild import Rebuild
from tests.rooms.catalogue.stories import fill
from tests.rooms.search.building import state_of
from tests.rooms.search.library import Library

pytestmark = pytest.mark.anyio

STORIES = 6_000
_READABLE = Query(
    """
    SELECT count(*) AS readable FROM stories
    WHERE deleted_at IS NULL AND status IN (1, 2, 3, 4) AND is_public
    """,
    int,
)
_INDEXING = Query(
    """
    SELECT count(*) AS indexing FROM pg_stat_activity
    WHERE query LIKE '%search_index_words%' AND wait_event_type = 'Lock'
    """,
    int,
)
_ALIVE = Query(
    """
    SELECT count(*) AS alive FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND state = 'active' AND datname = current_database()
        AND (query LIKE '%search_index_words%' OR query LIKE '%FROM search_state FOR UPDATE%')
    """,
    int,
)
_WAITING = Query(
    """
    SELECT count(*) AS waiting FROM pg_stat_activity
    WHERE query LIKE '%FROM search_state FOR UPDATE%' AND wait_event_type = 'Lock'
    """,
    int,
)


@pytest.fixture
async def many(library: Library) -> Library:
    await fill(library.db, STORIES)
    assert await Rebuild(library.db, library.clock, "first").run() > 0
    await library.settle()
    return library


@pytest.fixture
async def builder(
    many: Library, database_url: str, tmp_path: Path
) -> AsyncIterator[asyncio.subprocess.Process]:
    """`rensai search rebuild` in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "rensai", "search", "rebuild", "--quiet"),
        env=os.environ
        | {
            "DATABASE_PRIMARY_URL": database_url,
            "RENSAI_DATA_DIR": str(tmp_path / "data"),
            "NODE_ENV": "test",
        },
        stdin=asyncio.subprocess.DEVNULL,
    )
    del many
    yield process
    if process.returncode is None:
        process.kill()
    await process.wait()


@asynccontextmanager
async def locked(url: str, *statements: str) -> AsyncGenerator[None]:
    """Hold what these statements lock, from outside."""
    connection = await connect(url, seconds=10)
    try:
        for statement in ("BEGIN", *statements):
            await connection.execute(statement)
        yield
    finally:
        await connection.close()


async def until(is_so: Callable[[], Awaitable[object]]) -> None:
    async with asyncio.timeout(20):
        while not await is_so():  # noqa: ASYNC110 - a table tells
            await asyncio.sleep(0.005)


async def kill(builder: asyncio.subprocess.Process) -> None:
    assert builder.returncode is None
    builder.kill()
    assert await builder.wait() < 0


async def goes_on(many: Library, before: State) -> None:
    """Readers saw nothing, and the next builder ends what was begun."""
    left = await state_of(many)
    readable = await many.db.primary.first(_READABLE) or 0
    assert (left.live, left.generation) == (before.live, before.generation)
    assert left.built_count > 0
    assert (await many.ask("story"))["total"] == readable
    seen: list[int] = []
    many.clock.advance(timedelta(hours=1))
    assert await Rebuild(many.db, many.clock, "next", seen.append).run() == readable
    assert seen[0] == left.built_count
    await many.settle()
    after = await state_of(many)
    assert (after.live != before.live, after.generation) == (True, before.generation + 1)
    assert (await many.ask("story"))["total"] == readable
    assert await many.drift() == []


async def test_killed_between_batches(many: Library, builder: asyncio.subprocess.Process) -> None:
    before = await state_of(many)

    async def has_begun() -> bool:
        return (await state_of(many)).built_count not in {0, before.built_count}

    await until(has_begun)
    await kill(builder)
    assert (await state_of(many)).building_frozen is None
    await goes_on(many, before)


@pytest.mark.parametrize("later", [False, True])
async def test_killed_while_the_indexes_are_made_or_before_it_goes_live(
    many: Library, builder: asyncio.subprocess.Process, database_url: str, *, later: bool
) -> None:
    before = await state_of(many)

    async def has_begun() -> bool:
        return (await state_of(many)).built_count not in {0, before.built_count}

    async def is_indexing() -> bool:
        return bool(await many.db.primary.first(_INDEXING))

    async def waits_to_go_live() -> bool:
        return bool(await many.db.primary.first(_WAITING))

    await until(has_begun)
    other = "search_b" if before.live == "search_a" else "search_a"
    async with AsyncExitStack() as held:
        table = locked(database_url, f"LOCK {other}.search_words IN ROW EXCLUSIVE MODE")
        await table.__aenter__()
        await until(is_indexing)
        if later:
            state = locked(database_url, "SELECT FROM search_state FOR UPDATE")
            await held.enter_async_context(state)
            await table.__aexit__(None, None, None)
            await until(waits_to_go_live)
        await kill(builder)
        if not later:
            await table.__aexit__(None, None, None)
    assert (await state_of(many)).building_frozen is not None

    async def is_gone() -> bool:
        return not await many.db.primary.first(_ALIVE)

    await until(is_gone)  # the server hears of a death when it has something to say
    await goes_on(many, before)
