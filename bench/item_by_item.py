"""The plain way to work off the queue: one item at a time, a transaction for each.

Every item is claimed, its story and its chapter are looked up, chapter and body are written, the
story and its recount are touched, the job is done and its request counted. Like our own worker
it does not wait for the disk.
"""

import time
from datetime import UTC, datetime

import msgspec

from rensai.kit.db_driver import Connection
from rensai.kit.ids import new_uid

_TOMORROW = datetime(2100, 1, 1, tzinfo=UTC)
"""When the jobs are due, so that the worker of the site leaves them alone."""

_KEEP = """
CREATE UNLOGGED TABLE IF NOT EXISTS bench_rows AS
SELECT stories.source, source_story_id, chapters.source_chapter_id, chapter_no, chapters.slug,
    chapters.title, chapters.word_count, chapters.published_at, chapters.updated_at_source,
    content_raw, content_html, content_hash, content_size, content_encoding
FROM chapters
JOIN chapter_bodies ON chapter_id = chapters.id
JOIN stories ON stories.id = story_id
ORDER BY chapters.id
LIMIT $1
"""
_ASK = """
INSERT INTO ingest_requests (
    request_id, key_id, source, job_type, idempotency_key, payload_hash, response_status, response,
    total_items, accepted_items
)
SELECT $1, 'bench', 'bench', 'chapters_bulk', 'bench', sha256(''), 202, '', count(*), count(*)
FROM bench_rows
"""
_QUEUE = """
INSERT INTO ingest_jobs (
    job_type, source, request_id, idempotency_key, external_ref, item_index, payload_inline,
    payload_hash, payload_encoding, body, body_html, body_hash, body_size, word_count, next_run_at
)
SELECT 'chapters_bulk', source, $1, 'bench', source_story_id || ':' || chapter_no,
    row_number() OVER (), convert_to(json_build_object(
        'source_story_id', source_story_id, 'source_chapter_id', source_chapter_id,
        'chapter_no', chapter_no, 'slug', slug, 'title', title, 'published_at', published_at,
        'updated_at_source', updated_at_source
    )::text, 'UTF8'),
    content_hash, content_encoding, content_raw, content_html, content_hash, content_size,
    word_count, $2
FROM bench_rows
"""
_CLAIM = """
UPDATE ingest_jobs SET status = 1, attempts = attempts + 1, locked_by = 'bench', locked_at = now()
WHERE id = (
    SELECT id FROM ingest_jobs
    WHERE status = 0 AND job_type = 'chapters_bulk' AND next_run_at <= $1
    ORDER BY next_run_at, id
    LIMIT 1
    FOR UPDATE SKIP LOCKED
)
RETURNING id, source, request_id, payload_inline, payload_encoding, body, body_html, body_hash,
    body_size, word_count
"""
_STORY = """
SELECT id, language FROM stories WHERE source = $1 AND source_story_id = $2 FOR NO KEY UPDATE
"""
_KNOWN = """
SELECT chapters.id, updated_at_source, content_hash FROM chapters
LEFT JOIN chapter_bodies ON chapter_id = chapters.id
WHERE story_id = $1 AND source_chapter_id = $2
"""
_CHAPTER = """
INSERT INTO chapters (
    uid, story_id, language, source_chapter_id, chapter_no, slug, title, word_count,
    published_at, announced_at, updated_at_source
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now(), $10)
RETURNING id
"""
_BODY = """
INSERT INTO chapter_bodies (
    chapter_id, content_raw, content_html, content_hash, content_size, content_encoding
) VALUES ($1, $2, $3, $4, $5, $6)
"""
_TOUCH_STORY = (
    "UPDATE stories SET cache_version = cache_version + 1, updated_at = now() WHERE id = $1"
)
_TOUCH_RECOUNT = """
INSERT INTO recount_queue AS waiting (story_id, dirty_since, next_run_at)
VALUES ($1, now(), now() + interval '1 minute')
ON CONFLICT (story_id) DO UPDATE SET touch_count = waiting.touch_count + 1, updated_at = now()
"""
_DONE = """
WITH done AS (DELETE FROM ingest_jobs WHERE id = $1 AND locked_by = 'bench' RETURNING *)
INSERT INTO ingest_jobs_completed (
    id, job_type, source, request_id, external_ref, item_index, outcome, attempts, created_at,
    completed_at
)
SELECT id, job_type, source, request_id, external_ref, item_index, 'created', attempts,
    created_at, now()
FROM done
"""
_COUNT = """
UPDATE ingest_requests SET processed_items = processed_items + 1, updated_at = now()
WHERE request_id = $1
"""


class _Said(msgspec.Struct):
    """The metadata of a chapter."""

    source_story_id: str
    source_chapter_id: str
    chapter_no: float
    slug: str
    title: str
    published_at: datetime
    updated_at_source: datetime


_DECODER = msgspec.json.Decoder(_Said)


async def keep_items(connection: Connection, number: int) -> None:
    """Keep some of the chapters that are there, to be ingested again."""
    await connection.execute(_KEEP.replace("$1", str(number)))


async def queue_items(connection: Connection) -> None:
    """Put those that were kept in the queue."""
    request = new_uid()
    await connection.execute(_ASK, request)
    await connection.execute(_QUEUE, request, _TOMORROW)


async def work_off(connection: Connection) -> float:
    """Items per second, until the queue is empty."""
    number = 0
    began = time.perf_counter()
    while await _one(connection):
        number += 1
    return number / (time.perf_counter() - began)


async def _one(connection: Connection) -> bool:
    await connection.execute("BEGIN; SET LOCAL synchronous_commit = off")
    job = await connection.fetchrow(_CLAIM, _TOMORROW)
    if job is None:
        await connection.execute("ROLLBACK")
        return False
    id_, source, request, payload, encoding, raw, html, digest, size, words = job
    assert isinstance(payload, bytes)
    said = _DECODER.decode(payload)
    story = await connection.fetchrow(_STORY, source, said.source_story_id)
    assert story is not None
    story_id, language = story
    known = await connection.fetchrow(_KNOWN, story_id, said.source_chapter_id)
    assert known is None
    chapter = await connection.fetchval(
        _CHAPTER,
        new_uid(),
        story_id,
        language,
        said.source_chapter_id,
        said.chapter_no,
        said.slug,
        said.title,
        words,
        said.published_at,
        said.updated_at_source,
    )
    await connection.execute(_BODY, chapter, raw, html, digest, size, encoding)
    await connection.execute(_TOUCH_STORY, story_id)
    await connection.execute(_TOUCH_RECOUNT, story_id)
    await connection.execute(_DONE, id_)
    await connection.execute(_COUNT, request)
    await connection.execute("COMMIT")
    return True
