"""Many workers at once: nothing is lost, nothing is done twice, nobody waits in a circle."""

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from rensai.kit.db import Database, Query
from rensai.kit.errors import Unavailable
from rensai.kit.services import Services
from rensai.rooms.catalogue.door import recount_due
from rensai.rooms.ingest.model import CHAPTERS, STORIES
from rensai.rooms.ingest.service import claims
from rensai.rooms.ingest.service.work import Bounds, Worker
from tests.rooms.ingest.feed import (
    accept,
    chapter,
    chapters,
    drain,
    fall_silent,
    outcomes,
    standing,
    stories,
    story,
    waiting,
)

pytestmark = pytest.mark.anyio

COMPLETED = 2
_NEWS = Query(
    """
    SELECT payload FROM tasks.pgqueuer WHERE entrypoint = 'tests.catalogue.note'
    """,
    bytes,
)


class Stored(msgspec.Struct, frozen=True):
    story: str
    source_chapter_id: str | None
    number: int
    title: str


_STORED = Query(
    """
    SELECT source_story_id AS story, source_chapter_id, chapter_no::integer AS number,
        chapters.title
    FROM chapters JOIN stories ON stories.id = story_id
    WHERE chapters.deleted_at IS NULL ORDER BY 1, 3
    """,
    Stored,
)


async def news(database: Database) -> Counter[str]:
    """How often each event was emitted."""
    found = [msgspec.json.decode(one) for one in await database.primary.all(_NEWS)]
    return Counter(f"{one['type']} {one.get('chapter_id', one['story_id'])}" for one in found)


async def crowd_works(services: Services, job_type: str, workers: int, batch: int) -> None:
    """Several workers, each with two batches at once, until nothing is due."""
    await asyncio.gather(
        *(drain(services, job_type, concurrency=2, largest=batch) for _ in range(workers))
    )


async def all_processed(services: Services, requests: list[UUID]) -> None:
    for request in requests:
        found = await standing(services.db, request)
        assert (found.status, found.processed, found.failed) == (COMPLETED, found.accepted, 0)


async def test_eight_workers_on_one_story_end_with_the_newest_of_each_chapter(
    crowd: Services,
) -> None:
    await stories(crowd, story())
    await drain(crowd, STORIES)
    requests: list[UUID] = []
    order = random.Random(11)  # noqa: S311 - not a secret
    for turn in order.sample(range(30), 30):
        numbers = order.sample(range(1, 21), 12)
        requests.append(
            await chapters(crowd, *(chapter(n, turn, title=f"Version {turn}") for n in numbers))
        )
    # One version that everybody has, so that all numbers are known to end with it.
    requests.append(await chapters(crowd, *(chapter(n, 99, title="Last") for n in range(1, 21))))
    await crowd_works(crowd, CHAPTERS, workers=8, batch=9)
    assert await waiting(crowd.db) == []
    await all_processed(crowd, requests)
    stored = await crowd.db.primary.all(_STORED)
    assert [(one.number, one.title) for one in stored] == [(n, "Last") for n in range(1, 21)]
    told = await news(crowd.db)
    published = {event: n for event, n in told.items() if event.startswith("ChapterPublished")}
    assert (len(published), set(published.values())) == (20, {1})
    ended = Counter(await outcomes(crowd.db))
    changed = sum(n for event, n in told.items() if event.startswith("ChapterChanged"))
    assert (ended["created"], ended["updated"]) == (21, changed)


async def test_batches_that_name_the_same_stories_in_opposite_order_both_end(
    crowd: Services,
) -> None:
    names = [f"s{n}" for n in range(12)]
    await stories(crowd, *(story(name) for name in names))
    await drain(crowd, STORIES)
    requests: list[UUID] = []
    for turn in range(10):
        order = names if turn % 2 else names[::-1]
        requests.append(
            await chapters(
                crowd, *(chapter(turn + 1, turn, source_story_id=name) for name in order)
            )
        )
        requests.append(await stories(crowd, *(story(n, turn, title=f"T{turn}") for n in order)))
    await asyncio.gather(
        crowd_works(crowd, CHAPTERS, workers=4, batch=7),
        crowd_works(crowd, STORIES, workers=4, batch=5),
        *(recount_due(crowd.db, crowd.clock, f"r{n}") for n in range(3)),
    )
    await all_processed(crowd, requests)
    assert len(await crowd.db.primary.all(_STORED)) == 120


