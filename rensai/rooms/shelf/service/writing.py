"""Writing down what readers have sent: many of them in one transaction."""

from collections.abc import Iterator, Mapping

from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.kit.errors import RensaiError, Unavailable
from rensai.kit.log import get_logger
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.shelf.service.unwritten import Unwritten
from rensai.rooms.shelf.store import steps as store

_log = get_logger("rensai.shelf")

Readers = Mapping[int, Unwritten]
"""What is to be written, by the account."""


async def write(db: Database, clock: Clock, readers: Readers) -> None:
    """Write it all; what the database refuses is left out, so that it holds up nobody else.

    Raises `Unavailable` when the database cannot be reached. All of it may be written again then:
    twice is once.
    """
    try:
        await _write_at_once(db, clock, readers)
    except Unavailable:
        raise
    except RensaiError as problem:
        parts = list(_halves(readers))
        if len(parts) < 2:
            _log.warning("what somebody has read cannot be kept", why=problem.private)
            return
        for part in parts:
            await write(db, clock, part)


async def _write_at_once(db: Database, clock: Clock, readers: Readers) -> None:
    everybody = readers.values()
    stories = [step for one in everybody for step in one.stories.values()]
    chapters = [step for one in everybody for step in one.chapters.values()]
    async with db.transaction() as tx:
        await store.write_progress(tx, stories)
        await store.write_history(tx, chapters)
        followed = await store.follow(tx, stories)
        await catalogue.touch_recounts_later(tx, clock, followed)


def _halves(readers: Readers) -> Iterator[Readers]:
    """The same in two parts, or one when it is of one reader and one story."""
    ids = sorted(readers)
    if len(ids) > 1:
        middle = len(ids) // 2
        yield {user_id: readers[user_id] for user_id in ids[:middle]}
        yield {user_id: readers[user_id] for user_id in ids[middle:]}
        return
    for user_id in ids:
        for part in readers[user_id].by_story():
            yield {user_id: part}
