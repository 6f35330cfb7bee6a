"""Items as a source sends them, and what the catalogue has made of them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any

import msgspec

from rensai.kit.clock import SetClock
from rensai.kit.db import Command, Database, Query, Reads, Tx
from rensai.kit.tasks import AnyTask, TaskContext, task
from rensai.rooms.catalogue import events
from rensai.rooms.catalogue.door import (
    IncomingChapter,
    IncomingStory,
    Outcome,
    PackedBody,
    PreparedBody,
    prepare_body,
    receive_chapters,
    receive_stories,
    unpack_body,
)

SOURCE = "truyen"
DAWN = datetime(2026, 3, 1, 6, tzinfo=UTC)
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
_JOBS = count(1)


def at(minutes: float) -> datetime:
    """A time of the source."""
    return DAWN + timedelta(minutes=minutes)


def story(id_: str = "s1", minutes: float = 0, **fields: Any) -> IncomingStory:
    """A story as sent at that minute; a slug and a title of its own unless it says so."""
    given: dict[str, Any] = {"slug": id_, "title": id_.title(), **fields}
    return IncomingStory(
        job_id=next(_JOBS), source_story_id=id_, updated_at_source=at(minutes), **given
    )


def chapter(number: float | None = 1, minutes: float = 0, **fields: Any) -> "Sent":
    """A chapter of s1 as sent at that minute."""
    text = fields.pop("text", f"Text of {number}")
    story_id = fields.pop("story", "s1")
    body = None if fields.get("deleted") else prepare_body(text)
    given: dict[str, Any] = {
        "slug": f"c-{number}".replace(".", "-"),
        "title": f"Chapter {number}",
        **fields,
    }
    if body is not None:
        given |= {
            "content_hash": body.hash,
            "content_size": body.size,
            "word_count": body.words,
        }
    item = IncomingChapter(
        job_id=next(_JOBS),
        source_story_id=story_id,
        updated_at_source=at(minutes),
        chapter_no=None if number is None else Decimal(str(number)),
        **given,
    )
    return Sent(item, body)


class Sent(msgspec.Struct, frozen=True):
    """A chapter with its body."""

    item: IncomingChapter
    body: PreparedBody | None


class Bodies:
    """Bodies in memory; it remembers which ones were asked for."""

    def __init__(self, sent: Sequence[Sent]) -> None:
        self._bodies = {one.item.job_id: one.body for one in sent}
        self.asked: list[int] = []

    async def packed(self, tx: Tx, job_ids: list[int]) -> list[PackedBody]:
        del tx
        self.asked += job_ids
        found = [(job, self._bodies[job]) for job in job_ids]
        return [
            PackedBody(job, body.raw, body.html, body.encoding)
            for job, body in found
            if body is not None
        ]


@task(name="tests.catalogue.note")
async def note(context: TaskContext, args: events.StoryChanged) -> None:
    """Stands in the queue for every event that was emitted."""
    del context, args


_KINDS: tuple[type[object], ...] = (
    events.StoryChanged,
    events.StoryDeleted,
    events.StoryRecounted,
    events.ChapterPublished,
    events.ChapterChanged,
    events.ChapterDeleted,
    events.SourcePolicyChanged,
    events.TaxonomyChanged,
)
SUBSCRIPTIONS: dict[type[object], tuple[AnyTask, ...]] = dict.fromkeys(_KINDS, (note,))

_EVENTS = Query(
    "SELECT payload FROM tasks.pgqueuer WHERE entrypoint = 'tests.catalogue.note' ORDER BY id",
    bytes,
)
_FORGET = Command("DELETE FROM tasks.pgqueuer")


class Shelf:
    """A catalogue that receives."""

    def __init__(self, database: Database, clock: SetClock | None = None) -> None:
        self.database = database
        self.clock = clock or SetClock(NOW)

    async def stories(self, *items: IncomingStory, source: str = SOURCE) -> list[Outcome]:
        """Receive stories; the outcomes in the order of the items."""
        async with self.database.transaction() as tx:
            outcomes = await receive_stories(tx, self.clock, source, items)
        return in_order([item.job_id for item in items], outcomes)

    async def chapters(self, *sent: Sent, source: str = SOURCE) -> list[Outcome]:
        """Receive chapters; the outcomes in the order of the items."""
        return await self.chapters_from(Bodies(sent), *sent, source=source)

    async def chapters_from(
        self, bodies: Bodies, *sent: Sent, source: str = SOURCE
    ) -> list[Outcome]:
        items = [one.item for one in sent]
        async with self.database.transaction() as tx:
            outcomes = await receive_chapters(tx, self.clock, source, items, bodies)
        return in_order([item.job_id for item in items], outcomes)

    async def news(self) -> list[str]:
        """The events since the last time, as `ChapterPublished 1`."""
        found = [msgspec.json.decode(one) for one in await self.database.primary.all(_EVENTS)]
        async with self.database.transaction() as tx:
            await tx.run(_FORGET)
        return sorted(f"{one.pop('type')} {list(one.values())[-1]}" for one in found)


def in_order(jobs: Sequence[int], outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The one outcome of each job."""
    by_job = {outcome.job_id: outcome for outcome in outcomes}
    assert sorted(by_job) == sorted(jobs)
    assert len(outcomes) == len(jobs)
    return [by_job[job] for job in jobs]


