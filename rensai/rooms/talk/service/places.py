"""Whether a comment can be seen: it, the thread it is in, and what that is about."""

from collections.abc import Iterable
from uuid import UUID

import msgspec

from rensai.kit.db import Reads
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import ChapterMention, StoryMention
from rensai.rooms.talk.errors import CommentNotFound
from rensai.rooms.talk.model.comments import Comment, Place
from rensai.rooms.talk.store import comments as store


class Places(msgspec.Struct, frozen=True):
    """The names of what threads are about."""

    stories: dict[int, StoryMention]
    chapters: dict[int, ChapterMention]

    def are_open(self, place: Place) -> bool:
        """Whether everybody may read what this thread is about."""
        about = (
            self.stories.get(place.story_id)
            if place.chapter_id is None
            else self.chapters.get(place.chapter_id)
        )
        return about is not None and about.is_visible


async def places_of(reads: Reads, comments: Iterable[Comment]) -> Places:
    """What these comments are about, also where not everybody may read it."""
    rows = list(comments)
    chapters = {row.chapter_id for row in rows if row.chapter_id is not None}
    return Places(
        stories=await catalogue.mention_stories(reads, {row.story_id for row in rows}),
        chapters=await catalogue.mention_chapters(reads, chapters),
    )


async def comment_of_id(reads: Reads, comment_id: int) -> Comment | None:
    """A comment whatever its state; `require_open` says whether it may be told of."""
    return await store.by_id(reads, comment_id)


async def comment_of_uid(reads: Reads, uid: UUID | None) -> Comment | None:
    """A comment whatever its state; `require_open` says whether it may be told of."""
    return None if uid is None else await store.by_uid(reads, uid)


async def require_open(reads: Reads, comment: Comment | None) -> Comment:
    """The comment, if it stands where everybody can see it; it may be a blank with replies."""
    if comment is None or comment.is_withdrawn or not comment.stands:
        raise CommentNotFound
    if not (await places_of(reads, [comment])).are_open(comment.place):
        raise CommentNotFound
    return comment
