"""What moderators do with comments: hide, pin, remove; and erase for good."""

from datetime import datetime

from rensai.kit.db import Reads, Tx
from rensai.kit.errors import Forbidden, Invalid
from rensai.kit.log import get_logger
from rensai.rooms.readers.door import Role, User
from rensai.rooms.talk.errors import CommentNotFound
from rensai.rooms.talk.model.comments import Comment
from rensai.rooms.talk.service import writing
from rensai.rooms.talk.service.counting import touch
from rensai.rooms.talk.store import comments as store

_log = get_logger("rensai.talk")


async def moderate(
    tx: Tx,
    user: User,
    comment: Comment | None,
    *,
    is_hidden: bool | None,
    is_pinned: bool | None,
    now: datetime,
) -> Comment:
    """Hide a comment with its replies, or pin it to the top of its thread; None leaves as is."""
    if comment is None or comment.deleted_at is not None:
        raise CommentNotFound
    if is_pinned and comment.parent_id is not None:
        raise Invalid(
            "A reply cannot be pinned.",
            details=[{"path": "isPinned", "in": "body", "message": "It is a reply."}],
        )
    await store.moderate(
        tx, comment.id, is_hidden=is_hidden, is_pinned=is_pinned, moderator_id=user.id, now=now
    )
    await touch(tx, comment.parent_id)
    _log.info(
        "comment moderated",
        comment=str(comment.uid),
        by=str(user.uid),
        is_hidden=is_hidden,
        is_pinned=is_pinned,
    )
    changed = await store.by_id(tx, comment.id)
    if changed is None:
        raise CommentNotFound
    return changed


async def remove(tx: Tx, user: User, comment: Comment | None, now: datetime) -> None:
    """Delete a comment: whoever wrote it may, and moderators."""
    if comment is None or comment.user_id == user.id or not user.may(Role.MODERATOR):
        await writing.take_back(tx, user, comment, now)
        return
    await writing.delete(tx, comment, now)
    _log.info("comment removed", comment=str(comment.uid), by=str(user.uid))


async def erase(tx: Tx, user: User, comment: Comment | None) -> None:
    """Remove a comment for good, with its likes and all that answers it; for administrators."""
    if not user.may(Role.ADMIN):
        raise Forbidden
    removed = None if comment is None else await store.erase(tx, comment.id)
    if comment is None or removed is None:
        raise CommentNotFound
    await touch(tx, removed.parent_id)
    _log.info("comment erased", comment=str(comment.uid), by=str(user.uid))


async def list_hidden(reads: Reads, *, after: int | None, limit: int) -> list[Comment]:
    """What moderators have hidden, the latest first; one more than `limit` if there are more."""
    return await store.hidden(reads, after=after, limit=limit + 1)
