"""SQL of what an account has written, and of what is left when it is gone."""

from datetime import datetime

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.readers.door import Person
from rensai.rooms.talk.model.comments import Comment, Key
from rensai.rooms.talk.store.columns import comment, with_parents

_WHOSE = {
    True: "comments.portable_key_fingerprint = $1::text",
    False: "comments.user_id = $1::bigint",
}
WRITTEN = {
    (by_identity, further): Query(
        f"""
        SELECT {comment()}
        FROM comments {with_parents()}
        WHERE {whose} AND comments.deleted_at IS NULL AND NOT comments.is_hidden
            {"AND (comments.created_at, comments.id) < ($3, $4)" if further else ""}
        ORDER BY comments.created_at DESC, comments.id DESC
        LIMIT $2
        """,
        Comment,
    )
    for by_identity, whose in _WHOSE.items()
    for further in (False, True)
}
EVERYTHING = {
    further: Query(
        f"""
        SELECT {comment()}
        FROM comments {with_parents()}
        WHERE comments.user_id = $1
            {"AND (comments.created_at, comments.id) > ($3, $4)" if further else ""}
        ORDER BY comments.created_at, comments.id
        LIMIT $2
        """,
        Comment,
    )
    for further in (False, True)
}
_BLANK = Command(
    """
    UPDATE comments SET
        user_id = NULL, author_display_name = '', author_avatar_url = NULL, actor_uri = NULL,
        portable_key_fingerprint = NULL, updated_at = $3,
        content = CASE WHEN deleted_at IS NULL THEN content ELSE '' END
    WHERE id IN (SELECT id FROM comments WHERE user_id = $1 ORDER BY id LIMIT $2 FOR UPDATE)
    """
)
_FORGET_LIKES = Query(
    """
    DELETE FROM comment_likes
    WHERE user_id = $1 AND comment_id IN (
        SELECT comment_id FROM comment_likes WHERE user_id = $1 ORDER BY comment_id LIMIT $2
    )
    RETURNING comment_id
    """,
    int,
)
_FORGET_REPORTS = Command(
    """
    UPDATE reports SET reporter_user_id = NULL
    WHERE id IN (
        SELECT id FROM reports WHERE reporter_user_id = $1 ORDER BY id LIMIT $2 FOR UPDATE
    )
    """
)


async def written(reads: Reads, author: Person, *, after: Key | None, limit: int) -> list[Comment]:
    """What is shown of what somebody wrote, the latest first: by the identity, if it has one."""
    by_identity = author.fingerprint is not None
    whose = author.fingerprint if by_identity else author.id
    query = WRITTEN[by_identity, after is not None]
    return await reads.all(query, whose, limit, *(after or ()))


async def everything(reads: Reads, user_id: int, *, after: Key | None, limit: int) -> list[Comment]:
    """All that an account wrote here, whatever became of it, the oldest first."""
    return await reads.all(EVERYTHING[after is not None], user_id, limit, *(after or ()))


async def blank_author(tx: Tx, user_id: int, limit: int, now: datetime) -> int:
    """Take the name off what an account wrote, and the words from what it deleted; how many."""
    return await tx.run(_BLANK, user_id, limit, now)


async def forget_likes(tx: Tx, user_id: int, limit: int) -> list[int]:
    """Which comments it likes no more."""
    return await tx.all(_FORGET_LIKES, user_id, limit)


async def forget_reports(tx: Tx, user_id: int, limit: int) -> int:
    """Take the name off what it reported; how many."""
    return await tx.run(_FORGET_REPORTS, user_id, limit)