async def test_chapters_that_change_numbers_in_many_batches_end_where_the_newest_says(
    crowd: Services,
) -> None:
    await stories(crowd, story())
    await drain(crowd, STORIES)
    count = 8
    requests: list[UUID] = []
    for turn in range(12):
        # Everybody moves on by one place each time.
        items = [
            chapter((n + turn) % count + 1, turn, source_chapter_id=f"x{n}") for n in range(count)
        ]
        requests.append(await chapters(crowd, *items))
    await crowd_works(crowd, CHAPTERS, workers=6, batch=count * 2)
    # Torn apart between workers, some found their places taken; they are tried again together.
    assert {job.error_code for job in await waiting(crowd.db)} <= {
        "chapter_no_conflict",
        "slug_conflict",
    }
    for _ in range(6):
        await _let_time_pass(crowd)
        await drain(crowd, CHAPTERS)
    await all_processed(crowd, requests)
    stored = await crowd.db.primary.all(_STORED)
    assert {one.source_chapter_id: one.number for one in stored} == {
        f"x{n}": (n + 11) % count + 1 for n in range(count)
    }


_PASS = Query(
    "UPDATE ingest_jobs SET next_run_at = now() - interval '1 s' WHERE status = 0 RETURNING id",
    int,
)


async def _let_time_pass(services: Services) -> None:
    async with services.db.transaction() as tx:
        await tx.all(_PASS)


async def test_a_worker_killed_at_any_moment_leaves_nothing_undone_or_done_twice(
    crowd: Services, database_url: str, tmp_path: Path
) -> None:
    """A real process, killed again and again while it works; then another one does the rest."""
    await stories(crowd, *(story(f"s{n}") for n in range(20)))
    await drain(crowd, STORIES)
    requests = [
        await accept(
            crowd,
            CHAPTERS,
            [chapter(n, source_story_id=f"s{turn}", content_raw="Text " * 500) for n in range(100)],
        )
        for turn in range(20)
    ]
    chance = random.Random(5)  # noqa: S311 - not a secret
    killed = 0
    while killed < 3 and await waiting(crowd.db):
        worker = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "rensai", "ingest-worker", "chapters", "--concurrency", "2"),
            env=os.environ
            | {
                "DATABASE_PRIMARY_URL": database_url,
                "RENSAI_DATA_DIR": str(tmp_path / "data"),
                "NODE_ENV": "test",
            },
            stdout=asyncio.subprocess.DEVNULL,
        )
        before = len(await outcomes(crowd.db))
        async with asyncio.timeout(30):
            while len(await outcomes(crowd.db)) == before:  # noqa: ASYNC110 - a table tells
                await asyncio.sleep(0.005)
        await asyncio.sleep(chance.random() * 0.05)
        worker.send_signal(signal.SIGKILL)
        await worker.wait()
        killed += 1
        await fall_silent(crowd.db)
        await claims.reap(crowd.db, crowd.clock)
    assert killed
    await drain(crowd, CHAPTERS)
    assert await waiting(crowd.db) == []
    await all_processed(crowd, requests)
    assert len(await outcomes(crowd.db)) == 2020
    assert len(await crowd.db.primary.all(_STORED)) == 2000
    # The process has the subscriptions of the product, so these are of those that we did here.
    assert set((await news(crowd.db)).values()) == {1}


async def test_a_worker_told_to_stop_in_the_middle_gives_back_without_counting(
    crowd: Services,
) -> None:
    for turn in range(20):
        await stories(crowd, *(story(f"s{turn}-{n}") for n in range(30)), source=f"site-{turn}")
    stop = asyncio.Event()
    worker = Worker(crowd, STORIES, largest=500, bounds=Bounds())
    running = asyncio.create_task(worker.run(stop))
    async with asyncio.timeout(20):
        while not await outcomes(crowd.db):  # noqa: ASYNC110 - a table tells
            await asyncio.sleep(0.001)
    stop.set()
    await running
    left = await waiting(crowd.db)
    assert {(job.status, job.attempts, job.locked_by) for job in left} == {(0, 0, None)}
    assert len(left) + len(await outcomes(crowd.db)) == 600


async def test_a_worker_outlives_the_loss_of_every_connection(crowd: Services) -> None:
    await stories(crowd, *(story(f"s{n}") for n in range(10)))
    await drain(crowd, STORIES)
    requests = [
        await chapters(crowd, *(chapter(n, source_story_id=f"s{turn}") for n in range(60)))
        for turn in range(10)
    ]
    stop = asyncio.Event()
    worker = Worker(crowd, CHAPTERS, concurrency=2, largest=20)
    running = asyncio.create_task(worker.run(stop))
    for _ in range(20):
        await asyncio.sleep(0.03)
        await _cut_all_connections(crowd)
    async with asyncio.timeout(30):
        while await waiting(crowd.db):
            await asyncio.sleep(1)
            # A claim whose answer was lost is nobody's until its time is over.
            await fall_silent(crowd.db)
            await claims.reap(crowd.db, crowd.clock)
    stop.set()
    await running
    await all_processed(crowd, requests)
    assert len(await crowd.db.primary.all(_STORED)) == 600


_CUT = Query(
    """
    SELECT pg_terminate_backend(pid) AS cut FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
    """,
    bool,
)


async def _cut_all_connections(services: Services) -> None:
    with suppress(Unavailable):
        await services.db.primary.all(_CUT)
