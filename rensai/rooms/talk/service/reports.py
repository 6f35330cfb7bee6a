"""Reporting what should not be here, and deciding about it."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from rensai.kit.db import Reads, Tx
from rensai.kit.errors import Unavailable
from rensai.kit.ids import new_uid
from rensai.kit.limits import Limits
from rensai.kit.log import get_logger
from rensai.kit.texts import prose
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import SeenChapter, SeenStory
from rensai.rooms.readers import door as readers
from rensai.rooms.readers.door import User
from rensai.rooms.talk.errors import AlreadyResolved, CommentNotFound, ReportNotFound
from rensai.rooms.talk.model.comments import Comment
from rensai.rooms.talk.model.reports import (
    LONGEST_NOTES,
    Complaint,
    Docket,
    Filed,
    Reason,
    Report,
    Status,
    Target,
    Weighed,
)
from rensai.rooms.talk.service.places import require_open
from rensai.rooms.talk.service.speaking import REPORTS, count_attempt
from rensai.rooms.talk.store import reports as store

_log = get_logger("rensai.talk")


async def weigh_report(
    limits: Limits,
    user: User,
    reason: Reason,
    notes: str | None,
    *,
    field: str = "notes",
) -> Weighed:
    """What will be stored, if this account may report anything now; `field` names the notes."""
    text = prose(field, notes or "", most=LONGEST_NOTES) or None
    await count_attempt(limits, REPORTS, user)
    return Weighed(reason, text)


async def report_story(
    tx: Tx, user: User, story: SeenStory, weighed: Weighed, now: datetime
) -> Filed:
    """File a report of a story; while one of the same account is open, that one stands."""
    return await _file(tx, user, Complaint(Target.STORY, story.id, weighed), now)


async def report_chapter(
    tx: Tx, user: User, chapter: SeenChapter, weighed: Weighed, now: datetime
) -> Filed:
    """The same for a chapter."""
    return await _file(tx, user, Complaint(Target.CHAPTER, chapter.id, weighed), now)


async def report_comment(
    tx: Tx, user: User, comment: Comment | None, weighed: Weighed, now: datetime
) -> Filed:
    """The same for a comment that everybody can see; what it says now is kept with the report."""
    found = await require_open(tx, comment)
    if found.deleted_at is not None:
        raise CommentNotFound
    return await _file(
        tx, user, Complaint(Target.COMMENT, found.id, weighed, quoted=found.content), now
    )


async def _file(tx: Tx, user: User, complaint: Complaint, now: datetime) -> Filed:
    new = await store.file(tx, new_uid(), user.id, complaint, now)
    if new is not None:
        return Filed(new, is_new=True)
    known = await store.open_one(tx, user.id, complaint)
    if known is None:  # resolved in this very moment
        raise Unavailable(private="a report was resolved while it was filed again")
    return Filed(known, is_new=False)


async def list_reports(
    reads: Reads, status: Status, *, after: int | None = None, limit: int
) -> list[Report]:
    """Reports of that status, the latest first; one more than `limit` if there are more."""
    return await store.queue(reads, status, after=after, limit=limit + 1)


async def resolve(
    tx: Tx,
    user: User,
    uid: UUID | None,
    status: Status,
    *,
    resolution: str | None,
    now: datetime,
) -> Report:
    """Decide about a report, and with it about every open one about the same thing."""
    text = prose("resolution", resolution or "", most=LONGEST_NOTES) or None
    found = None if uid is None else await store.by_uid(tx, uid)
    if found is None:
        raise ReportNotFound
    held = await store.hold_open_about(tx, found.target_type, found.target_id)
    if found.id not in held:
        raise AlreadyResolved
    resolved = await store.resolve(tx, held, status, resolution=text, moderator_id=user.id, now=now)
    _log.info(
        "reports resolved",
        about=f"{found.target_type} {found.target_id}",
        by=str(user.uid),
        status=status.value,
        reports=len(resolved),
    )
    return next(one for one in resolved if one.id == found.id)


async def dockets(reads: Reads, reports: Sequence[Report]) -> list[Docket]:
    """These reports with all that whoever decides wants to see, in their order."""

    def about(target: Target) -> set[int]:
        return {one.target_id for one in reports if one.target_type == target.value}

    comments = await store.comments(reads, sorted(about(Target.COMMENT)))
    in_chapters = {one.chapter_id for one in comments.values() if one.chapter_id is not None}
    chapters = await catalogue.mention_chapters(reads, about(Target.CHAPTER) | in_chapters)
    stories = await catalogue.mention_stories(
        reads,
        about(Target.STORY)
        | {one.story_id for one in chapters.values()}
        | {one.story_id for one in comments.values()},
    )
    named = {one.user_id for one in comments.values()}
    named |= {id_ for one in reports for id_ in (one.reporter_user_id, one.resolved_by)}
    people = await readers.people_of(reads, {id_ for id_ in named if id_ is not None})
    counts = await store.open_about(reads, reports) if reports else {}
    found: list[Docket] = []
    for one in reports:
        is_of = Target(one.target_type)
        comment = comments.get(one.target_id) if is_of is Target.COMMENT else None
        chapter_id = one.target_id if is_of is Target.CHAPTER else comment and comment.chapter_id
        chapter = chapters.get(chapter_id or 0)
        story_id = one.target_id if is_of is Target.STORY else None
        if comment is not None:
            story_id = comment.story_id
        elif chapter is not None:
            story_id = chapter.story_id
        found.append(
            Docket(
                report=one,
                reporter=people.get(one.reporter_user_id or 0),
                resolver=people.get(one.resolved_by or 0),
                story=stories.get(story_id or 0),
                chapter=chapter,
                comment=comment,
                comment_author=people.get((comment and comment.user_id) or 0),
                open_about_it=counts.get((one.target_type, one.target_id), 0),
            )
        )
    return found
