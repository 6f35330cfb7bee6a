"""SQL of likes, and of counting them and the replies."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from rensai.kit.db import Command, Query, Reads, Tx


class Counted(msgspec.Struct, frozen=True):
    """How many like a comment, and how many replies there are to see."""

    likes: int
    replies: int


class Liked(msgspec.Struct, frozen=True):
    """That an account likes a comment."""

    comment_id: int
    comment_uid: UUID
    created_at: datetime


_LIKE = Command(
    """
    INSERT INTO comment_likes (comment_id, user_id, created_at) VALUES ($1, $2, $3)
    ON CONFLICT DO NOTHING
    """
)
_UNLIKE = Command("DELETE FROM comment_likes WHERE comment_id = $1 AND user_id = $2")
LIKED = Query(
    """
    SELECT comment_id FROM comment_likes
    WHERE user_id = $1 AND comment_id = ANY($2::bigint [])
    """,
    int,
)
OF_ACCOUNT = Query(
    """
    SELECT
        comment_id, (SELECT uid FROM comments WHERE comments.id = comment_id) AS comment_uid,
        created_at
    FROM comment_likes
    WHERE user_id = $1 AND comment_id > $3
    ORDER BY comment_id
    LIMIT $2
    """,
    Liked,
)
_HOLD = Query("SELECT id FROM comments WHERE id = $1 FOR NO KEY UPDATE", int)
COUNT = Query(
    """
    SELECT
        (SELECT count(*) FROM comment_likes WHERE comment_id = $1) AS likes,
        (SELECT count(*) FROM comments WHERE parent_id = $1 AND is_shown) AS replies
    """,
    Counted,
)
_WRITE = Command(
    """
    UPDATE comments SET likes_count = $2, reply_count = $3
    WHERE id = $1 AND (likes_count, reply_count) IS DISTINCT FROM ($2, $3)
    """
)


async def like(tx: Tx, comment_id: int, user_id: int, now: datetime) -> bool:
    """False when it was liked already."""
    return await tx.run(_LIKE, comment_id, user_id, now) > 0


async def unlike(tx: Tx, comment_id: int, user_id: int) -> bool:
    """False when it was not liked."""
    return await tx.run(_UNLIKE, comment_id, user_id) > 0


async def liked(reads: Reads, user_id: int, comment_ids: Sequence[int]) -> set[int]:
    """Which of these an account likes."""
    return set(await reads.all(LIKED, user_id, list(comment_ids)))


async def of_account(reads: Reads, user_id: int, *, after: int, limit: int) -> list[Liked]:
    """What an account likes, by the id of the comment."""
    return await reads.all(OF_ACCOUNT, user_id, limit, after)


async def hold(tx: Tx, comment_id: int) -> bool:
    """Wait until nobody else counts this comment; False when it is not there."""
    return await tx.first(_HOLD, comment_id) is not None


async def count(reads: Reads, comment_id: int) -> Counted:
    """The likes of a comment and the replies that are shown."""
    return await reads.first(COUNT, comment_id) or Counted(0, 0)


async def write(tx: Tx, comment_id: int, counted: Counted) -> bool:
    """False when it had these figures already."""
    return await tx.run(_WRITE, comment_id, counted.likes, counted.replies) > 0
