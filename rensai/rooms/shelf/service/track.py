"""Taking in what readers have read."""

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from rensai.kit.errors import NotFound
from rensai.kit.services import Services
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import SeenChapter
from rensai.rooms.shelf.model import Step
from rensai.rooms.shelf.service.buffer import ProgressBuffer

OLDEST = datetime(2000, 1, 1, tzinfo=UTC)


class Sent(msgspec.Struct, frozen=True):
    """Where somebody was, as a device tells it."""

    story_id: int
    chapter_id: int
    scroll_position: float | None = None
    page_number: int | None = None
    completed: bool | None = None
    at: datetime | None = None
    """When it was, if the device knows better than now."""


async def track(
    services: Services,
    progress: ProgressBuffer,
    user_id: int,
    sent: Sent,
    seen: SeenChapter | None = None,
) -> Step:
    """Take in where somebody is in a chapter that everybody may read, perhaps `seen` already."""
    chapter = seen or await catalogue.see_chapter(services.lookups, sent.chapter_id)
    if chapter.story_id != sent.story_id:
        raise NotFound("There is no such chapter in this story.")
    step = _step(user_id, sent, chapter, services.clock.now())
    progress.accept(user_id, [step])
    return step


async def track_all(
    services: Services, progress: ProgressBuffer, user_id: int, sent: Sequence[Sent]
) -> list[Step | None]:
    """Take in what a device has gathered; None for what is not here, which holds up nothing."""
    ids = {one.chapter_id for one in sent}
    seen = await catalogue.see_chapters(services.db.replica, ids)
    now = services.clock.now()
    steps = [
        _step(user_id, one, chapter, now)
        if (chapter := seen.get(one.chapter_id)) and chapter.story_id == one.story_id
        else None
        for one in sent
    ]
    progress.accept(user_id, [step for step in steps if step is not None])
    return steps


def moment_of(given: datetime | None, now: datetime) -> datetime:
    """When something was: a device whose clock is ahead does not win over all others for long."""
    if given is None or given >= now:
        return now
    return given.astimezone(UTC) if given > OLDEST else OLDEST


def _step(user_id: int, sent: Sent, seen: SeenChapter, now: datetime) -> Step:
    return Step(
        user_id,
        seen.story_id,
        seen.id,
        seen.chapter_no,
        sent.scroll_position,
        sent.page_number,
        sent.completed,
        moment_of(sent.at, now),
    )
