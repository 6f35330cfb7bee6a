"""What a reader has said, liked and reported, as it is taken along."""

from collections.abc import AsyncIterator, Iterable
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from rensai.kit.db import Reads
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import ChapterMention, StoryMention
from rensai.rooms.readers.door import Belongings
from rensai.rooms.talk.model.comments import Key
from rensai.rooms.talk.model.reports import Report, Target
from rensai.rooms.talk.service.places import places_of
from rensai.rooms.talk.store import history, likes
from rensai.rooms.talk.store import reports as store

BATCH = 500


class About(Struct, frozen=True):
    """A story, as other servers can understand it."""

    source: str
    slug: str
    title: str


class AboutChapter(Struct, frozen=True):
    """A chapter of it."""

    number: float
    language: str


class OwnComment(Struct, frozen=True):
    """A line of `comments.jsonl`."""

    id: UUID
    story: About | None
    chapter: AboutChapter | None
    in_reply_to: UUID | None
    content: str
    created_at: datetime
    edited_at: datetime | None
    deleted_at: datetime | None


class OwnLike(Struct, frozen=True):
    """A line of `comment_likes.jsonl`."""

    comment: UUID
    created_at: datetime


class OwnReport(Struct, frozen=True):
    """A line of `reports.jsonl`."""

    id: UUID
    target_type: str
    story: About | None
    chapter: AboutChapter | None
    comment: UUID | None
    reason: str
    notes: str | None
    status: str
    created_at: datetime
    resolved_at: datetime | None


async def own_comments(reads: Reads, user_id: int) -> AsyncIterator[OwnComment]:
    """All that an account wrote, also what it deleted: whose words they are."""
    after: Key | None = None
    while batch := await history.everything(reads, user_id, after=after, limit=BATCH):
        places = await places_of(reads, batch)
        for row in batch:
            yield OwnComment(
                id=row.uid,
                story=_story(places.stories.get(row.story_id)),
                chapter=_chapter(places.chapters.get(row.chapter_id or 0)),
                in_reply_to=row.parent_uid,
                content=row.content,
                created_at=row.created_at,
                edited_at=row.edited_at,
                deleted_at=row.deleted_at,
            )
        after = batch[-1].time_key


async def own_likes(reads: Reads, user_id: int) -> AsyncIterator[OwnLike]:
    """Which comments an account likes."""
    after = 0
    while batch := await likes.of_account(reads, user_id, after=after, limit=BATCH):
        for row in batch:
            yield OwnLike(row.comment_uid, row.created_at)
        after = batch[-1].comment_id


async def own_reports(reads: Reads, user_id: int) -> AsyncIterator[OwnReport]:
    """All that an account has reported."""
    after: int | None = None
    while batch := await store.of_account(reads, user_id, after=after, limit=BATCH):
        stories = await catalogue.mention_stories(reads, _about(batch, Target.STORY))
        chapters = await catalogue.mention_chapters(reads, _about(batch, Target.CHAPTER))
        above = await catalogue.mention_stories(reads, {one.story_id for one in chapters.values()})
        comments = await store.comments(reads, sorted(_about(batch, Target.COMMENT)))
        for row in batch:
            kind = Target(row.target_type)
            chapter = chapters.get(row.target_id) if kind is Target.CHAPTER else None
            story = stories.get(row.target_id) if kind is Target.STORY else None
            comment = comments.get(row.target_id) if kind is Target.COMMENT else None
            yield OwnReport(
                id=row.uid,
                target_type=row.target_type,
                story=_story(story if chapter is None else above.get(chapter.story_id)),
                chapter=_chapter(chapter),
                comment=comment and comment.uid,
                reason=row.reason,
                notes=row.notes,
                status=row.status,
                created_at=row.created_at,
                resolved_at=row.resolved_at,
            )
        after = batch[-1].id


def _about(reports: Iterable[Report], target: Target) -> set[int]:
    return {one.target_id for one in reports if one.target_type == target.value}


def _story(story: StoryMention | None) -> About | None:
    return None if story is None else About(story.source, story.slug, story.title)


def _chapter(chapter: ChapterMention | None) -> AboutChapter | None:
    return None if chapter is None else AboutChapter(float(chapter.number), chapter.language)


belongings = (
    Belongings("comments", own_comments),
    Belongings("comment_likes", own_likes),
    Belongings("reports", own_reports),
)
"""They can be looked at elsewhere and not be taken in: a conversation stays where it was held."""
