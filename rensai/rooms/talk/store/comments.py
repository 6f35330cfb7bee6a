"""SQL of one comment: found, written, changed, taken away."""

from datetime import datetime
from uuid import UUID

import msgspec

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.talk.model.comments import Comment, Draft
from rensai.rooms.talk.store.columns import comment, with_parents


class Removed(msgspec.Struct, frozen=True):
    """Where a comment that is gone stood."""

    id: int
    parent_id: int | None


_SELECT = f"SELECT {comment()} FROM comments {with_parents()}"
_BY_ID = Query(f"{_SELECT} WHERE comments.id = $1", Comment)
_BY_UID = Query(f"{_SELECT} WHERE comments.uid = $1", Comment)
# Held to the end of the transaction, so that of two equal comments the second sees the first.
_HOLD_AUTHOR = Query(
    "SELECT pg_advisory_xact_lock(hashtextextended('talk.comments', $1))::text AS held", str
)
_SAID_AT = Query(
    """
    SELECT created_at FROM comments
    WHERE user_id = $1 AND created_at > $2 AND content = $3 AND deleted_at IS NULL
    ORDER BY created_at DESC, id DESC
    LIMIT 1
    """,
    datetime,
)
_INSERT = Query(
    """
    INSERT INTO comments (
        uid, story_id, chapter_id, parent_id, user_id, author_display_name,
        portable_key_fingerprint, content, created_at, updated_at
    ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
    RETURNING id
    """,
    int,
)
_EDIT = Command(
    """
    UPDATE comments SET content = $2, edited_at = $3, updated_at = $3
    WHERE id = $1 AND deleted_at IS NULL AND content <> $2
    """
)
# Its replies are counted at once: whether a blank stays in its place depends on them.
_DELETE = Query(
    """
    UPDATE comments SET
        deleted_at = $2, updated_at = $2, is_pinned = false,
        reply_count = (
            SELECT count(*) FROM comments AS replies
            WHERE replies.parent_id = comments.id AND replies.is_shown
        )
    WHERE id = $1 AND deleted_at IS NULL
    RETURNING id, parent_id
    """,
    Removed,
)
_ERASE = Query("DELETE FROM comments WHERE id = $1 RETURNING id, parent_id", Removed)
_MODERATE = Command(
    """
    UPDATE comments SET
        is_hidden = coalesce($2, is_hidden), is_pinned = coalesce($3, is_pinned),
        moderated_by = $4, moderated_at = $5, updated_at = $5
    WHERE id = $1
    """
)
_HIDDEN = {
    further: Query(
        f"""
        {_SELECT}
        WHERE comments.is_hidden {"AND comments.id < $2" if further else ""}
        ORDER BY comments.id DESC
        LIMIT $1
        """,
        Comment,
    )
    for further in (False, True)
}


async def by_id(reads: Reads, comment_id: int) -> Comment | None:
    """Whatever its state."""
    return await reads.first(_BY_ID, comment_id)


async def by_uid(reads: Reads, uid: UUID) -> Comment | None:
    """Whatever its state."""
    return await reads.first(_BY_UID, uid)


async def hold_author(tx: Tx, user_id: int) -> None:
    """Wait until this account is not writing anything else."""
    await tx.first(_HOLD_AUTHOR, user_id)


async def said_at(tx: Tx, user_id: int, content: str, since: datetime) -> datetime | None:
    """When this account last said exactly that, if it has since then and it still stands."""
    return await tx.first(_SAID_AT, user_id, since, content)


async def insert(tx: Tx, draft: Draft) -> int:
    """The id of the new comment."""
    author, place = draft.author, draft.place
    new = await tx.first(
        _INSERT,
        draft.uid,
        place.story_id,
        place.chapter_id,
        draft.parent_id,
        author.id,
        author.display_name,
        author.fingerprint,
        draft.content,
        draft.written_at,
    )
    assert new is not None  # noqa: S101 - an insert that returns gives a row
    return new


async def edit(tx: Tx, comment_id: int, content: str, now: datetime) -> None:
    await tx.run(_EDIT, comment_id, content, now)


async def delete(tx: Tx, comment_id: int, now: datetime) -> Removed | None:
    """Take it away, leaving a blank where it was answered."""
    return await tx.first(_DELETE, comment_id, now)


async def erase(tx: Tx, comment_id: int) -> Removed | None:
    """Remove the row, its likes and its replies."""
    return await tx.first(_ERASE, comment_id)


async def moderate(
    tx: Tx,
    comment_id: int,
    *,
    is_hidden: bool | None,
    is_pinned: bool | None,
    moderator_id: int,
    now: datetime,
) -> None:
    """None leaves a thing as it is."""
    await tx.run(_MODERATE, comment_id, is_hidden, is_pinned, moderator_id, now)


async def hidden(reads: Reads, *, after: int | None, limit: int) -> list[Comment]:
    """What moderators have hidden, the latest first."""
    return await reads.all(_HIDDEN[after is not None], limit, *(() if after is None else (after,)))
