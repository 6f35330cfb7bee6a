"""SQL of recounts: which stories are to be counted anew, and the counting."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from rensai.kit.db import Command, Query, Tx
from rensai.rooms.catalogue.model import Ratings

WINDOW = timedelta(seconds=60)
"""Everything that happens to a story within it is counted once."""

ASKED_FOR = 100
"""The priority of what somebody has asked for; all else has none."""


# Whoever touches a story holds its row, so the order is the same for everybody: story, then queue.
_TOUCH = Command(
    """
    INSERT INTO recount_queue AS waiting
        (story_id, dirty_since, next_run_at, priority, touch_count, updated_at)
    SELECT story_id, $3, $3::timestamptz + $4::interval, 0, touches, $3
    FROM unnest($1::bigint [], $2::integer []) AS touched (story_id, touches)
    ORDER BY story_id
    ON CONFLICT (story_id) DO UPDATE SET
        touch_count = waiting.touch_count + excluded.touch_count,
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
    RETURNING recount_queue.story_id
    """,
    int,
)
_LOCK_STORIES = Query(
    "SELECT id FROM stories WHERE id = ANY($1::bigint []) ORDER BY id FOR NO KEY UPDATE", int
)
_LOCK_QUEUE = Query(
    """
    SELECT story_id FROM recount_queue
    WHERE story_id = ANY($1::bigint [])
    ORDER BY story_id
    FOR UPDATE
    """,
    int,
)
_RECORD_RATINGS = Query(
    """
    UPDATE stories SET
        rating_avg = given.average, rating_count = given.count, follower_count = given.followers,
        cache_version = stories.cache_version + 1
    FROM unnest($1::bigint [], $2::numeric [], $3::integer [], $4::integer [])
        AS given (story_id, average, count, followers)
    WHERE stories.id = given.story_id AND (
        stories.rating_avg, stories.rating_count, stories.follower_count
    ) IS DISTINCT FROM (given.average, given.count, given.followers)
    RETURNING stories.id
    """,
    int,
)
_RECOUNT = Query(
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
    RETURNING stories.id
    """,
    int,
)
_FINISH = Command("DELETE FROM recount_queue WHERE story_id = ANY($1::bigint [])")
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
    """
    UPDATE recount_queue SET locked_at = NULL, locked_by = NULL
    WHERE story_id IN (
        SELECT story_id FROM recount_queue WHERE locked_by = $1
        ORDER BY story_id
        FOR UPDATE SKIP LOCKED
    )
    """
)
_ASK = Query(
    """
    INSERT INTO recount_queue AS waiting
        (story_id, dirty_since, next_run_at, priority, touch_count, updated_at)
    SELECT id, $2, $2, $3, 1, $2 FROM stories
    WHERE id = ANY($1::bigint []) AND (cardinality($4::text []) = 0 OR source = ANY($4::text []))
    ORDER BY id
    ON CONFLICT (story_id) DO UPDATE SET
        touch_count = waiting.touch_count + 1,
        priority = greatest(waiting.priority, excluded.priority),
        next_run_at = least(waiting.next_run_at, excluded.next_run_at),
        updated_at = excluded.updated_at
    RETURNING story_id
    """,
    int,
)


async def touch(tx: Tx, touches: Mapping[int, int], now: datetime) -> None:
    """Have these stories counted anew when the window is over; the rows of the stories are held."""
    await tx.run(_TOUCH, list(touches), list(touches.values()), now, WINDOW)


async def ask(tx: Tx, story_ids: list[int], sources: list[str], now: datetime) -> list[int]:
    """Have these stories counted anew before all others; the answer is which ones there are.

    Only those of `sources`, if it names any.
    """
    return await tx.all(_ASK, story_ids, now, ASKED_FOR, sources)


async def claim(tx: Tx, worker: str, now: datetime, limit: int) -> list[int]:
    """Take on the stories that are due, the most urgent first."""
    return await tx.all(_CLAIM, now, limit, worker)


async def lock_stories(tx: Tx, story_ids: list[int]) -> list[int]:
    """Wait until nobody else writes to these stories or their chapters."""
    return await tx.all(_LOCK_STORIES, story_ids)


async def lock_queue(tx: Tx, story_ids: list[int]) -> list[int]:
    """Let nobody touch these until the transaction ends; those that are in the queue."""
    return await tx.all(_LOCK_QUEUE, story_ids)


async def recount(tx: Tx, story_ids: list[int]) -> list[int]:
    """Count anew; which stories have other figures now."""
    return await tx.all(_RECOUNT, story_ids)


async def record_ratings(tx: Tx, figures: Sequence[Ratings]) -> list[int]:
    """Write figures; which stories have other ones now."""
    return await tx.all(
        _RECORD_RATINGS,
        [one.story_id for one in figures],
        [one.average for one in figures],
        [one.count for one in figures],
        [one.followers for one in figures],
    )


async def finish(tx: Tx, story_ids: list[int]) -> None:
    """Take these from the queue."""
    await tx.run(_FINISH, story_ids)


async def fail(tx: Tx, worker: str, story_ids: list[int], now: datetime) -> None:
    """Try these again when as much time has passed again as since they were touched."""
    await tx.run(_FAIL, story_ids, worker, now)


async def release(tx: Tx, worker: str) -> None:
    """Give back all that a worker has taken on."""
    await tx.run(_RELEASE, worker)
