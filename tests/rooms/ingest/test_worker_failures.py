"""What is known of items that have failed, how often they are tried, and how long it is known."""

from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from rensai.kit.clock import SetClock
from rensai.kit.db import Command, Database, Query
from rensai.kit.services import Services
from rensai.kit.tasks import TaskContext
from rensai.rooms.ingest.model import CHAPTERS, STORIES
from rensai.rooms.ingest.service import claims, upkeep
from rensai.rooms.ingest.tasks import ClearAway, clear_away_jobs
from tests.rig import build_services
from tests.rooms.ingest.feed import (
    SOURCE,
    chapter,
    chapters,
    drain,
    fall_silent,
    outcomes,
    stories,
    story,
    waiting,
)

pytestmark = pytest.mark.anyio


class Line(msgspec.Struct, frozen=True):
    """A line of the log."""

    level: str
    source: str | None
    reference_id: str | None
    message: str
    context: str


_LOG = Query(
    """
    SELECT level, source, reference_id, message, context::text FROM sync_logs
    WHERE event_type = 'items_failed' ORDER BY id
    """,
    Line,
)
_POISON = Command(
    "ALTER TABLE chapters ADD CONSTRAINT no_poison CHECK (title <> 'Poison') NOT VALID"
)


async def _poison(database: Database) -> None:
    async with database.transaction() as tx:
        await tx.run(_POISON)


async def test_what_has_failed_for_good_is_in_the_log_without_its_text(
    services: Services, database: Database
) -> None:
    await _poison(database)
    await stories(services, story())
    request = await chapters(
        services,
        chapter(1),
        chapter(2, title="Poison", content_raw="A secret text"),
        chapter(3, title="Poison"),
        chapter(4, source_story_id="s9"),
    )
    await drain(services)
    lines = await database.primary.all(_LOG)
    assert {(one.level, one.source, one.reference_id) for one in lines} == {
        ("warning", SOURCE, str(request))
    }
    assert [one.message for one in lines] == ["Failed for good: invalid_item (1)"] * 2
    assert {one.context for one in lines} == {'{"codes": {"invalid_item": 1}}'}


async def test_an_item_that_ended_every_worker_is_in_the_log(
    services: Services, database: Database
) -> None:
    request = await chapters(services, chapter(1))
    for attempt in range(6):
        await claims.claim(database, services.clock, CHAPTERS, "dead", 9, suspect=attempt > 1)
        await fall_silent(database)
        assert await database.primary.all(_LOG) == []
        await claims.reap(database, services.clock)
    (line,) = await database.primary.all(_LOG)
    assert (line.source, line.reference_id) == (SOURCE, str(request))
    assert line.message == "Failed for good: worker_lost (1)"


async def test_an_operator_sets_how_often_an_item_is_tried_again(
    database: Database, tmp_path: Path, clock: SetClock
) -> None:
    services = build_services(database, tmp_path, clock, INGEST_MAX_ATTEMPTS="1")
    await chapters(services, chapter(1))
    await drain(services, CHAPTERS)
    (job,) = await waiting(database)
    assert (job.status, job.attempts) == (0, 1)
    clock.advance(timedelta(seconds=30))
    await drain(services, CHAPTERS)
    (job,) = await waiting(database)
    assert (job.status, job.attempts) == (4, 2)


async def test_an_operator_sets_how_long_it_is_known_what_became_of_items(
    database: Database, tmp_path: Path, clock: SetClock
) -> None:
    services = build_services(
        database,
        tmp_path,
        clock,
        INGEST_COMPLETED_DAYS="1",
        INGEST_FAILED_DAYS="2",
        INGEST_LOG_DAYS="3",
    )
    await _poison(database)
    await stories(services, story())
    await chapters(services, chapter(1), chapter(2, title="Poison"))
    await drain(services, STORIES, CHAPTERS)
    kept: list[tuple[int, int, int]] = []
    for _ in range(4):
        await clear_away_jobs.call(TaskContext(services, 1, 1), ClearAway())
        await upkeep.clear_expired(services)
        found = [
            await outcomes(database),
            await waiting(database),
            await database.primary.all(_LOG),
        ]
        kept.append((len(found[0]), len(found[1]), len(found[2])))
        clock.advance(timedelta(days=1, seconds=1))
    assert kept == [(2, 1, 1), (0, 1, 1), (0, 0, 1), (0, 0, 0)]
