"""The commands that work on the queue, as people and scripts type them."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import msgspec
import pytest

from rensai.kit.clock import SystemClock
from rensai.kit.db import Command
from rensai.kit.services import Services
from rensai.rooms.ingest.cli.work import Since, Size
from tests.rooms.catalogue.incoming import stored_stories
from tests.rooms.ingest.feed import chapter, chapters, standing, stories, story, waiting

pytestmark = pytest.mark.anyio


class Told(msgspec.Struct, frozen=True):
    """What a command answered."""

    code: int
    output: str


Run = Callable[..., Awaitable[Told]]

_KILL = Command("UPDATE ingest_jobs SET status = 4, attempts = 6, error_code = 'internal_error'")
_COUNT_IT = Command("UPDATE ingest_requests SET failed_items = 1, status = 3")


@pytest.fixture
def command(database_url: str, tmp_path: Path) -> Run:
    """Runs a command, in a process of its own, on the database of the test."""
    environment = os.environ | {
        "DATABASE_PRIMARY_URL": database_url,
        "RENSAI_DATA_DIR": str(tmp_path / "data"),
        "NODE_ENV": "test",
    }

    async def run(*arguments: str) -> Told:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "rensai", *arguments),
            env=environment,
            stdout=asyncio.subprocess.PIPE,
        )
        output, _ = await process.communicate()
        return Told(process.returncode or 0, output.decode())

    return run


@pytest.mark.parametrize(
    ("text", "size"), [("512M", 512 << 20), ("1G", 1 << 30), ("64 kb", 64 << 10), ("9", 9)]
)
def test_a_size_is_read_with_its_unit(text: str, size: int) -> None:
    assert Size().convert(text, None, None) == size


@pytest.mark.parametrize("text", ["", "M", "-1", "1.5G", "12X"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        Size().convert(text, None, None)


@pytest.mark.parametrize("text", ["-24 hours", "24 hours ago", "- 1 day", "-1440 minutes"])
def test_a_time_ago_is_read_as_the_contract_writes_it(text: str) -> None:
    ago = datetime.now(UTC) - Since().convert(text, None, None)
    assert abs(ago - timedelta(days=1)) < timedelta(seconds=5)


def test_a_moment_is_read_as_utc() -> None:
    moment = datetime(2026, 2, 21, 8, tzinfo=UTC)
    assert Since().convert("2026-02-21T08:00:00Z", None, None) == moment
    assert Since().convert("2026-02-21 08:00", None, None) == moment


@pytest.mark.parametrize("text", ["", "yesterday", "-1 fortnight", "-99999999999 days", "2026"])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        Since().convert(text, None, None)


async def test_workers_drain_the_queue_and_count(crowd: Services, command: Run) -> None:
    await stories(crowd, story())
    request = await chapters(crowd, *(chapter(n) for n in range(10)))
    first = await command("ingest-worker", "stories", "--drain")
    assert first.code == 0, first.output
    assert "Stories: 1 done" in first.output
    second = await command(
        "ingest-worker", "chapters", "--drain", "--concurrency", "2", "--limit", "6"
    )
    assert "Chapters: 6 done" in second.output
    await command("ingest-worker", "chapters", "--drain", "--memory-limit", "2G")
    assert (await standing(crowd.db, request)).numbers == (2, 10, 10, 0)
    found = (await stored_stories(crowd.db.primary))["s1"]
    counted = await command("recount-story", "--story-id", str(found.id))
    assert counted.code == 0, counted.output
    assert (await stored_stories(crowd.db.primary))["s1"].chapter_count == 10
    nobody = await command("recount-story", "--story-id", "999999")
    assert nobody.code == 1
    recounts = await command("recount-worker", "stories", "--max-runtime", "1")
    assert recounts.output.startswith("Recounts: 0 done in")  # the minute is not over


async def test_a_worker_without_a_kind_works_on_both(crowd: Services, command: Run) -> None:
    request = await stories(crowd, story())
    await chapters(crowd, chapter(1))
    told = await command("ingest-worker", "--limit=500", "--max-runtime=3", "--memory-limit=512M")
    assert "Stories: 1 done" in told.output
    assert "Chapters: 1 done" in told.output
    assert (await standing(crowd.db, request)).numbers == (2, 1, 1, 0)


async def test_the_status_is_a_table_or_json(crowd: Services, command: Run) -> None:
    await chapters(crowd, chapter(1))
    table = await command("ingest", "status")
    assert table.output.startswith("QUEUE")
    told = json.loads((await command("ingest", "status", "--json")).output)
    assert told["queues"][1]["due"] == 1


async def test_dead_letters_are_replayed_by_command(crowd: Services, command: Run) -> None:
    request = await chapters(crowd, chapter(1, updated_at_source=SystemClock().now().isoformat()))
    async with crowd.db.transaction() as tx:
        await tx.run(_KILL)
        await tx.run(_COUNT_IT)
    told = await command(
        "replay-dead-letter", "--job-type", "chapters", "--since", "-24 hours", "--json"
    )
    assert json.loads(told.output) == {"replayed": 1}
    (job,) = await waiting(crowd.db)
    assert (job.status, job.attempts) == (0, 0)
    assert (await standing(crowd.db, request)).numbers == (1, 1, 0, 0)
