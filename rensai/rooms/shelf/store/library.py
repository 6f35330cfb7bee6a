"""SQL of the library: what a reader reads, and what is on the shelf, each in its own order.

The list of both is merged from the two by the service. A story that is in both stands where it was
touched last: the statements for it leave out what the other of the two will show, equal times
going to the reading.
"""

from rensai.kit.db import Query, Reads
from rensai.rooms.shelf.model import Key, Shelved, Status

_FIELDS = """story_id,
        reading_progress.chapter_id, reading_progress.chapter_no::float8 AS chapter_no,
        reading_progress.scroll_position, reading_progress.page_number,
        reading_progress.updated_at AS read_at,
        bookmarks.status, bookmarks.notify_new_chapter, bookmarks.created_at,
        bookmarks.updated_at AS changed_at"""


def _read(*, merged: bool) -> Query[Shelved]:
    newer = "AND (bookmarks.updated_at <= reading_progress.updated_at) IS NOT FALSE"
    return Query(
        f"""
        SELECT reading_progress.updated_at AS moment, {_FIELDS}
        FROM reading_progress LEFT JOIN bookmarks USING (user_id, story_id)
        WHERE user_id = $1 AND (reading_progress.updated_at, story_id) < ($2, $3)
            {newer if merged else ""}
        ORDER BY reading_progress.updated_at DESC, story_id DESC
        LIMIT $4
        """,
        Shelved,
    )


def _kept(condition: str) -> str:
    return f"""
        SELECT bookmarks.updated_at AS moment, {_FIELDS}
        FROM bookmarks LEFT JOIN reading_progress USING (user_id, story_id)
        WHERE user_id = $1 AND (bookmarks.updated_at, story_id) < ($2, $3) {condition}
        ORDER BY bookmarks.updated_at DESC, story_id DESC
        LIMIT $4"""


READ = _read(merged=False)
READ_LAST = _read(merged=True)
KEPT = Query(_kept(""), Shelved)
KEPT_LAST = Query(
    _kept("AND (reading_progress.updated_at < bookmarks.updated_at) IS NOT FALSE"), Shelved
)
KEPT_AS = Query(_kept("AND bookmarks.status = $5::smallint"), Shelved)
# What the novel API calls following is three parts of the shelf, each in its order.
_PARTS = " UNION ALL ".join(
    f"({_kept(f'AND bookmarks.status = {status:d}')})"
    for status in Status
    if status.novel == Status.FOLLOWING
)
KEPT_AS_FOLLOWING = Query(
    f"SELECT * FROM ({_PARTS}) AS parts ORDER BY moment DESC, story_id DESC LIMIT $4", Shelved
)


async def read(
    reads: Reads, user_id: int, after: Key, limit: int, *, merged: bool = False
) -> list[Shelved]:
    """What follows among the stories that are being read."""
    return await reads.all(READ_LAST if merged else READ, user_id, *after, limit)


async def kept(
    reads: Reads, user_id: int, after: Key, limit: int, *, merged: bool = False
) -> list[Shelved]:
    """What follows on the shelf."""
    return await reads.all(KEPT_LAST if merged else KEPT, user_id, *after, limit)


async def kept_as(
    reads: Reads, user_id: int, after: Key, limit: int, status: Status
) -> list[Shelved]:
    """What follows on the shelf with one status."""
    return await reads.all(KEPT_AS, user_id, *after, limit, status)


async def kept_as_following(reads: Reads, user_id: int, after: Key, limit: int) -> list[Shelved]:
    """What follows on the shelf that the novel API calls following."""
    return await reads.all(KEPT_AS_FOLLOWING, user_id, *after, limit)
