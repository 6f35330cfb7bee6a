"""SQL of groups of translations."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from rensai.kit.db import Command, Query, Tx


class Member(msgspec.Struct, frozen=True):
    """A story, and the group that it is in."""

    id: int
    group: UUID | None
    is_deleted: bool


# Groups are few and changed by hand: one after another, so that nobody merges what another parts.
_LOCK = Query("SELECT pg_advisory_xact_lock(7310576410911004)::text AS locked", str)
MEMBERS = Query(
    """
    SELECT id, translation_group AS "group", deleted_at IS NOT NULL AS is_deleted
    FROM stories
    WHERE id = ANY(ARRAY(
        SELECT unnest($1::bigint [])
        UNION
        SELECT others.id FROM stories AS named
        JOIN stories AS others ON others.translation_group = named.translation_group
        WHERE named.id = ANY($1::bigint []) AND named.translation_group IS NOT NULL
            AND others.translation_group IS NOT NULL
    ))
    ORDER BY id
    FOR NO KEY UPDATE
    """,
    Member,
)
_MOVE = Command("UPDATE stories SET translation_group = $2 WHERE id = ANY($1::bigint [])")


async def lock(tx: Tx) -> None:
    """Be the only one who changes groups until the transaction ends."""
    await tx.first(_LOCK)


async def members(tx: Tx, story_ids: Sequence[int]) -> list[Member]:
    """These stories and everything in their groups, held."""
    return await tx.all(MEMBERS, story_ids)


async def move(tx: Tx, story_ids: Sequence[int], group: UUID | None) -> None:
    """Put stories into a group, or into none."""
    await tx.run(_MOVE, story_ids, group)
