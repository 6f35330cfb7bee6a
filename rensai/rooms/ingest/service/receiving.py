"""From jobs to the catalogue: what a job says, in the words of the other room."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import msgspec

from rensai.kit.clock import Clock
from rensai.kit.db import Tx
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import (
    IncomingChapter,
    IncomingStory,
    Outcome,
    PackedBody,
    Result,
)
from rensai.rooms.ingest.model import CHAPTERS, STORIES, ChapterPayload, StoryPayload
from rensai.rooms.ingest.store import queue as store
from rensai.rooms.ingest.store.queue import Job

T = TypeVar("T")

Receive = Callable[[Tx, Clock, str, Sequence[Job]], Awaitable[list[Outcome]]]

_STORY = msgspec.json.Decoder(StoryPayload)
_CHAPTER = msgspec.json.Decoder(ChapterPayload)


class _QueuedBodies:
    """The bodies of jobs, fetched when the catalogue asks for them."""

    async def packed(self, tx: Tx, job_ids: list[int]) -> list[PackedBody]:
        return [
            PackedBody(body.job_id, body.raw, body.html, body.encoding)
            for body in await store.bodies(tx, job_ids)
            if body.raw is not None
        ]


async def _stories(tx: Tx, clock: Clock, source: str, jobs: Sequence[Job]) -> list[Outcome]:
    items, outcomes = _read(jobs, await _payloads(tx, jobs), _story)
    return outcomes + await catalogue.receive_stories(tx, clock, source, items)


async def _chapters(tx: Tx, clock: Clock, source: str, jobs: Sequence[Job]) -> list[Outcome]:
    items, outcomes = _read(jobs, await _payloads(tx, jobs), _chapter)
    return outcomes + await catalogue.receive_chapters(tx, clock, source, items, _QueuedBodies())


RECEIVE: dict[str, Receive] = {STORIES: _stories, CHAPTERS: _chapters}
"""How the jobs of each type are handed over: all of one source, in one transaction."""


async def _payloads(tx: Tx, jobs: Sequence[Job]) -> dict[int, bytes]:
    """The metadata of each job; only that of a large story lies in a blob."""
    wanted = {job.blob_id: job.id for job in jobs if job.payload is None and job.blob_id}
    found = {job.id: job.payload for job in jobs if job.payload is not None}
    if wanted:
        for blob in await store.blobs(tx, list(wanted)):
            found[wanted[blob.id]] = blob.payload
    return found


def _read(
    jobs: Sequence[Job], payloads: dict[int, bytes], make: Callable[[Job, bytes], T]
) -> tuple[list[T], list[Outcome]]:
    """The items, and the end of those that cannot be read."""
    items: list[T] = []
    outcomes: list[Outcome] = []
    for job in jobs:
        try:
            items.append(make(job, payloads[job.id]))
        except (KeyError, msgspec.MsgspecError):
            outcomes.append(
                Outcome(job.id, Result.FAILED, "invalid_payload", "The item cannot be read.")
            )
    return items, outcomes


def _story(job: Job, payload: bytes) -> IncomingStory:
    said = _STORY.decode(payload)
    return IncomingStory(
        job_id=job.id,
        source_story_id=said.source_story_id,
        updated_at_source=said.updated_at_source,
        slug=said.slug,
        title=said.title,
        title_original=said.title_original,
        author_name=said.author_name,
        status=said.status,
        cover_url=said.cover_url,
        summary=said.summary,
        language=said.language,
        aliases=said.aliases,
        genres=said.genres,
        deleted=said.deleted,
    )


def _chapter(job: Job, payload: bytes) -> IncomingChapter:
    said = _CHAPTER.decode(payload)
    return IncomingChapter(
        job_id=job.id,
        source_story_id=said.source_story_id,
        updated_at_source=said.updated_at_source,
        source_chapter_id=said.source_chapter_id,
        chapter_no=said.chapter_no,
        slug=said.slug,
        title=said.title,
        published_at=said.published_at,
        is_published=said.is_published,
        deleted=said.deleted,
        content_hash=job.body_hash,
        content_size=job.body_size,
        word_count=job.word_count,
    )
