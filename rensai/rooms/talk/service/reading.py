"""Reading threads: a page of comments with their first replies, and the rest of the replies."""

from collections.abc import Sequence
from uuid import UUID

from rensai.kit.db import Reads
from rensai.rooms.readers import door as readers
from rensai.rooms.readers.door import User
from rensai.rooms.talk.errors import CommentNotFound
from rensai.rooms.talk.model.comments import FIRST_REPLIES, Comment, Key, Order, Place, Said
from rensai.rooms.talk.service.places import comment_of_uid, require_open
from rensai.rooms.talk.store import likes
from rensai.rooms.talk.store import threads as store


async def list_thread(
    reads: Reads, place: Place, order: Order, *, after: Key | None = None, limit: int
) -> list[Comment]:
    """Comments that answer none, the pinned ones first; one more than `limit` if there are more.

    `after` is the `key` of the row before. Whoever asks has seen the story or the chapter.
    """
    wanted = limit + 1
    rows: list[Comment] = []
    if after is None or after[0]:
        rows = await store.thread(
            reads, place, order, is_pinned=True, after=after and after[1:], limit=wanted
        )
        after = None
    if len(rows) < wanted:
        rest = after and after[1:]
        rows += await store.thread(
            reads, place, order, is_pinned=False, after=rest, limit=wanted - len(rows)
        )
    return rows


async def list_replies(
    reads: Reads, parent: Comment, *, after: Key | None = None, limit: int
) -> list[Comment]:
    """The replies to a comment, oldest first; one more than `limit` if there are more."""
    return await store.replies(reads, parent.id, after=after, limit=limit + 1)


async def answered(reads: Reads, parent: Comment | None, place: Place | None = None) -> Comment:
    """The comment whose replies somebody wants to read, which is one of that thread."""
    found = await require_open(reads, parent)
    if place is not None and found.place != place:
        raise CommentNotFound
    return found


async def see_comment(reads: Reads, uid: UUID | None, viewer: User | None) -> Said:
    """One comment with its first replies."""
    found = await require_open(reads, await comment_of_uid(reads, uid))
    (said,) = await with_replies(reads, [found], viewer)
    return said


async def with_replies(
    reads: Reads, comments: Sequence[Comment], viewer: User | None
) -> list[Said]:
    """These comments as this reader sees them, each with its first replies.

    There is one reply more than `FIRST_REPLIES` where there are more.
    """
    parents = [row.id for row in comments if row.parent_id is None]
    replies = await store.first_replies(reads, parents, FIRST_REPLIES + 1) if parents else []
    said = await as_seen(reads, [*comments, *replies], viewer)
    page = said[: len(comments)]
    answers = {one.comment.id: one.replies for one in page}
    for one in said[len(comments) :]:
        answers[one.comment.parent_id or 0].append(one)
    return page


async def as_seen(reads: Reads, comments: Sequence[Comment], viewer: User | None) -> list[Said]:
    """These comments as this reader sees them, in their order."""
    standing = [row for row in comments if row.deleted_at is None]
    people = await readers.people_of(
        reads, {row.user_id for row in standing if row.user_id is not None}
    )
    liked: set[int] = set()
    if viewer is not None and standing:
        liked = await likes.liked(reads, viewer.id, [row.id for row in standing])
    return [
        Said(
            comment=row,
            author=None
            if row.user_id is None or row.deleted_at is not None
            else people.get(row.user_id),
            is_own=viewer is not None and row.user_id == viewer.id and row.deleted_at is None,
            is_liked=row.id in liked,
            replies=[],
        )
        for row in comments
    ]
