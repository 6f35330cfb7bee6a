"""SQL of recounts: which stories are to be counted anew, and the counting."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec

from rensai.kit.db import Command, Query, Tx

WINDOW = timedelta(seconds=60)
"""Everything that happens to a story within it is counted once."""


class Claimed(msgspec.Struct, frozen=True):
    """A story whose recount somebody has taken on."""

    story_id: int
    touch_count: int


# Whoever touches a story holds its row, so the order is the same for everybody: story, then queue.
_TOUCH = Command(
    """
    INSERT INTO recount_queue AS waiting
        (story_id, dirty_since, next_run_at, priority, touch_count, updated_at)
    SELECT story_id, $3, $3::timestamptz + $4::interval, $5, touches, $3
    FROM unnest($1::bigint [], $2::integer []) AS touched (story_id, touches)
    ORDER BY story_id
    ON CONFLICT (story_id) DO UPDATE SET
        touch_count = waiting.touch_count + excluded.touch_count,
        priority = greatest(waiting.priority, excluded.priority),
        next_run_at = least(waiting.next_run_at, excluded.next_run_at),
        updated_at = excluded.updated_at
    """
)
_CLAIM = Query(
    """
    WITH due AS (
        SELECT story_id FROM recount_queue
        WHERE next_run_at <= $1
            AND (locked_at IS NULL OR locked_at < $1::timestamptz - interval '120 seconds')
        ORDER BY priority DESC, next_run_at, story_id
        LIMIT $2
        FOR UPDATE SKIP LOCKED
    )
    UPDATE recount_queue SET locked_at = $1, locked_by = $3
    FROM due
    WHERE recount_queue.story_id = due.story_id
    RETURNING recount_queue.story_id, recount_queue.touch_count
    """,
    Claimed,
)
_LOCK_STORIES = Query(
    "SELECT id FROM stories WHERE id = ANY($1::bigint []) ORDER BY id FOR NO KEY UPDATE", int
)
_TOUCHES = Query(
    "SELECT story_id, touch_count FROM recount_queue WHERE story_id = ANY($1::bigint [])", Claimed
)
_RECOUNT = Command(
    """
    WITH counted AS (
        SELECT
            wanted.id,
            count(chapters.id) AS chapters,
            coalesce(sum(chapters.word_count), 0) AS words,
            max(chapters.chapter_no) AS last_no
        FROM unnest($1::bigint []) AS wanted (id)
        LEFT JOIN chapters ON chapters.story_id = wanted.id
            AND chapters.is_published AND chapters.deleted_at IS NULL
        GROUP BY wanted.id
    ), scored AS (
        SELECT
            counted.*,
            round(
                counted.chapters * 0.3 + counted.words / 10000.0 * 0.2
                + coalesce(stories.rating_avg, 0) * stories.rating_count * 0.5,
                4
            ) AS score
        FROM counted JOIN stories ON stories.id = counted.id
    )
    UPDATE stories SET
        chapter_count = scored.chapters,
        word_count = scored.words,
        last_chapter_no = scored.last_no,
        popularity_score = scored.score,
        cache_version = stories.cache_version + 1
    FROM scored
    WHERE stories.id = scored.id AND (
        stories.chapter_count, stories.word_count, stories.last_chapter_no, stories.popularity_score
    ) IS DISTINCT FROM (scored.chapters, scored.words, scored.last_no, scored.score)
    """
)
_FINISH = Command(
    """
    DELETE FROM recount_queue
    USING unnest($1::bigint [], $2::integer []) AS counted (story_id, touch_count)
    WHERE recount_queue.story_id = counted.story_id
        AND recount_queue.touch_count = counted.touch_count
    """
)
_REOPEN = Command(
    """
    UPDATE recount_queue SET
        dirty_since = $2, next_run_at = $2::timestamptz + $3::interval,
        locked_at = NULL, locked_by = NULL
    WHERE story_id = ANY($1::bigint [])
    """
)
_FAIL = Command(
    """
    UPDATE recount_queue SET
        next_run_at = $3::timestamptz + least(
            interval '1 hour', greatest(interval '30 seconds', $3::timestamptz - dirty_since)
        ),
        locked_at = NULL, locked_by = NULL, updated_at = $3
    WHERE story_id = ANY($1::bigint []) AND locked_by = $2
    """
)
_RELEASE = Command(
    "UPDATE recount_queue SET locked_at = NULL, locked_by = NULL WHERE locked_by = $1"
)


async def touch(
    tx: Tx,
    touches: Mapping[int, int],
    now: datetime,
    *,
    priority: int = 0,
    window: timedelta = WINDOW,
) -> None:
    """Have these stories counted anew when the window is over; the rows of the stories are held."""
    await tx.run(_TOUCH, list(touches), list(touches.values()), now, window, priority)


async def claim(tx: Tx, worker: str, now: datetime, limit: int) -> list[Claimed]:
    """Take on what is due, the most urgent first."""
    return await tx.all(_CLAIM, now, limit, worker)


async def lock_stories(tx: Tx, story_ids: list[int]) -> list[int]:
    """Wait until nobody else writes to these stories or their chapters."""
    return await tx.all(_LOCK_STORIES, story_ids)


async def touches(tx: Tx, story_ids: list[int]) -> list[Claimed]:
    return await tx.all(_TOUCHES, story_ids)


async def recount(tx: Tx, story_ids: list[int]) -> int:
    """Count anew; how many stories had wrong figures."""
    return await tx.run(_RECOUNT, story_ids)


async def finish(tx: Tx, counted: list[Claimed]) -> int:
    """Take from the queue what nobody has touched since; how many those were."""
    ids = [one.story_id for one in counted]
    return await tx.run(_FINISH, ids, [one.touch_count for one in counted])


async def reopen(tx: Tx, story_ids: list[int], now: datetime) -> None:
    """Let what was touched meanwhile wait for another window."""
    await tx.run(_REOPEN, story_ids, now, WINDOW)


async def fail(tx: Tx, worker: str, story_ids: list[int], now: datetime) -> None:
    """Try these again when as much time has passed again as since they were touched."""
    await tx.run(_FAIL, story_ids, worker, now)


async def release(tx: Tx, worker: str) -> None:
    """Give back all that a worker has taken on."""
    await tx.run(_RELEASE, worker)