def results(outcomes: Sequence[Outcome]) -> list[str]:
    """How items ended: the code of a failure, else the result."""
    return [outcome.code or outcome.result.value for outcome in outcomes]


class StoredChapter(msgspec.Struct, frozen=True):
    id: int
    source_chapter_id: str | None
    chapter_no: Decimal
    slug: str
    title: str
    is_published: bool
    published_at: datetime | None
    updated_at_source: datetime
    deleted: bool
    word_count: int
    content_raw: bytes | None
    content_html: bytes | None
    content_encoding: str | None

    @property
    def text(self) -> str:
        return unpack_body(self.content_raw or b"", self.content_encoding or "none")

    @property
    def html(self) -> str | None:
        if self.content_html is None:
            return None
        return unpack_body(self.content_html, self.content_encoding or "none")


_CHAPTERS = Query(
    """
    SELECT chapters.id, chapters.source_chapter_id, chapter_no, chapters.slug, chapters.title,
        is_published, chapters.published_at, chapters.updated_at_source,
        chapters.deleted_at IS NOT NULL AS deleted, chapters.word_count, content_raw,
        content_html, content_encoding
    FROM chapters
    JOIN stories ON stories.id = chapters.story_id
    LEFT JOIN chapter_bodies ON chapter_id = chapters.id
    WHERE source_story_id = $1
    ORDER BY chapter_no, chapters.id
    """,
    StoredChapter,
)


class StoredStory(msgspec.Struct, frozen=True):
    id: int
    source_story_id: str
    slug: str
    title: str
    title_original: str | None
    author_name: str | None
    status: int
    cover_url: str | None
    summary: str
    language: str
    cache_version: int
    chapter_count: int
    word_count: int
    last_chapter_no: Decimal | None
    popularity_score: Decimal
    updated_at_source: datetime
    updated_at: datetime
    deleted: bool
    aliases: list[str]
    genres: list[str]


_STORIES = Query(
    """
    SELECT stories.id, source_story_id, slug, title, title_original, author_name, status,
        cover_url, summary, language, cache_version, chapter_count, word_count, last_chapter_no,
        popularity_score, updated_at_source, updated_at, deleted_at IS NOT NULL AS deleted,
        ARRAY(
            SELECT alias FROM story_aliases WHERE story_id = stories.id ORDER BY alias
        ) AS aliases,
        ARRAY(
            SELECT genres.slug FROM story_genres JOIN genres ON genres.id = genre_id
            WHERE story_id = stories.id ORDER BY genres.slug
        ) AS genres
    FROM stories ORDER BY id
    """,
    StoredStory,
)


async def stored_chapters(reads: Reads, story_id: str = "s1") -> list[StoredChapter]:
    return await reads.all(_CHAPTERS, story_id)


async def stored_stories(reads: Reads) -> dict[str, StoredStory]:
    return {row.source_story_id: row for row in await reads.all(_STORIES)}


async def story_ids(shelf: Shelf) -> dict[str, int]:
    """The id of every story by the one at its source."""
    return {key: row.id for key, row in (await stored_stories(shelf.database.primary)).items()}


async def versions(shelf: Shelf) -> dict[str, int]:
    """How often every story has changed."""
    found = await stored_stories(shelf.database.primary)
    return {key: row.cache_version for key, row in found.items()}
