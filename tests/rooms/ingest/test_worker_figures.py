"""How the queue stands, for people, scripts and Prometheus."""

from datetime import timedelta

import pytest

from rensai.kit.clock import SetClock
from rensai.kit.services import Services
from rensai.rooms.ingest.cli.status import as_text
from rensai.rooms.ingest.service import claims
from rensai.rooms.ingest.service.figures import figures
from tests.rig import Rig
from tests.rooms.ingest.feed import CHAPTERS, chapter, chapters, drain, stories, story

pytestmark = pytest.mark.anyio


async def test_depth_lag_rate_and_failures_are_told(services: Services, clock: SetClock) -> None:
    await stories(services, story())
    await chapters(services, chapter(1), chapter(1, source_story_id="s9"))
    await drain(services)
    await chapters(services, *(chapter(n) for n in range(2, 8)))
    await claims.claim(services.db, clock, CHAPTERS, "w", 2)
    clock.advance(timedelta(seconds=20))
    found = await figures(services.db.primary, clock)
    ours, theirs = found.queues[1], found.queues[0]
    assert (theirs.due, theirs.running, theirs.lag_seconds) == (0, 0, 0)
    assert (ours.due, ours.later, ours.running, ours.lag_seconds) == (4, 1, 2, 20)
    assert [one.done for one in found.recent] == [1, 1]
    (failing,) = found.failing
    assert (failing.code, failing.retrying, failing.failed) == ("story_not_found", 1, 0)
    assert as_text(found).splitlines() == [
        "QUEUE     DUE  LATER  RUNNING  LAG     DONE/MIN  SLOWEST  FAILED  DEAD",
        "stories   0    0      0        0.0 s   1         0.0 s    0       0",
        "chapters  4    1      2        20.0 s  1         0.0 s    0       0",
        "",
        "QUEUE     CODE             RETRYING  FAILED",
        "chapters  story_not_found  1         0",
    ]


async def test_an_empty_queue_is_told_too(services: Services, clock: SetClock) -> None:
    found = await figures(services.db.primary, clock)
    assert [queue.job_type for queue in found.queues] == ["stories_bulk", "chapters_bulk"]


async def test_metrics_show_the_queue(rig: Rig) -> None:
    await stories(rig.services, story())
    await chapters(rig.services, chapter(1, source_story_id="s9"))
    await drain(rig.services)
    text = (await rig.get("/metrics")).text
    for line in (
        'rensai_ingest_jobs{queue="chapters_bulk",state="later"} 1.0',
        'rensai_ingest_lag_seconds{queue="stories_bulk"} 0.0',
        'rensai_ingest_items_total{code="",outcome="created",queue="stories_bulk"} 1.0',
        'rensai_ingest_items_total{code="story_not_found",outcome="retried",queue="chapters_bulk"}',
    ):
        assert line in text, text
