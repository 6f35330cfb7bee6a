"""SQL of holding stories, and of noting that they have changed."""

from collections.abc import Sequence

from rensai.kit.db import Command, Query, Reads, Tx

# In the order of the ids, as everybody locks stories: nobody waits in a circle.
_HOLD = Query(
    """
    SELECT id FROM stories
    WHERE id = ANY($1::bigint []) AND deleted_at IS NULL
    ORDER BY id
    FOR NO KEY UPDATE
    """,
    int,
)
_CHANGED = Command(
    "UPDATE stories SET cache_version = cache_version + 1 WHERE id = ANY($1::bigint [])"
)
_FIND = Query("SELECT id FROM stories WHERE source = $1 AND slug = $2 AND deleted_at IS NULL", int)
OTHER_TRANSLATIONS = Query(
    """
    SELECT DISTINCT others.id
    FROM stories
    JOIN stories AS others ON others.translation_group = stories.translation_group
    WHERE stories.id = ANY($1::bigint []) AND stories.translation_group IS NOT NULL
        AND others.translation_group IS NOT NULL AND others.id <> ALL($1::bigint [])
    ORDER BY others.id
    """,
    int,
)


async def hold(tx: Tx, story_ids: Sequence[int]) -> list[int]:
    """Be the only one who writes to these stories; those that there are, in order."""
    return await tx.all(_HOLD, story_ids)


async def raise_versions(tx: Tx, story_ids: Sequence[int]) -> None:
    """Note that something about these stories is different now."""
    await tx.run(_CHANGED, story_ids)


async def find(reads: Reads, source: str, slug: str) -> int | None:
    return await reads.first(_FIND, source, slug)


async def other_translations(reads: Reads, story_ids: Sequence[int]) -> list[int]:
    """The stories that are translations of these and are not among them."""
    return await reads.all(OTHER_TRANSLATIONS, story_ids)
