"""The library: what somebody reads and what is on the shelf."""

import msgspec

from rensai.kit.services import Services
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import ChapterCard, ListedStory
from rensai.rooms.shelf.model import Key, Part, Shelved, Status
from rensai.rooms.shelf.service.buffer import ProgressBuffer
from rensai.rooms.shelf.service.pages import ReadRows, shown
from rensai.rooms.shelf.store import library as store


class Held(msgspec.Struct, frozen=True):
    """A story of the library as it is shown."""

    row: Shelved
    story: ListedStory
    chapter: ChapterCard | None
    """Where its reader is, unless the chapter is gone."""


async def list_library(
    services: Services,
    progress: ProgressBuffer,
    user_id: int,
    part: Part,
    *,
    status: Status | None = None,
    is_novel: bool = False,
    after: Key | None,
    limit: int,
) -> list[Held]:
    """Stories of the library, latest first, each once; one more than `limit` if there are more.

    A story that is read and on the shelf stands where it was touched last. With `status`, what is
    on the shelf with it; `is_novel` means the status as the novel API knows it.
    """
    await progress.settle(user_id)
    read = _rows(services, user_id, part, status, is_novel=is_novel)
    reads = services.db.replica
    found = await shown(
        read,
        lambda row: row.key,
        lambda row: row.story_id,
        lambda ids: catalogue.story_cards(reads, ids),
        after=after,
        limit=limit,
    )
    ids = {row.chapter_id for row, _ in found if row.chapter_id is not None}
    chapters = await catalogue.chapter_cards(reads, ids)
    return [
        Held(row, story, None if row.chapter_id is None else chapters.get(row.chapter_id))
        for row, story in found
    ]


def _rows(
    services: Services, user_id: int, part: Part, status: Status | None, *, is_novel: bool
) -> ReadRows[Shelved]:
    reads = services.db.primary  # a replica may not know yet what its reader has just done
    if status is Status.FOLLOWING and is_novel:
        return lambda after, limit: store.kept_as_following(reads, user_id, after, limit)
    if status is not None:
        return lambda after, limit: store.kept_as(reads, user_id, after, limit, status)
    if part is Part.READING:
        return lambda after, limit: store.read(reads, user_id, after, limit)
    if part is Part.BOOKMARKS:
        return lambda after, limit: store.kept(reads, user_id, after, limit)

    async def both(after: Key, limit: int) -> list[Shelved]:
        """The first of two lists that are each in order are among the first of both."""
        read = await store.read(reads, user_id, after, limit, merged=True)
        kept = await store.kept(reads, user_id, after, limit, merged=True)
        return sorted([*read, *kept], key=lambda row: row.key, reverse=True)[:limit]

    return both
