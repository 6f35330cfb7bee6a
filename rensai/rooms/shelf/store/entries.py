"""SQL of what is on reading lists."""

from collections.abc import Sequence

import msgspec

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.shelf.model.lists import GAP, Entry


class OnList(msgspec.Struct, frozen=True):
    """Which story is on which list."""

    list_id: int
    story_id: int


_ENTRY = "story_id, position, note, added_at"
FOLLOWING = Query(
    f"""
    SELECT {_ENTRY} FROM reading_list_entries
    WHERE list_id = $1 AND (position, story_id) > ($2::bigint, $3::bigint)
    ORDER BY position, story_id
    LIMIT $4
    """,
    Entry,
)
_ONE = Query(
    f"SELECT {_ENTRY} FROM reading_list_entries WHERE list_id = $1 AND story_id = $2", Entry
)
_LAST = Query(
    f"""
    SELECT {_ENTRY} FROM reading_list_entries
    WHERE list_id = $1
    ORDER BY position DESC, story_id DESC
    LIMIT 1
    """,
    Entry,
)
_ON_LISTS = Query(
    """
    SELECT list_id, story_id FROM reading_list_entries
    WHERE list_id = ANY($1::bigint [])
    """,
    OnList,
)
_INSERT = Command(
    """
    INSERT INTO reading_list_entries (list_id, story_id, position, note, added_at)
    SELECT $1, story_id, position, note, added_at
    FROM unnest($2::bigint [], $3::bigint [], $4::text [], $5::timestamptz [])
        AS given (story_id, position, note, added_at)
    ON CONFLICT DO NOTHING
    """
)
_UPDATE = Command(
    """
    UPDATE reading_list_entries SET position = $3, note = $4
    WHERE list_id = $1 AND story_id = $2
    """
)
_DELETE = Command("DELETE FROM reading_list_entries WHERE list_id = $1 AND story_id = $2")
_ARRANGE = Command(
    """
    WITH arranged AS (
        SELECT
            entries.story_id,
            row_number() OVER (
                ORDER BY coalesce(first.number, $4::bigint), entries.position, entries.story_id
            ) * $3::bigint AS position
        FROM reading_list_entries AS entries
        LEFT JOIN unnest($2::bigint []) WITH ORDINALITY AS first (story_id, number)
            USING (story_id)
        WHERE list_id = $1
    )
    UPDATE reading_list_entries SET position = arranged.position
    FROM arranged
    WHERE reading_list_entries.list_id = $1
        AND reading_list_entries.story_id = arranged.story_id
        AND reading_list_entries.position <> arranged.position
    """
)
_BEHIND_ALL = 2**62


async def following(reads: Reads, list_id: int, after: tuple[int, int], limit: int) -> list[Entry]:
    """What is on a list after a place, in its order."""
    return await reads.all(FOLLOWING, list_id, *after, limit)


async def one(reads: Reads, list_id: int, story_id: int) -> Entry | None:
    return await reads.first(_ONE, list_id, story_id)


async def last(reads: Reads, list_id: int) -> Entry | None:
    return await reads.first(_LAST, list_id)


async def on_lists(reads: Reads, list_ids: Sequence[int]) -> list[OnList]:
    """All that is on these lists."""
    return await reads.all(_ON_LISTS, list(list_ids))


async def insert(tx: Tx, list_id: int, entries: Sequence[Entry]) -> int:
    """Put stories on a list that are not there; how many that were."""
    return await tx.run(
        _INSERT,
        list_id,
        [one.story_id for one in entries],
        [one.position for one in entries],
        [one.note for one in entries],
        [one.added_at for one in entries],
    )


async def update(tx: Tx, list_id: int, entry: Entry) -> None:
    """Write the place and the note of an entry."""
    await tx.run(_UPDATE, list_id, entry.story_id, entry.position, entry.note)


async def delete(tx: Tx, list_id: int, story_id: int) -> bool:
    return await tx.run(_DELETE, list_id, story_id) > 0


async def arrange(tx: Tx, list_id: int, first: Sequence[int] = ()) -> None:
    """Place all entries with gaps again: these stories first, then the others as they were."""
    await tx.run(_ARRANGE, list_id, list(first), GAP, _BEHIND_ALL)
