"""SQL of what readers have put on their shelves."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from rensai.kit.db import Query, Reads, Tx
from rensai.rooms.shelf.model import FOLLOWS, Bookmark


class Followers(msgspec.Struct, frozen=True):
    """How many follow a story."""

    story_id: int
    followers: int


_COLUMNS = "story_id, status, notify_new_chapter, created_at, updated_at"
_HOLD = Query(
    f"SELECT {_COLUMNS} FROM bookmarks WHERE user_id = $1 AND story_id = $2 FOR UPDATE", Bookmark
)
_PUT = Query(
    f"""
    INSERT INTO bookmarks (user_id, {_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $5)
    ON CONFLICT (user_id, story_id) DO UPDATE SET
        status = excluded.status, notify_new_chapter = excluded.notify_new_chapter,
        updated_at = excluded.updated_at
    RETURNING {_COLUMNS}
    """,
    Bookmark,
)
_DELETE = Query("DELETE FROM bookmarks WHERE user_id = $1 AND story_id = $2 RETURNING status", int)
# The newer of two wins, and the earlier of the two times at which it came onto the shelf.
RESTORE = Query(
    """
    INSERT INTO bookmarks AS known (
        user_id, story_id, status, notify_new_chapter, created_at, updated_at
    )
    SELECT $1, story_id, status, notify, created_at, updated_at
    FROM unnest(
        $2::bigint [], $3::smallint [], $4::boolean [], $5::timestamptz [], $6::timestamptz []
    ) AS given (story_id, status, notify, created_at, updated_at)
    ORDER BY story_id
    ON CONFLICT (user_id, story_id) DO UPDATE SET
        status = excluded.status, notify_new_chapter = excluded.notify_new_chapter,
        created_at = least(excluded.created_at, known.created_at), updated_at = excluded.updated_at
    WHERE excluded.updated_at > known.updated_at
    RETURNING story_id
    """,
    int,
)
FOLLOWERS = Query(
    """
    SELECT story_id, count(*)::integer AS followers
    FROM bookmarks
    WHERE story_id = ANY($1::bigint []) AND status = ANY($2::smallint [])
    GROUP BY story_id
    """,
    Followers,
)


async def hold(tx: Tx, user_id: int, story_id: int) -> Bookmark | None:
    """A bookmark that nobody else can change until the transaction ends."""
    return await tx.first(_HOLD, user_id, story_id)


async def put(
    tx: Tx, user_id: int, story_id: int, *, status: int, notify: bool, now: datetime
) -> Bookmark:
    """Add a bookmark, or let the one that there is be like this."""
    (made,) = await tx.all(_PUT, user_id, story_id, status, notify, now)
    return made


async def delete(tx: Tx, user_id: int, story_id: int) -> int | None:
    """Its status, or None when there was none."""
    return await tx.first(_DELETE, user_id, story_id)


async def restore(tx: Tx, user_id: int, bookmarks: Sequence[Bookmark]) -> list[int]:
    """Add what is newer than what is there; the stories whose bookmarks were."""
    return await tx.all(
        RESTORE,
        user_id,
        [one.story_id for one in bookmarks],
        [one.status for one in bookmarks],
        [one.notify_new_chapter for one in bookmarks],
        [one.created_at for one in bookmarks],
        [one.updated_at for one in bookmarks],
    )


async def followers(reads: Reads, story_ids: Sequence[int]) -> list[Followers]:
    """How many follow each story; those that nobody follows are missing."""
    return await reads.all(FOLLOWERS, list(story_ids), [int(status) for status in FOLLOWS])
