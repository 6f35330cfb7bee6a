"""SQL of the policies of sources, and of writing them onto stories."""

from datetime import datetime

import msgspec

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.catalogue.model import Policy


class Known(msgspec.Struct, frozen=True):
    """A policy as it stands."""

    is_public: bool
    rights: str


_FIND = Query("SELECT is_public, rights FROM source_policies WHERE source = $1", Known)
_WRITE = Command(
    """
    INSERT INTO source_policies (source, is_public, rights, updated_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (source) DO UPDATE SET
        is_public = excluded.is_public,
        rights = excluded.rights,
        updated_at = excluded.updated_at
    """
)
_CLEAR = Command("DELETE FROM source_policies WHERE source = $1")
UNLIKE = Query(
    """
    SELECT id FROM stories
    WHERE source = $1 AND id > $2 AND is_public <> $3
    ORDER BY id
    LIMIT $4
    FOR NO KEY UPDATE
    """,
    int,
)
_FLIP = Command(
    """
    UPDATE stories SET is_public = $2, cache_version = cache_version + 1
    WHERE id = ANY($1::bigint [])
    """
)
# From one source to the next by the index, since there are few of them and many stories; those
# without a policy are not counted.
LIST = Query(
    """
    WITH RECURSIVE sources AS (
        (SELECT source FROM stories ORDER BY source LIMIT 1)
        UNION ALL
        SELECT (
            SELECT stories.source FROM stories WHERE stories.source > sources.source
            ORDER BY stories.source
            LIMIT 1
        ) FROM sources WHERE sources.source IS NOT NULL
    ), known AS (
        SELECT source FROM sources WHERE source IS NOT NULL
        UNION
        SELECT source FROM source_policies
    )
    SELECT
        known.source,
        coalesce(source_policies.is_public, true) AS is_public,
        coalesce(source_policies.rights, '') AS rights,
        source_policies.updated_at,
        counted.stories,
        counted.unlike
    FROM known
    LEFT JOIN source_policies ON source_policies.source = known.source
    LEFT JOIN LATERAL (
        SELECT
            count(*) AS stories,
            count(*) FILTER (WHERE stories.is_public <> source_policies.is_public) AS unlike
        FROM stories
        WHERE stories.source = known.source
        HAVING source_policies.source IS NOT NULL
    ) AS counted ON true
    ORDER BY known.source
    """,
    Policy,
)


async def find(tx: Tx, source: str) -> Known | None:
    return await tx.first(_FIND, source)


async def write(tx: Tx, source: str, policy: Known, now: datetime) -> None:
    await tx.run(_WRITE, source, policy.is_public, policy.rights, now)


async def clear(tx: Tx, source: str) -> bool:
    """Forget a policy; whether there was one."""
    return await tx.run(_CLEAR, source) > 0


async def unlike(tx: Tx, source: str, *, is_public: bool, after: int, limit: int) -> list[int]:
    """The next stories of a source that are not what they are to be, held."""
    return await tx.all(UNLIKE, source, after, is_public, limit)


async def flip(tx: Tx, story_ids: list[int], *, is_public: bool) -> None:
    await tx.run(_FLIP, story_ids, is_public)


async def every(reads: Reads) -> list[Policy]:
    return await reads.all(LIST)
