"""SQL of what readers do not want to see."""

from collections.abc import Sequence

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.readers.model.mutes import Muted, MutesOf

# Only who leaves something out has a row here, so that asking costs the others nothing.
_MUTES_OF = Query(
    """
    SELECT reader_settings.user_id, reader_settings.mutes_version AS version,
        coalesce(array_agg(mutes.value) FILTER (WHERE mutes.kind = 'tag'), '{}') AS tags,
        coalesce(array_agg(mutes.value) FILTER (WHERE mutes.kind = 'genre'), '{}') AS genres,
        coalesce(array_agg(mutes.value) FILTER (WHERE mutes.kind = 'author'), '{}') AS authors,
        coalesce(array_agg(mutes.value) FILTER (WHERE mutes.kind = 'warning'), '{}') AS terms,
        coalesce(NOT reader_settings.show_adult, false) AS hide_adult
    FROM reader_settings LEFT JOIN mutes ON mutes.user_id = reader_settings.user_id
    WHERE reader_settings.user_id = ANY($1::bigint [])
        AND (reader_settings.mute_count > 0 OR NOT reader_settings.show_adult)
    GROUP BY reader_settings.user_id
    """,
    MutesOf,
)
# At most 500, so a list of them needs no pages.
_LIST = Query(
    "SELECT kind, value, created_at FROM mutes WHERE user_id = $1 ORDER BY kind, folded", Muted
)
_COUNT = Query("SELECT mute_count FROM reader_settings WHERE user_id = $1", int)
_ADD = Query(
    """
    INSERT INTO mutes (user_id, kind, folded, value, created_at)
    SELECT $1, sent.kind, sent.folded, sent.value, sent.created_at
    FROM unnest($2::text [], $3::text [], $4::text [], $5::timestamptz [])
        AS sent (kind, folded, value, created_at)
    ON CONFLICT DO NOTHING
    RETURNING value
    """,
    str,
)
_REMOVE = Command("DELETE FROM mutes WHERE user_id = $1 AND kind = $2 AND folded = $3")
_CHANGED = Command(
    """
    UPDATE reader_settings
    SET mute_count = mute_count + $2, mutes_version = mutes_version + 1
    WHERE user_id = $1
    """
)


async def mutes_by_reader(reads: Reads, user_ids: list[int]) -> dict[int, MutesOf]:
    """What each of these leaves out; those who leave out nothing are not in it."""
    return {row.user_id: row for row in await reads.all(_MUTES_OF, user_ids)}


async def listed(reads: Reads, user_id: int) -> list[Muted]:
    return await reads.all(_LIST, user_id)


async def count(reads: Reads, user_id: int) -> int:
    """How many mutes there are: for sure, while the settings are held."""
    return await reads.first(_COUNT, user_id) or 0


async def add(tx: Tx, user_id: int, mutes: Sequence[Muted]) -> int:
    """Add what is not there yet; says how many that was."""
    columns = (
        [one.kind for one in mutes],
        [folded(one.value) for one in mutes],
        [one.value for one in mutes],
        [one.created_at for one in mutes],
    )
    added = len(await tx.all(_ADD, user_id, *columns))
    if added:
        await tx.run(_CHANGED, user_id, added)
    return added


async def remove(tx: Tx, user_id: int, kind: str, value: str) -> bool:
    """Take one away; False when it was not there."""
    removed = await tx.run(_REMOVE, user_id, kind, folded(value)) > 0
    if removed:
        await tx.run(_CHANGED, user_id, -1)
    return removed


def folded(value: str) -> str:
    """What makes two values the same one."""
    return " ".join(value.casefold().split())
