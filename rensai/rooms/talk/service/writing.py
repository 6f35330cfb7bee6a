"""Writing a comment, changing it, and taking it away."""

from datetime import datetime

from rensai.kit.db import Tx
from rensai.kit.errors import AuthRequired, Invalid
from rensai.kit.ids import new_uid
from rensai.kit.limits import Limits
from rensai.kit.texts import prose
from rensai.rooms.readers import door as readers
from rensai.rooms.readers.door import User
from rensai.rooms.talk.errors import CommentNotFound, EditWindowOver
from rensai.rooms.talk.model.comments import (
    EDIT_WINDOW,
    LONGEST_COMMENT,
    Comment,
    Draft,
    Place,
)
from rensai.rooms.talk.service.counting import touch
from rensai.rooms.talk.service.places import require_open
from rensai.rooms.talk.service.speaking import (
    COMMENTS,
    count_attempt,
    refuse_the_same,
)
from rensai.rooms.talk.store import comments as store
from rensai.rooms.talk.store import likes


async def weigh(limits: Limits, user: User, content: str) -> str:
    """The text as it will be stored, if this account may say it now.

    It comes before the transaction: whoever writes too often must not keep connections busy.
    """
    text = prose("content", content, least=1, most=LONGEST_COMMENT)
    await count_attempt(limits, COMMENTS, user)
    return text


async def say(
    tx: Tx,
    user: User,
    place: Place,
    text: str,
    *,
    answering: Comment | None = None,
    now: datetime,
) -> Comment:
    """Add a comment to a thread that everybody can see; `weigh` has looked at the text."""
    if answering is not None:
        await _require_answerable(tx, answering, place)
    await refuse_the_same(tx, user, text, now)
    author = (await readers.people_of(tx, [user.id])).get(user.id)
    if author is None:
        raise AuthRequired
    parent_id = None if answering is None else answering.id
    draft = Draft(new_uid(), place, parent_id, author, text, now)
    written = await store.by_id(tx, await store.insert(tx, draft))
    if written is None:
        raise CommentNotFound
    await touch(tx, parent_id)
    return written


async def _require_answerable(tx: Tx, parent: Comment, place: Place) -> None:
    await require_open(tx, parent)
    if parent.deleted_at is not None:
        raise CommentNotFound
    if parent.place != place:
        raise Invalid("The comment to answer stands in another thread.")
    if parent.parent_id is not None:
        raise Invalid("A reply cannot be answered; answer the comment that it answers.")


async def edit(tx: Tx, user: User, comment: Comment | None, text: str, now: datetime) -> Comment:
    """Say something else instead, as long as it was said only a while ago."""
    found = await require_open(tx, comment)
    if found.user_id != user.id or found.deleted_at is not None:
        raise CommentNotFound
    if now > found.created_at + EDIT_WINDOW:
        raise EditWindowOver
    await store.edit(tx, found.id, text, now)
    changed = await store.by_id(tx, found.id)
    if changed is None or changed.deleted_at is not None:
        raise CommentNotFound
    return changed


async def take_back(tx: Tx, user: User, comment: Comment | None, now: datetime) -> None:
    """Delete an own comment, also where nobody else can see it any more."""
    if comment is None or comment.user_id != user.id:
        raise CommentNotFound
    await delete(tx, comment, now)


async def delete(tx: Tx, comment: Comment, now: datetime) -> None:
    """Take a comment away; a blank stays above its replies."""
    await likes.hold(tx, comment.id)  # its replies are counted, as in `count`
    removed = await store.delete(tx, comment.id, now)
    if removed is None:
        raise CommentNotFound
    await touch(tx, removed.parent_id)
