"""Whatever is sent, in which order, how often, and whatever is killed: the end is the same.

Hypothesis sends batches, repeats them, lets workers run, kills them between any two statements,
takes the server away before and after a commit, and lets time pass. Afterwards everything heals,
and the catalogue must be what a model of a few lines says, each item counted once.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Coroutine, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from uuid import UUID

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from rensai.kit.clock import SetClock
from rensai.kit.db import Command, Contended, Database, DatabaseSettings, Lost, Query
from rensai.kit.services import Services
from rensai.rooms.catalogue.door import recount_due
from rensai.rooms.ingest.model import CHAPTERS, STORIES
from rensai.rooms.ingest.service import claims
from rensai.rooms.ingest.service.dead_letters import replay
from rensai.rooms.ingest.service.process import Bench, process
from tests.rig import build_services
from tests.rooms.catalogue.incoming import NOW, SUBSCRIPTIONS
from tests.rooms.ingest.feed import accept, drain, fall_silent, standing, waiting
from tests.rooms.ingest.fuse import Fuse, FusedDatabase, Killed

T = TypeVar("T")

STORY_NAMES = ("s1", "s2")
CHAPTER_NUMBERS = (1, 2, 3)
CHANCE = st.integers(0, 2**32).map(random.Random)


class Model:
    """The catalogue as it is to be in the end: of everything ever accepted, the newest."""

    def __init__(self) -> None:
        self.stories: dict[str, int] = {}
        self.chapters: dict[tuple[str, int], int] = {}

    def hear_story(self, name: str, time: int) -> None:
        self.stories[name] = max(time, self.stories.get(name, time))

    def hear_chapter(self, story: str, number: int, time: int) -> None:
        key = story, number
        self.chapters[key] = max(time, self.chapters.get(key, time))

    @property
    def final_stories(self) -> list[tuple[str, str, bool]]:
        return sorted((n, f"{n} at {t}", is_deletion(t)) for n, t in self.stories.items())

    @property
    def final_chapters(self) -> list[tuple[str, int, str]]:
        return sorted(
            (story, number, f"{number} at {time}")
            for (story, number), time in self.chapters.items()
            if story in self.stories and not is_deletion(time)
        )


def is_deletion(time: int) -> bool:
    """What a source says is told by what it is about and when."""
    return time in {5, 9}


def time_of(chance: random.Random) -> int:
    return chance.choice((0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9))


def pick(chance: random.Random, of: Sequence[T]) -> T:
    return chance.choice(of)


def story_item(name: str, time: int) -> dict[str, Any]:
    item: dict[str, Any] = {
        "source_story_id": name,
        "slug": name,
        "title": f"{name} at {time}",
        "updated_at_source": f"2026-01-01T00:00:0{time}Z",
        "genres": [f"g{time % 3}", name],
        "aliases": [f"{name} {time}"],
    }
    return item | {"deleted": True} if is_deletion(time) else item


def chapter_item(story: str, number: int, time: int) -> dict[str, Any]:
    item: dict[str, Any] = {
        "source_story_id": story,
        "chapter_no": number,
        "slug": f"c-{number}",
        "title": f"{number} at {time}",
        "content_raw": f"{number} at {time} " * (1 + 90 * (time % 2)),
        "updated_at_source": f"2026-01-01T00:00:0{time}Z",
    }
    if number % 2:
        item["source_chapter_id"] = f"x{number}"
    return item | {"deleted": True} if is_deletion(time) else item


class Row(msgspec.Struct, frozen=True):
    story: str
    number: int
    title: str
    id: int


class Tale(msgspec.Struct, frozen=True):
    name: str
    title: str
    deleted: bool


_CLEAR = Command(
    """
    TRUNCATE stories, genres, ingest_requests, ingest_jobs, ingest_jobs_completed,
        ingest_payload_blobs, recount_queue, ingest_totals, tasks.pgqueuer CASCADE
    """
)
_STORIES = Query(
    """
    SELECT source_story_id AS name, title, deleted_at IS NOT NULL AS deleted
    FROM stories ORDER BY source_story_id
    """,
    Tale,
)
_CHAPTERS = Query(
    """
    SELECT source_story_id AS story, chapter_no::integer AS number, chapters.title, chapters.id
    FROM chapters JOIN stories ON stories.id = story_id
    WHERE chapters.deleted_at IS NULL ORDER BY 1, 2, 4
    """,
    Row,
)
_WRONG = Query(
    """
    SELECT stories.id FROM stories LEFT JOIN (
        SELECT story_id, count(*) AS chapters, sum(word_count) AS words, max(chapter_no) AS last
        FROM chapters WHERE is_published AND deleted_at IS NULL GROUP BY story_id
    ) AS counted ON counted.story_id = stories.id
    WHERE (chapter_count, word_count, last_chapter_no)
        IS DISTINCT FROM (coalesce(chapters, 0), coalesce(words, 0), last)
    """,
    int,
)
_LEFT = Query("SELECT count(*) FROM recount_queue", int)
_BODILESS = Query(
    """
    SELECT chapters.id FROM chapters LEFT JOIN chapter_bodies ON chapter_id = chapters.id
    WHERE deleted_at IS NULL AND content_raw IS NULL
    """,
    int,
)
_NEWS = Query("SELECT payload FROM tasks.pgqueuer", bytes)
_DONE = Query("SELECT count(*) FROM ingest_jobs_completed", int)


class Ingest(RuleBasedStateMachine):
    """The queue and everything that can happen to it."""

    url: ClassVar[str]
    folder: ClassVar[Path]

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.requests: dict[UUID, int] = {}
        self.sent: list[tuple[str, list[dict[str, Any]]]] = []
        self.runner = asyncio.Runner()
        self.fuse = Fuse()
        self.clock = SetClock(NOW)
        self.workers = 0

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(work)

    @initialize(known=st.sampled_from(["", "s1", "s1 s2"]))
    def open(self, known: str) -> None:
        async def opened() -> Services:
            config = DatabaseSettings(primary_url=self.url, pool_size=8)
            real = await Database.open(config, subscriptions=SUBSCRIPTIONS)
            async with real.transaction() as tx:
                await tx.run(_CLEAR)
            return build_services(FusedDatabase(real, self.fuse), self.folder, self.clock)

        self.services: Services = self.do(opened())
        if known:
            self.hear_stories([(name, 0) for name in known.split()])
            self.work(STORIES, 2)

    @rule(chance=CHANCE)
    def send_stories(self, chance: random.Random) -> None:
        self.hear_stories([(pick(chance, STORY_NAMES), time_of(chance)) for _ in range(3)])

    def hear_stories(self, items: list[tuple[str, int]]) -> None:
        for item in items:
            self.model.hear_story(*item)
        self.send(STORIES, [story_item(*item) for item in items])

    @rule(chance=CHANCE, at_once=st.booleans())
    def send_chapters(self, chance: random.Random, at_once: bool) -> None:
        items = [
            (pick(chance, STORY_NAMES), pick(chance, CHAPTER_NUMBERS), time_of(chance))
            for _ in range(6)
        ]
        for item in items:
            self.model.hear_chapter(*item)
        self.send(CHAPTERS, [chapter_item(*item) for item in items])
        if at_once:
            self.work(CHAPTERS, 12)

    def send(self, job_type: str, items: list[dict[str, Any]]) -> None:
        self.sent.append((job_type, items))
        request = self.do(accept(self.services, job_type, items))
        self.requests[request] = len(items)

    @precondition(lambda self: bool(self.sent))
    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        job_type, items = data.draw(st.sampled_from(self.sent))
        self.requests[self.do(accept(self.services, job_type, items))] = len(items)

    @rule(job_type=st.sampled_from([STORIES, CHAPTERS]), at_most=st.integers(1, 12))
    def work(self, job_type: str, at_most: int) -> None:
        self.do(self.worker(job_type, at_most))

    @rule(
        job_type=st.sampled_from([STORIES, CHAPTERS]),
        at_most=st.integers(1, 12),
        steps=st.integers(0, 24),
        error=st.sampled_from([Killed(), Lost(), Contended(), RuntimeError("a mistake")]),
    )
    def work_and_fail(self, job_type: str, at_most: int, steps: int, error: BaseException) -> None:
        self.fuse.light(steps, error)
        self.do(self.worker(job_type, at_most))
        self.fuse.put_out()

    @rule(sizes=st.lists(st.integers(1, 6), min_size=2, max_size=4))
    def work_together(self, sizes: list[int]) -> None:
        async def all_of_them() -> None:
            types = [STORIES, CHAPTERS, CHAPTERS, CHAPTERS]
            await asyncio.gather(
                *(self.worker(kind, n) for kind, n in zip(types, sizes, strict=False)),
                recount_due(self.services.db, self.clock, "together"),
            )

        self.do(all_of_them())

    @rule(seconds=st.sampled_from([1, 31, 121, 700]))
    def time_passes(self, seconds: int) -> None:
        self.clock.advance(timedelta(seconds=seconds))

    @rule()
    def reap(self) -> None:
        self.do(claims.reap(self.services.db, self.clock))

    @rule()
    def recount(self) -> None:
        self.clock.advance(timedelta(seconds=61))
        self.do(recount_due(self.services.db, self.clock, "recount"))

    @rule(job_type=st.sampled_from([STORIES, CHAPTERS]), others=st.booleans())
    def work_too_late(self, job_type: str, others: bool) -> None:
        """A worker goes on with jobs that were taken from it, and that others may have done."""

        async def late() -> None:
            db = self.services.db
            jobs = await claims.claim(db, self.clock, job_type, "late", 12)
            await fall_silent(db)
            await claims.reap(db, self.clock)
            if others:
                await self.worker(job_type, 6)
            await process(Bench(db, self.clock, job_type, "late", lambda: False), jobs)

        self.do(late())

    async def worker(self, job_type: str, at_most: int) -> None:
        """A worker that claims once and works until it is done or gone."""
        self.workers += 1
        db, name = self.services.db, f"w{self.workers}"
        try:
            for suspect in (False, True):
                jobs = await claims.claim(db, self.clock, job_type, name, at_most, suspect=suspect)
                bench = Bench(db, self.clock, job_type, name, lambda: False)
                await process(bench, jobs)
        except (Killed, Lost, Contended, RuntimeError):
            return  # as good as dead: what it held is taken from it when it has been silent

    def teardown(self) -> None:
        if hasattr(self, "services"):
            try:
                self.do(self.heal())
                self.do(self.check())
            finally:
                self.do(self.services.db.close())
        self.runner.close()

    async def heal(self) -> None:
        """Let everybody come back, all time pass, and the dead be tried again once."""
        self.fuse.put_out()
        db = self.services.db
        for attempt in range(16):
            await fall_silent(db)
            self.clock.advance(timedelta(hours=1))
            await claims.reap(db, self.clock)
            await drain(self.services, largest=3)
            if attempt == 7:
                for job_type in (STORIES, CHAPTERS):
                    await replay(db, self.clock, job_type, NOW, operator="machine")
        while await recount_due(db, self.clock, "heal"):
            pass

    async def check(self) -> None:
        reads = self.services.db.primary
        stories = [(s.name, s.title, s.deleted) for s in await reads.all(_STORIES)]
        assert [(n, d) for n, _, d in stories] == [(n, d) for n, _, d in self.model.final_stories]
        assert [s for s in stories if not s[2]] == [s for s in self.model.final_stories if not s[2]]
        chapters = await reads.all(_CHAPTERS)
        assert [(c.story, c.number, c.title) for c in chapters] == self.model.final_chapters
        assert await reads.all(_BODILESS) == []
        await self.check_counters()
        assert await reads.first(_LEFT) == 0
        assert await reads.all(_WRONG) == []
        told = [msgspec.json.decode(one) for one in await reads.all(_NEWS)]
        published = Counter(one["chapter_id"] for one in told if one["type"] == "ChapterPublished")
        assert set(published.values()) <= {1}
        assert {c.id for c in chapters} <= set(published)

    async def check_counters(self) -> None:
        """Every item of every request has ended once; only those without a story have failed."""
        db = self.services.db
        dead = await waiting(db)
        assert {(job.status, job.error_code) for job in dead} <= {(4, "story_not_found")}
        failed = superseded = 0
        for request, items in self.requests.items():
            found = await standing(db, request)
            assert found.accepted == items
            assert found.processed + found.failed == items
            assert found.status == (3 if found.failed else 2)
            failed += found.failed
            superseded += found.processed
        assert failed == len(dead)
        # Those that a newer item of the same request replaced never had a job.
        assert superseded >= (await db.primary.first(_DONE) or 0)


@pytest.mark.anyio
async def test_the_catalogue_ends_as_the_model_says_whatever_happens(
    database_url: str, tmp_path: Path
) -> None:
    Ingest.url = database_url
    Ingest.folder = tmp_path
    limits = settings(
        max_examples=40,
        stateful_step_count=25,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    # The machine has a loop of its own.
    await asyncio.to_thread(run_state_machine_as_test, Ingest, settings=limits)
