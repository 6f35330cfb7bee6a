"""SQL of erasing what an account that is gone had, some rows at a time."""

from rensai.kit.db import Command, Query, Tx

PROGRESS = Command(
    """
    DELETE FROM reading_progress
    WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM reading_progress
        WHERE user_id = $1
        ORDER BY story_id
        LIMIT $2
        FOR UPDATE
    ))
    """
)
BOOKMARKS = Query(
    """
    DELETE FROM bookmarks
    WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM bookmarks
        WHERE user_id = $1
        ORDER BY story_id
        LIMIT $2
        FOR UPDATE
    ))
    RETURNING story_id
    """,
    int,
)


async def progress(tx: Tx, user_id: int, limit: int) -> int:
    """How many rows that were."""
    return await tx.run(PROGRESS, user_id, limit)


async def bookmarks(tx: Tx, user_id: int, limit: int) -> list[int]:
    """The stories that were on the shelf."""
    return await tx.all(BOOKMARKS, user_id, limit)
