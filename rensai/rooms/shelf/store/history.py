"""SQL of what was read."""

from collections.abc import Sequence
from datetime import datetime

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.shelf.model import Key, ReadChapter

_COLUMNS = "chapter_id, story_id, page_number, completed, scroll_position, read_at, updated_at"
RECENT = Query(
    f"""
    SELECT {_COLUMNS}
    FROM reading_history
    WHERE user_id = $1 AND read_at IS NOT NULL AND (read_at, chapter_id) < ($2, $3)
    ORDER BY read_at DESC, chapter_id DESC
    LIMIT $4
    """,
    ReadChapter,
)
OF_STORY = Query(
    f"""
    SELECT {_COLUMNS}
    FROM reading_history
    WHERE user_id = $1 AND story_id = $5 AND (updated_at, chapter_id) < ($2, $3)
    ORDER BY updated_at DESC, chapter_id DESC
    LIMIT $4
    """,
    ReadChapter,
)
OF_CHAPTERS = Query(
    f"""
    SELECT {_COLUMNS} FROM reading_history
    WHERE user_id = $1 AND chapter_id = ANY($2::bigint [])
    """,
    ReadChapter,
)
READ = Query(
    """
    SELECT chapter_id FROM reading_history
    WHERE user_id = $1 AND chapter_id = ANY($2::bigint [])
    """,
    int,
)
# Held in the order in which everybody writes them, and then found where they lie, so that what else
# the reader has is left alone.
FORGET_SOME = Query(
    """
    DELETE FROM reading_history
    WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM reading_history
        WHERE user_id = $1
        ORDER BY chapter_id
        LIMIT $2
        FOR UPDATE
    ))
    RETURNING chapter_id
    """,
    int,
)
FORGET_STORY = Query(
    """
    DELETE FROM reading_history
    WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM reading_history
        WHERE user_id = $1 AND chapter_id = ANY(ARRAY(
            SELECT chapter_id FROM reading_history
            WHERE user_id = $1 AND story_id = $3
            ORDER BY updated_at DESC, chapter_id DESC
            LIMIT $2
        ))
        ORDER BY chapter_id
        FOR UPDATE
    ))
    RETURNING chapter_id
    """,
    int,
)
# Whoever holds a row is writing something newer.
FORGET_WHEN = Command(
    """
    WITH old AS (
        SELECT user_id, chapter_id FROM reading_history
        WHERE read_at < $1
        ORDER BY read_at
        LIMIT $2
        FOR UPDATE SKIP LOCKED
    )
    UPDATE reading_history SET read_at = NULL
    FROM old
    WHERE reading_history.user_id = old.user_id AND reading_history.chapter_id = old.chapter_id
    """
)


async def recent(reads: Reads, user_id: int, after: Key, limit: int) -> list[ReadChapter]:
    """What follows in the history, latest first."""
    return await reads.all(RECENT, user_id, *after, limit)


async def of_story(
    reads: Reads, user_id: int, after: Key, limit: int, story_id: int
) -> list[ReadChapter]:
    """What follows among the chapters of a story that were read, latest first."""
    return await reads.all(OF_STORY, user_id, *after, limit, story_id)


async def of_chapters(reads: Reads, user_id: int, chapter_ids: Sequence[int]) -> list[ReadChapter]:
    return await reads.all(OF_CHAPTERS, user_id, chapter_ids)


async def read(reads: Reads, user_id: int, chapter_ids: Sequence[int]) -> list[int]:
    """Those of the chapters that were read."""
    return await reads.all(READ, user_id, chapter_ids)


async def forget_some(tx: Tx, user_id: int, limit: int) -> int:
    """Forget some of what was read; how much that was."""
    return len(await tx.all(FORGET_SOME, user_id, limit))


async def forget_story(tx: Tx, user_id: int, limit: int, story_id: int) -> int:
    """Forget some of what was read of a story; how much that was."""
    return len(await tx.all(FORGET_STORY, user_id, limit, story_id))


async def forget_when(tx: Tx, before: datetime, limit: int) -> int:
    """Forget when chapters were read, and not that they were; how many those are."""
    return await tx.run(FORGET_WHEN, before, limit)
