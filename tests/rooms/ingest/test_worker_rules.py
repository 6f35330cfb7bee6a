"""What becomes of accepted items: done once, tried again, or put aside, and always counted."""

import asyncio
import random
from datetime import timedelta

import pytest

from rensai.kit.clock import SetClock
from rensai.kit.db import Command, Database, Query
from rensai.kit.services import Services
from rensai.rooms.ingest.model import CHAPTERS, STORIES
from rensai.rooms.ingest.service import claims
from rensai.rooms.ingest.service.dead_letters import clear_away, replay
from rensai.rooms.ingest.service.work import Bounds, Worker
from tests.rooms.ingest.feed import (
    blobs,
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

QUEUED, PROCESSING, COMPLETED, PARTIALLY_FAILED = range(4)
FAILED, DEAD = 3, 4

_CHAPTERS = Query("SELECT count(*) FROM chapters", int)
_TITLES = Query("SELECT title FROM chapters ORDER BY chapter_no", str)
_POISON = Command(
    "ALTER TABLE chapters ADD CONSTRAINT no_poison CHECK (title <> 'Poison') NOT VALID"
)
_BREAK = Command(
    """
    CREATE FUNCTION explode() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'a disk is full'; END $$
    """
)
_ARM = Command(
    """
    CREATE TRIGGER explode BEFORE INSERT ON chapters FOR EACH ROW
    WHEN (NEW.title = 'Poison') EXECUTE FUNCTION explode()
    """
)
_DISARM = Command("DROP TRIGGER explode ON chapters")
_SPOIL = Command("UPDATE ingest_jobs SET payload_inline = '\\x00' WHERE external_ref = 's1:#1'")
_LOGS = Query("SELECT message FROM sync_logs WHERE event_type = 'dead_letter_replay'", str)
_TOTALS = Query("SELECT outcome || ' ' || code || ' ' || count FROM ingest_totals ORDER BY 1", str)


def unpackable(characters: int) -> str:
    """A text that stays large when it is packed."""
    chosen = random.Random(7).choices(range(0x4E00, 0x9FFF), k=characters)  # noqa: S311 - not a secret
    return "".join(map(chr, chosen))


async def run(database: Database, *commands: Command) -> None:
    async with database.transaction() as tx:
        for command in commands:
            await tx.run(command)


async def test_accepted_items_end_in_the_catalogue_and_leave_the_queue(
    services: Services, database: Database
) -> None:
    await stories(services, story())
    request = await chapters(services, *(chapter(n) for n in range(5)))
    assert (await standing(database, request)).status == QUEUED
    assert await drain(services) == 6
    assert (await standing(database, request)).numbers == (COMPLETED, 5, 5, 0)
    assert await waiting(database) == []
    assert await outcomes(database) == ["created"] * 6
    assert await database.primary.first(_CHAPTERS) == 5


async def test_of_two_versions_in_a_request_one_counts_and_both_are_processed(
    services: Services, database: Database
) -> None:
    await stories(services, story())
    request = await chapters(services, chapter(1, 5, title="New"), chapter(1, 1, title="Old"))
    await drain(services)
    assert (await standing(database, request)).numbers == (COMPLETED, 2, 2, 0)
    assert await database.primary.all(_TITLES) == ["New"]


async def test_stale_and_repeated_items_count_as_processed(
    services: Services, database: Database
) -> None:
    await stories(services, story())
    for minutes in (5, 5, 1):
        request = await chapters(services, chapter(1, minutes))
        await drain(services)
        assert (await standing(database, request)).numbers == (COMPLETED, 1, 1, 0)
    assert await outcomes(database) == ["created", "created", "unchanged", "stale"]


async def test_a_chapter_waits_for_its_story_and_then_dies_of_it(
    services: Services, database: Database, clock: SetClock
) -> None:
    request = await chapters(services, chapter(1))
    waits: list[float] = []
    for _ in range(5):
        assert await drain(services, CHAPTERS) == 1
        (job,) = await waiting(database)
        assert (job.status, job.error_code) == (QUEUED, "story_not_found")
        waits.append((job.next_run_at - clock.now()).total_seconds())
        assert await drain(services, CHAPTERS) == 0
        clock.advance(job.next_run_at - clock.now())
    assert waits == [30, 120, 600, 1800, 3600]
    assert (await standing(database, request)).numbers == (PROCESSING, 1, 0, 0)
    await drain(services, CHAPTERS)
    (job,) = await waiting(database)
    assert (job.status, job.attempts) == (DEAD, 6)
    found = await standing(database, request)
    assert found.numbers == (PARTIALLY_FAILED, 1, 0, 1)
    assert found.last_error == "There is no story with this source_story_id yet."


async def test_a_chapter_that_waits_goes_on_when_its_story_has_come(
    services: Services, database: Database, clock: SetClock
) -> None:
    request = await chapters(services, chapter(1), chapter(2))
    await drain(services)
    await stories(services, story())
    clock.advance(timedelta(seconds=30))
    await drain(services)
    assert (await standing(database, request)).numbers == (COMPLETED, 2, 2, 0)


async def test_a_poisoned_item_fails_alone(services: Services, database: Database) -> None:
    await run(database, _POISON)
    await stories(services, story())
    items = [chapter(n) for n in range(1, 65)]
    items[40]["title"] = "Poison"
    request = await chapters(services, *items)
    await drain(services)
    (job,) = await waiting(database)
    assert (job.status, job.error_code, job.external_ref) == (FAILED, "invalid_item", "s1:#41")
    assert (await standing(database, request)).numbers == (PARTIALLY_FAILED, 64, 63, 1)
    assert await database.primary.first(_CHAPTERS) == 63


async def test_an_item_that_cannot_be_read_fails_alone(
    services: Services, database: Database
) -> None:
    await stories(services, story())
    request = await chapters(services, chapter(1), chapter(2))
    await run(database, _SPOIL)
    await drain(services)
    (job,) = await waiting(database)
    assert (job.status, job.error_code) == (FAILED, "invalid_payload")
    assert (await standing(database, request)).numbers == (PARTIALLY_FAILED, 2, 1, 1)


async def test_dead_letters_are_replayed_when_the_trouble_is_over(
    services: Services, database: Database, clock: SetClock
) -> None:
    await run(database, _BREAK, _ARM)
    await stories(services, story())
    request = await chapters(services, chapter(1), chapter(2, title="Poison"))
    for _ in range(6):
        await drain(services)
        clock.advance(timedelta(hours=1))
    (job,) = await waiting(database)
    assert (job.status, job.error_code) == (DEAD, "internal_error")
    assert "disk" not in (job.last_error or "")
    await run(database, _DISARM)
    assert await replay(database, clock, CHAPTERS, clock.now(), operator="ada") == 0
    since = clock.now() - timedelta(hours=24)
    assert await replay(database, clock, CHAPTERS, since, operator="ada") == 1
    assert (await standing(database, request)).numbers == (PROCESSING, 2, 1, 0)
    await drain(services)
    assert (await standing(database, request)).numbers == (COMPLETED, 2, 2, 0)
    assert (await database.primary.all(_LOGS))[1:] == ["ada had 1 items tried again."]


async def test_a_large_body_travels_in_a_blob_which_goes_when_it_is_done(
    services: Services, database: Database
) -> None:
    await stories(services, story())
    request = await chapters(services, chapter(1, content_raw=unpackable(60_000)))
    assert await blobs(database) == 1
    await drain(services)
    assert await blobs(database) == 0
    assert (await standing(database, request)).numbers == (COMPLETED, 1, 1, 0)


async def test_a_large_story_travels_in_a_blob_too(services: Services, database: Database) -> None:
    request = await stories(services, story(summary=unpackable(60_000)))
    assert await blobs(database) == 1
    await drain(services)
    assert await blobs(database) == 0
    assert (await standing(database, request)).numbers == (COMPLETED, 1, 1, 0)


async def test_what_a_silent_worker_held_is_taken_and_counts_as_an_attempt(
    services: Services, database: Database
) -> None:
    await stories(services, story())
    request = await chapters(services, *(chapter(n) for n in range(3)))
    await drain(services, STORIES)
    held = await claims.claim(database, services.clock, CHAPTERS, "dead", 10)
    assert len(held) == 3
    assert await claims.reap(database, services.clock) == 0
    await claims.keep(database, services.clock, held, "dead")
    await fall_silent(database)
    assert await claims.reap(database, services.clock) == 3
    assert {(job.status, job.attempts) for job in await waiting(database)} == {(QUEUED, 1)}
    await drain(services, CHAPTERS)
    assert (await standing(database, request)).numbers == (COMPLETED, 3, 3, 0)


async def test_an_item_that_ends_every_worker_is_put_aside(
    services: Services, database: Database
) -> None:
    request = await chapters(services, chapter(1))
    for attempt in range(1, 7):
        suspect = attempt > 2
        assert not await claims.claim(
            database, services.clock, CHAPTERS, "dead", 9, suspect=not suspect
        )
        held = await claims.claim(database, services.clock, CHAPTERS, "dead", 9, suspect=suspect)
        assert [job.attempts for job in held] == [attempt]
        await fall_silent(database)
        assert await claims.reap(database, services.clock) == 1
    (job,) = await waiting(database)
    assert (job.status, job.error_code) == (DEAD, "worker_lost")
    assert (await standing(database, request)).numbers == (PARTIALLY_FAILED, 1, 0, 1)


async def test_suspects_are_worked_on_too(services: Services, database: Database) -> None:
    await stories(services, story())
    await drain(services)
    request = await chapters(services, *(chapter(n) for n in range(4)))
    for _ in range(2):
        await claims.claim(database, services.clock, CHAPTERS, "dead", 9)
        await fall_silent(database)
        await claims.reap(database, services.clock)
    assert await drain(services) == 4
    assert (await standing(database, request)).numbers == (COMPLETED, 4, 4, 0)


async def test_what_was_taken_from_a_slow_worker_is_not_its_to_end(
    services: Services, database: Database
) -> None:
    """The slow worker wakes up when another has the jobs, and again when they are done."""
    await stories(services, story())
    request = await chapters(services, chapter(1))
    await drain(services, STORIES)
    held = await claims.claim(database, services.clock, CHAPTERS, "slow", 10)
    await fall_silent(database)
    await claims.reap(database, services.clock)
    assert await claims.still_ours(database, held, "slow") == []
    assert await claims.give_back(database, services.clock, held, "slow") == 0
    await drain(services)
    assert await claims.give_back(database, services.clock, held, "slow") == 0
    assert (await standing(database, request)).numbers == (COMPLETED, 1, 1, 0)


async def test_a_worker_that_stops_gives_back_what_it_holds(
    services: Services, database: Database
) -> None:
    await chapters(services, *(chapter(n) for n in range(3)))
    held = await claims.claim(database, services.clock, CHAPTERS, "w", 10)
    assert await claims.give_back(database, services.clock, held, "w") == 3
    assert {(job.status, job.attempts) for job in await waiting(database)} == {(QUEUED, 0)}


async def test_a_worker_wakes_when_something_is_queued_and_stops_when_told(
    services: Services, database: Database
) -> None:
    stop = asyncio.Event()
    worker = Worker(services, STORIES, concurrency=2, poll=30.0)
    running = asyncio.create_task(worker.run(stop))
    await asyncio.sleep(0.5)  # until it waits
    request = await stories(services, story())
    async with asyncio.timeout(2):
        while (await standing(database, request)).status != COMPLETED:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    stop.set()
    async with asyncio.timeout(5):
        await running


async def test_a_worker_ends_after_as_many_jobs_as_it_may_do(
    services: Services, database: Database
) -> None:
    await stories(services, *(story(f"s{n}") for n in range(10)))
    worker = Worker(services, STORIES, bounds=Bounds(jobs=7), largest=3)
    async with asyncio.timeout(10):
        await worker.run(asyncio.Event())
    assert worker.done == 7
    assert len(await waiting(database)) == 3


async def test_a_worker_ends_when_its_time_is_over(services: Services) -> None:
    worker = Worker(services, STORIES, bounds=Bounds(runtime=timedelta(seconds=0.2)))
    async with asyncio.timeout(5):
        await worker.run(asyncio.Event())


async def test_a_worker_that_has_grown_too_large_stops_after_its_batch(
    services: Services, database: Database
) -> None:
    await stories(services, *(story(f"s{n}") for n in range(10)))
    worker = Worker(services, STORIES, bounds=Bounds(memory=1), largest=4)
    async with asyncio.timeout(10):
        await worker.run(asyncio.Event())
    assert (worker.done, len(await waiting(database))) == (4, 6)


async def test_how_items_end_is_added_up(services: Services, database: Database) -> None:
    await stories(services, story())
    await chapters(services, chapter(1), chapter(1, source_story_id="s9"))
    await drain(services)
    assert await database.primary.all(_TOTALS) == [
        "created  1",
        "created  1",
        "retried story_not_found 1",
    ]


async def test_what_is_long_over_is_forgotten(
    services: Services, database: Database, clock: SetClock
) -> None:
    await run(database, _POISON)
    await stories(services, story())
    await chapters(services, chapter(1), chapter(2, title="Poison"))
    await drain(services)
    clock.advance(timedelta(days=7))
    await clear_away(database, clock)
    assert len(await outcomes(database)) == 2
    clock.advance(timedelta(seconds=1))
    await clear_away(database, clock)
    assert await outcomes(database) == []
    assert len(await waiting(database)) == 1
    clock.advance(timedelta(days=23))
    await clear_away(database, clock)
    assert await waiting(database) == []
