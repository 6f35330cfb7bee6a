"""SQL of writing down what was read, many readers at once.

Everybody writes in the same order, table after table and key after key, so that two who write the
same rows wait for each other and never in a circle. The newer of two wins, whichever comes last;
so the same rows may be written again after a failure.
"""

from collections.abc import Sequence
from datetime import datetime

from rensai.kit.db import Command, Query, Tx
from rensai.rooms.shelf.model import Status, Step

PROGRESS = Command(
    """
    INSERT INTO reading_progress (
        user_id, story_id, chapter_id, chapter_no, scroll_position, page_number, updated_at
    )
    SELECT user_id, story_id, chapter_id, chapter_no::numeric(10, 2), scroll_position, page_number,
        at
    FROM unnest(
        $1::bigint [], $2::bigint [], $3::bigint [], $4::float8 [], $5::float8 [], $6::integer [],
        $7::timestamptz []
    ) AS given (user_id, story_id, chapter_id, chapter_no, scroll_position, page_number, at)
    ORDER BY user_id, story_id
    ON CONFLICT (user_id, story_id) DO UPDATE SET
        chapter_id = excluded.chapter_id, chapter_no = excluded.chapter_no,
        scroll_position = excluded.scroll_position, page_number = excluded.page_number,
        updated_at = excluded.updated_at
    WHERE excluded.updated_at >= reading_progress.updated_at
    """
)
# What came later may have said nothing of `completed`, and what came earlier may yet say it.
HISTORY = Command(
    """
    INSERT INTO reading_history AS known (
        user_id, chapter_id, story_id, page_number, completed, scroll_position, read_at, updated_at
    )
    SELECT user_id, chapter_id, story_id, page_number, completed, scroll_position, read_at, at
    FROM unnest(
        $1::bigint [], $2::bigint [], $3::bigint [], $4::integer [], $5::boolean [],
        $6::float8 [], $7::timestamptz [], $8::timestamptz []
    ) AS given (
        user_id, chapter_id, story_id, page_number, completed, scroll_position, read_at, at
    )
    ORDER BY user_id, chapter_id
    ON CONFLICT (user_id, chapter_id) DO UPDATE SET
        page_number = CASE
            WHEN excluded.updated_at >= known.updated_at THEN excluded.page_number
            ELSE known.page_number
        END,
        completed = CASE
            WHEN excluded.updated_at >= known.updated_at
            THEN coalesce(excluded.completed, known.completed)
            ELSE coalesce(known.completed, excluded.completed)
        END,
        scroll_position = CASE
            WHEN excluded.updated_at >= known.updated_at THEN excluded.scroll_position
            ELSE known.scroll_position
        END,
        read_at = greatest(excluded.read_at, known.read_at),
        updated_at = greatest(excluded.updated_at, known.updated_at)
    WHERE excluded.updated_at >= known.updated_at
        OR (known.completed IS NULL AND excluded.completed IS NOT NULL)
    """
)
# Whoever reads a story follows it, unless the shelf says something about it already.
FOLLOW = Query(
    """
    INSERT INTO bookmarks (user_id, story_id, status, created_at, updated_at)
    SELECT user_id, story_id, $4, at, at
    FROM unnest($1::bigint [], $2::bigint [], $3::timestamptz []) AS given (user_id, story_id, at)
    ORDER BY user_id, story_id
    ON CONFLICT (user_id, story_id) DO NOTHING
    RETURNING story_id
    """,
    int,
)


async def write_progress(tx: Tx, steps: Sequence[Step]) -> None:
    """Where readers are in stories; each pair of reader and story once."""
    await tx.run(
        PROGRESS,
        [step.user_id for step in steps],
        [step.story_id for step in steps],
        [step.chapter_id for step in steps],
        [step.chapter_no for step in steps],
        [step.scroll_position for step in steps],
        [step.page_number for step in steps],
        [step.at for step in steps],
    )


async def write_history(
    tx: Tx, steps: Sequence[Step], read_at: Sequence[datetime | None] | None = None
) -> None:
    """Which chapters readers have read; each pair of reader and chapter once.

    `read_at` is when, where that is not the time of the step.
    """
    at = [step.at for step in steps]
    await tx.run(
        HISTORY,
        [step.user_id for step in steps],
        [step.chapter_id for step in steps],
        [step.story_id for step in steps],
        [step.page_number for step in steps],
        [step.completed for step in steps],
        [step.scroll_position for step in steps],
        at if read_at is None else read_at,
        at,
    )


async def follow(tx: Tx, steps: Sequence[Step]) -> list[int]:
    """Put the stories on the shelves of those who read them; those that were not there yet."""
    return await tx.all(
        FOLLOW,
        [step.user_id for step in steps],
        [step.story_id for step in steps],
        [step.at for step in steps],
        Status.FOLLOWING,
    )
