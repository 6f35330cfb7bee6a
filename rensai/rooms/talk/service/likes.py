"""Liking a comment, and liking it no more."""

from datetime import datetime

from rensai.kit.db import Tx
from rensai.rooms.readers.door import User
from rensai.rooms.talk.errors import CommentNotFound
from rensai.rooms.talk.model.comments import Comment
from rensai.rooms.talk.service.counting import touch
from rensai.rooms.talk.service.places import require_open
from rensai.rooms.talk.store import likes as store


async def like(tx: Tx, user: User, comment: Comment | None, now: datetime) -> None:
    """Like a comment that everybody can see; twice is once."""
    comment = await require_open(tx, comment)
    if comment.deleted_at is not None:
        raise CommentNotFound
    if await store.like(tx, comment.id, user.id, now):
        await touch(tx, comment.id)


async def unlike(tx: Tx, user: User, comment: Comment | None) -> None:
    """Take a like back, also from a comment that has gone since."""
    if comment is not None and await store.unlike(tx, comment.id, user.id):
        await touch(tx, comment.id)
    else:
        await require_open(tx, comment)
