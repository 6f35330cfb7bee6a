"""SQL of all that a reader has, in portions and in an order that stays while they go on reading."""

from rensai.kit.db import Query, Reads
from rensai.rooms.shelf.model import Bookmark, Progress, ReadChapter

PROGRESS = Query(
    """
    SELECT story_id, chapter_id, chapter_no::float8 AS chapter_no, scroll_position, page_number,
        updated_at
    FROM reading_progress WHERE user_id = $1 AND story_id > $2 ORDER BY story_id LIMIT $3
    """,
    Progress,
)
BOOKMARKS = Query(
    """
    SELECT story_id, status, notify_new_chapter, created_at, updated_at
    FROM bookmarks WHERE user_id = $1 AND story_id > $2 ORDER BY story_id LIMIT $3
    """,
    Bookmark,
)
HISTORY = Query(
    """
    SELECT chapter_id, story_id, page_number, completed, scroll_position, read_at, updated_at
    FROM reading_history WHERE user_id = $1 AND chapter_id > $2 ORDER BY chapter_id LIMIT $3
    """,
    ReadChapter,
)


async def progress(reads: Reads, user_id: int, after: int, limit: int) -> list[Progress]:
    return await reads.all(PROGRESS, user_id, after, limit)


async def bookmarks(reads: Reads, user_id: int, after: int, limit: int) -> list[Bookmark]:
    return await reads.all(BOOKMARKS, user_id, after, limit)


async def history(reads: Reads, user_id: int, after: int, limit: int) -> list[ReadChapter]:
    return await reads.all(HISTORY, user_id, after, limit)
