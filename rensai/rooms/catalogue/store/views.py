"""SQL of views and reads: adding up, once for each id, and asking for them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from rensai.kit.db import Command, Query, Reads, Tx


class Viewed(msgspec.Struct, frozen=True):
    """A story, and how often it was looked at."""

    id: int
    view_count: int


_BEGIN = Query(
    """
    INSERT INTO view_flushes (id, flushed_at) VALUES ($1, $2)
    ON CONFLICT DO NOTHING
    RETURNING id
    """,
    UUID,
)
# Whoever writes to chapters holds their stories, and everybody takes stories in this order.
HOLD_STORIES = Query(
    """
    SELECT id FROM stories
    WHERE id = ANY(
        $1::bigint [] || ARRAY(SELECT story_id FROM chapters WHERE id = ANY($2::bigint []))
    )
    ORDER BY id
    FOR NO KEY UPDATE
    """,
    int,
)
_ADD_VIEWS = Command(
    """
    UPDATE stories SET view_count = view_count + given.views
    FROM unnest($1::bigint [], $2::bigint []) AS given (id, views)
    WHERE stories.id = given.id
    """
)
_ADD_READS = Command(
    """
    UPDATE chapters SET read_count = read_count + given.reads
    FROM unnest($1::bigint [], $2::bigint []) AS given (id, reads)
    WHERE chapters.id = given.id
    """
)
_FORGET = Command(
    """
    DELETE FROM view_flushes WHERE id IN (
        SELECT id FROM view_flushes WHERE flushed_at < $1
        ORDER BY flushed_at
        LIMIT 1000
        FOR UPDATE SKIP LOCKED
    )
    """
)
VIEWS = Query("SELECT id, view_count FROM stories WHERE id = ANY($1::bigint [])", Viewed)


async def begin(tx: Tx, flush_id: UUID, now: datetime) -> bool:
    """Whether nothing was written under this id before."""
    return await tx.first(_BEGIN, flush_id, now) is not None


async def add(tx: Tx, stories: Mapping[int, int], chapters: Mapping[int, int]) -> None:
    """Add to what has been counted; what is not there any more is passed over."""
    await tx.all(HOLD_STORIES, list(stories), list(chapters))
    if stories:
        await tx.run(_ADD_VIEWS, list(stories), list(stories.values()))
    if chapters:
        await tx.run(_ADD_READS, list(chapters), list(chapters.values()))


async def forget(tx: Tx, before: datetime) -> None:
    """Forget ids that nobody will try again."""
    await tx.run(_FORGET, before)


async def views_of(reads: Reads, story_ids: Sequence[int]) -> dict[int, int]:
    """How often each of these stories was looked at."""
    return {row.id: row.view_count for row in await reads.all(VIEWS, list(story_ids))}
