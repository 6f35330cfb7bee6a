"""What somebody has written, wherever it was."""

import msgspec

from rensai.kit.db import Reads
from rensai.kit.errors import NotFound
from rensai.rooms.catalogue.door import ChapterMention, StoryMention
from rensai.rooms.readers import door as readers
from rensai.rooms.readers.door import Person, User
from rensai.rooms.talk.model.comments import Comment, Key, Said
from rensai.rooms.talk.service.places import Places, places_of
from rensai.rooms.talk.service.reading import as_seen
from rensai.rooms.talk.store import history as store

_BATCH = 100
_MOST_BATCHES = 10


class Written(msgspec.Struct, frozen=True):
    """A comment with what it is about."""

    said: Said
    story: StoryMention
    chapter: ChapterMention | None


class Writings(msgspec.Struct, frozen=True):
    """A page of them, and where to go on if there may be more."""

    items: list[Written]
    go_on_after: Key | None


async def author_named(reads: Reads, username: str) -> Person:
    """Whoever goes by that name here."""
    person = await readers.person_named(reads, username)
    if person is None:
        raise NotFound("There is no such user here.")
    return person


async def list_written(
    reads: Reads, author: Person, viewer: User | None, *, after: Key | None, limit: int
) -> Writings:
    """What somebody has written and everybody can see, the latest first.

    It goes by the portable identity, so it includes what came from other servers. What stands
    under something that not everybody may read is passed over. A page may end early, and even
    be empty, where very much is: whoever goes on misses nothing.
    """
    found: list[Comment] = []
    known = Places({}, {})
    for _ in range(_MOST_BATCHES):
        batch = await store.written(reads, author, after=after, limit=_BATCH)
        places = await places_of(reads, batch)
        known.stories.update(places.stories)
        known.chapters.update(places.chapters)
        for row in batch:
            if not row.parent_is_hidden and places.are_open(row.place):
                if len(found) == limit:
                    return await _page(reads, found, known, viewer, found[-1].time_key)
                found.append(row)
            after = row.time_key
        if len(batch) < _BATCH:
            return await _page(reads, found, known, viewer, None)
    return await _page(reads, found, known, viewer, after)


async def _page(
    reads: Reads, found: list[Comment], known: Places, viewer: User | None, going_on: Key | None
) -> Writings:
    items = [
        Written(
            said,
            known.stories[said.comment.story_id],
            None if said.comment.chapter_id is None else known.chapters[said.comment.chapter_id],
        )
        for said in await as_seen(reads, found, viewer)
    ]
    return Writings(items, going_on)
