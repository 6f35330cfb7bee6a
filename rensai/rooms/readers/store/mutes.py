"""SQL of what readers do not want to see."""

from rensai.kit.db import Query, Reads
from rensai.rooms.readers.model.mutes import MutesOf

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


async def mutes_by_reader(reads: Reads, user_ids: list[int]) -> dict[int, MutesOf]:
    """What each of these leaves out; those who leave out nothing are not in it."""
    return {row.user_id: row for row in await reads.all(_MUTES_OF, user_ids)}
