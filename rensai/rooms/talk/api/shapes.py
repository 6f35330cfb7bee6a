"""What `/api/v1` tells of comments and reports, and what it takes."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from rensai.kit.web.bodies import Body
from rensai.rooms.catalogue.door import ChapterMention, StoryMention
from rensai.rooms.readers.door import Person
from rensai.rooms.talk.model.comments import FIRST_REPLIES, LONGEST_COMMENT, Comment, Said
from rensai.rooms.talk.model.reports import LONGEST_NOTES, Docket, Reason, Report, Status
from rensai.rooms.talk.service.history import Written

CursorAfter = Callable[[Comment, Comment], str]
"""The cursor to go on with the replies to the first after the second."""

Text = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=2 * LONGEST_COMMENT,
        description=f"Plain text of 1 to {LONGEST_COMMENT} characters, once composed and trimmed.",
    ),
]
"""More may be sent than is kept: accents that are sent apart count as one with their letter."""

Notes = Annotated[str, Meta(max_length=2 * LONGEST_NOTES)]


class NewComment(Body, frozen=True):
    """What to say, and which comment it answers, if any: one that answers none itself."""

    content: Text
    parent_id: UUID | None = None


class EditedComment(Body, frozen=True):
    """What to say instead."""

    content: Text


class Moderation(Body, frozen=True):
    """What to do with a comment; null leaves it as it is."""

    is_hidden: bool | None = None
    is_pinned: bool | None = None


class NewReport(Body, frozen=True):
    """Why something should not be here."""

    reason: Reason
    notes: Notes | None = None


class Resolution(Body, frozen=True):
    """What became of a report: something was done, or nothing needs to be."""

    dismiss: bool = False
    notes: Notes | None = None


class Author(Struct, frozen=True, rename="camel"):
    """Who wrote a comment; `id` and `username` are null for somebody on another server."""

    id: UUID | None
    username: str | None
    display_name: str
    avatar_url: str | None
    actor_uri: str | None
    fingerprint: str | None

    @classmethod
    def of(cls, said: Said) -> "Author | None":
        comment = said.comment
        if said.author is not None:
            return cls.of_person(said.author)
        if comment.is_local or said.is_deleted:
            return None
        return cls(
            id=None,
            username=None,
            display_name=comment.author_display_name,
            avatar_url=comment.author_avatar_url,
            actor_uri=comment.actor_uri,
            fingerprint=None,
        )

    @classmethod
    def of_person(cls, person: Person | None) -> "Author | None":
        if person is None:
            return None
        return cls(person.uid, person.username, person.display_name, None, None, person.fingerprint)


class CommentAnswer(Struct, frozen=True, rename="camel"):
    """A comment, and the first replies to it.

    One that was deleted and has replies is a blank: `isDeleted`, no content and no author.
    `repliesCursor` goes on in the list of its replies, and is null when all are here.
    """

    id: UUID
    parent_id: UUID | None
    content: str
    author: Author | None
    likes_count: int
    reply_count: int
    is_pinned: bool
    is_deleted: bool
    is_local: bool
    is_own: bool
    is_liked: bool
    edited_at: datetime | None
    created_at: datetime
    updated_at: datetime
    replies: "list[CommentAnswer]"
    replies_cursor: str | None

    @classmethod
    def of(cls, said: Said, cursor_after: CursorAfter) -> "CommentAnswer":
        row = said.comment
        replies = said.replies[:FIRST_REPLIES]
        more = len(said.replies) > FIRST_REPLIES
        return cls(
            id=row.uid,
            parent_id=row.parent_uid,
            content=said.content,
            author=Author.of(said),
            likes_count=row.likes_count,
            reply_count=row.reply_count,
            is_pinned=row.is_pinned,
            is_deleted=said.is_deleted,
            is_local=row.is_local,
            is_own=said.is_own,
            is_liked=said.is_liked,
            edited_at=None if said.is_deleted else row.edited_at,
            created_at=row.created_at,
            updated_at=row.updated_at,
            replies=[cls.of(reply, cursor_after) for reply in replies],
            replies_cursor=cursor_after(row, replies[-1].comment) if more else None,
        )


class AboutSeries(Struct, frozen=True, rename="camel"):
    """The series that something is about."""

    id: UUID
    slug: str
    title: str

    @classmethod
    def of(cls, story: StoryMention | None) -> "AboutSeries | None":
        return None if story is None else cls(story.uid, story.public_slug, story.title)


class AboutChapter(Struct, frozen=True, rename="camel"):
    """The chapter that something is about."""

    id: UUID
    sort_order: float
    slug: str
    title: str | None

    @classmethod
    def of(cls, chapter: ChapterMention | None) -> "AboutChapter | None":
        if chapter is None:
            return None
        return cls(chapter.uid, float(chapter.number), chapter.slug, chapter.title or None)


class WrittenComment(Struct, frozen=True, rename="camel"):
    """A comment with what it is about; `chapter` is null when it is about the whole series."""

    id: UUID
    parent_id: UUID | None
    content: str
    author: Author | None
    likes_count: int
    reply_count: int
    is_own: bool
    is_liked: bool
    edited_at: datetime | None
    created_at: datetime
    series: AboutSeries | None
    chapter: AboutChapter | None

    @classmethod
    def of(cls, written: Written) -> "WrittenComment":
        said, row = written.said, written.said.comment
        return cls(
            id=row.uid,
            parent_id=row.parent_uid,
            content=said.content,
            author=Author.of(said),
            likes_count=row.likes_count,
            reply_count=row.reply_count,
            is_own=said.is_own,
            is_liked=said.is_liked,
            edited_at=row.edited_at,
            created_at=row.created_at,
            series=AboutSeries.of(written.story),
            chapter=AboutChapter.of(written.chapter),
        )


class ModeratedComment(Struct, frozen=True, rename="camel"):
    """A comment as moderators see it, whatever its state."""

    id: UUID
    parent_id: UUID | None
    content: str
    author: Author | None
    likes_count: int
    reply_count: int
    is_hidden: bool
    is_pinned: bool
    is_deleted: bool
    is_local: bool
    edited_at: datetime | None
    created_at: datetime

    @classmethod
    def of(cls, row: Comment, author: Person | None) -> "ModeratedComment":
        told = Said(row, author, is_own=False, is_liked=False, replies=[])
        return cls(
            id=row.uid,
            parent_id=row.parent_uid,
            content=row.content,
            author=Author.of(told),
            likes_count=row.likes_count,
            reply_count=row.reply_count,
            is_hidden=row.is_hidden,
            is_pinned=row.is_pinned,
            is_deleted=row.deleted_at is not None,
            is_local=row.is_local,
            edited_at=row.edited_at,
            created_at=row.created_at,
        )


class ReportFiled(Struct, frozen=True, rename="camel"):
    """A report, as whoever filed it sees it."""

    id: UUID
    status: Status
    reason: Reason
    created_at: datetime

    @classmethod
    def of(cls, report: Report) -> "ReportFiled":
        return cls(report.uid, Status(report.status), Reason(report.reason), report.created_at)


class ReportAnswer(Struct, frozen=True, rename="camel"):
    """A report as moderators see it. What it is about may be gone, and is then null.

    `quoted` is what a comment said when it was reported; `openReports` is how many open reports
    there are about the same thing, which are resolved together.
    """

    id: UUID
    target_type: str
    reason: Reason
    notes: str | None
    quoted: str | None
    status: Status
    resolution: str | None
    reporter: Author | None
    resolver: Author | None
    resolved_at: datetime | None
    created_at: datetime
    open_reports: int
    series: AboutSeries | None
    chapter: AboutChapter | None
    comment: ModeratedComment | None

    @classmethod
    def of(cls, docket: Docket) -> "ReportAnswer":
        report, comment = docket.report, docket.comment
        return cls(
            id=report.uid,
            target_type={"story": "series"}.get(report.target_type, report.target_type),
            reason=Reason(report.reason),
            notes=report.notes,
            quoted=report.quoted,
            status=Status(report.status),
            resolution=report.resolution,
            reporter=Author.of_person(docket.reporter),
            resolver=Author.of_person(docket.resolver),
            resolved_at=report.resolved_at,
            created_at=report.created_at,
            open_reports=docket.open_about_it,
            series=AboutSeries.of(docket.story),
            chapter=AboutChapter.of(docket.chapter),
            comment=None
            if comment is None
            else ModeratedComment.of(comment, docket.comment_author),
        )
