"""What the novel API tells of comments and reports, and what it takes."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from rensai.rooms.talk.model.comments import FIRST_REPLIES, LONGEST_COMMENT, Comment, Said
from rensai.rooms.talk.model.reports import LONGEST_NOTES, Reason, Report, Status, Target

CursorAfter = Callable[[Comment, Comment], str]
"""The cursor to go on with the replies to the first after the second."""

Id = Annotated[int, Meta(ge=1, le=2**63 - 1)]


class NovelNewComment(Struct, frozen=True, forbid_unknown_fields=True):
    """What to say: of a story or a chapter of it, or in answer to a comment that answers none."""

    story_id: Id
    content: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=2 * LONGEST_COMMENT,
            description=f"Plain text of 1 to {LONGEST_COMMENT} characters, once trimmed.",
        ),
    ]
    chapter_id: Id | None = None
    parent_id: Id | None = None


class NovelNewReport(Struct, frozen=True, forbid_unknown_fields=True):
    """What should not be here, and why."""

    entity_type: Target
    entity_id: Id
    reason: Reason
    detail: Annotated[str, Meta(max_length=2 * LONGEST_NOTES)] | None = None


class NovelReport(Struct, frozen=True):
    """A report that is there now."""

    id: int
    status: Status
    created_at: datetime

    @classmethod
    def of(cls, report: Report) -> "NovelReport":
        return cls(report.id, Status(report.status), report.created_at)


class NovelCommentPosted(Struct, frozen=True):
    """A comment that was just written."""

    id: int
    user_id: int | None
    story_id: int
    chapter_id: int | None
    parent_id: int | None
    content: str
    created_at: datetime

    @classmethod
    def of(cls, row: Comment) -> "NovelCommentPosted":
        return cls(
            id=row.id,
            user_id=row.user_id,
            story_id=row.story_id,
            chapter_id=row.chapter_id,
            parent_id=row.parent_id,
            content=row.content,
            created_at=row.created_at,
        )


class NovelAuthor(Struct, frozen=True):
    """Who wrote a comment; `id` and `username` are null for somebody on another server."""

    id: int | None
    username: str | None
    display_name: str
    avatar_url: str | None

    @classmethod
    def of(cls, said: Said) -> "NovelAuthor | None":
        person, row = said.author, said.comment
        if person is not None:
            return cls(person.id, person.username, person.display_name, None)
        if row.is_local or said.is_deleted:
            return None
        return cls(None, None, row.author_display_name, row.author_avatar_url)


class NovelComment(Struct, frozen=True):
    """A comment, and the first replies to it.

    One that was deleted and has replies is a blank: `is_deleted`, no content and no user.
    `replies_next_cursor` goes on with `parent_id`, and is null when all replies are here.
    """

    id: int
    user_id: int | None
    story_id: int
    chapter_id: int | None
    parent_id: int | None
    content: str
    user: NovelAuthor | None
    likes_count: int
    reply_count: int
    is_pinned: bool
    is_deleted: bool
    is_own: bool
    is_liked: bool
    edited_at: datetime | None
    created_at: datetime
    updated_at: datetime
    replies: "list[NovelComment]"
    replies_next_cursor: str | None

    @classmethod
    def of(cls, said: Said, cursor_after: CursorAfter) -> "NovelComment":
        row = said.comment
        author = NovelAuthor.of(said)
        replies = said.replies[:FIRST_REPLIES]
        more = len(said.replies) > FIRST_REPLIES
        return cls(
            id=row.id,
            user_id=author and author.id,
            story_id=row.story_id,
            chapter_id=row.chapter_id,
            parent_id=row.parent_id,
            content=said.content,
            user=author,
            likes_count=row.likes_count,
            reply_count=row.reply_count,
            is_pinned=row.is_pinned,
            is_deleted=said.is_deleted,
            is_own=said.is_own,
            is_liked=said.is_liked,
            edited_at=None if said.is_deleted else row.edited_at,
            created_at=row.created_at,
            updated_at=row.updated_at,
            replies=[cls.of(reply, cursor_after) for reply in replies],
            replies_next_cursor=cursor_after(row, replies[-1].comment) if more else None,
        )
