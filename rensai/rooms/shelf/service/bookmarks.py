"""Putting stories on one's shelf and taking them off."""

from collections.abc import Sequence

import msgspec

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Reads
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.shelf.errors import BookmarkNotFound
from rensai.rooms.shelf.model import FOLLOWS, Bookmark, Status
from rensai.rooms.shelf.service.buffer import ProgressBuffer
from rensai.rooms.shelf.store import bookmarks as store


class Kept(msgspec.Struct, frozen=True):
    """A bookmark, and whether it is a new one."""

    bookmark: Bookmark
    is_new: bool


class Wanted(msgspec.Struct, frozen=True):
    """How a story is to stand on the shelf; None leaves what is there."""

    status: Status | None = None
    notify: bool | None = None
    is_novel: bool = False
    """The status is meant as the novel API knows it: what it calls following may be on hold."""

    def of(self, known: Bookmark | None) -> tuple[int, bool]:
        """Status and notification, given how it stands now."""
        if known is None:
            return self.status or Status.FOLLOWING, self.notify is not False
        status, notify = known.status, known.notify_new_chapter
        same = self.is_novel and self.status == Status(status).novel
        if self.status is not None and not same:
            status = self.status
        return status, notify if self.notify is None else self.notify


async def keep(
    db: Database,
    clock: Clock,
    progress: ProgressBuffer,
    user_id: int,
    story_id: int,
    *,
    wanted: Wanted,
    anew: bool = True,
) -> Kept:
    """Let a story that was seen a moment ago stand on the shelf like this.

    Unless `anew`, it must stand there already.
    """
    await progress.settle(user_id)
    async with db.transaction() as tx:
        known = await store.hold(tx, user_id, story_id)
        if known is None and not anew:
            raise BookmarkNotFound
        status, notify = wanted.of(known)
        if known is not None and (status, notify) == (known.status, known.notify_new_chapter):
            return Kept(known, is_new=False)
        made = await store.put(tx, user_id, story_id, status=status, notify=notify, now=clock.now())
        # Another device may have put it there a moment ago: then nobody knows how it stood.
        if known is None or (known.status in FOLLOWS) != (status in FOLLOWS):
            await catalogue.touch_recount(tx, clock, story_id)
        return Kept(made, is_new=known is None)


async def remove(
    db: Database, clock: Clock, progress: ProgressBuffer, user_id: int, story_id: int
) -> None:
    """Take a story off the shelf."""
    await progress.settle(user_id)
    async with db.transaction() as tx:
        status = await store.delete(tx, user_id, story_id)
        if status is None:
            raise BookmarkNotFound
        if status in FOLLOWS:
            await catalogue.touch_recount(tx, clock, story_id)


async def followers_of(reads: Reads, story_ids: Sequence[int]) -> dict[int, int]:
    """How many follow each of these stories."""
    found = {one.story_id: one.followers for one in await store.followers(reads, story_ids)}
    return {story_id: found.get(story_id, 0) for story_id in story_ids}
