"""SQL of which stories have which terms."""

from collections.abc import Sequence

from rensai.kit.db import Command, Query, Tx

_OF_STORY = Query(
    """
    SELECT term_id FROM story_terms JOIN terms ON terms.id = story_terms.term_id
    WHERE story_id = $1 AND terms.taxonomy_id = $2
    """,
    int,
)
_TAKE = Command(
    "DELETE FROM story_terms WHERE story_id = ANY($1::bigint []) AND term_id = ANY($2::bigint [])"
)
_TAKE_ALL = Command(
    """
    DELETE FROM story_terms USING terms
    WHERE terms.id = story_terms.term_id AND terms.taxonomy_id = $2
        AND story_id = ANY($1::bigint [])
    """
)
_GIVE = Command(
    """
    INSERT INTO story_terms (story_id, term_id)
    SELECT $1, term_id FROM unnest($2::bigint []) AS given (term_id)
    """
)
OF_TERM = Query(
    """
    SELECT story_id FROM story_terms WHERE term_id = $1 AND story_id > $2
    ORDER BY story_id
    LIMIT $3
    """,
    int,
)


async def of_story(tx: Tx, story_id: int, taxonomy_id: int) -> list[int]:
    """The terms of one taxonomy that a story has."""
    return await tx.all(_OF_STORY, story_id, taxonomy_id)


async def take(tx: Tx, story_ids: Sequence[int], term_ids: Sequence[int]) -> None:
    """Let these stories no longer have these terms."""
    await tx.run(_TAKE, story_ids, term_ids)


async def take_all(tx: Tx, story_ids: Sequence[int], taxonomy_id: int) -> None:
    """Let these stories have no term of a taxonomy any more."""
    await tx.run(_TAKE_ALL, story_ids, taxonomy_id)


async def give(tx: Tx, story_id: int, term_ids: Sequence[int]) -> None:
    """Let a story have these terms, which it has not got."""
    await tx.run(_GIVE, story_id, term_ids)


async def of_term(tx: Tx, term_id: int, *, after: int, limit: int) -> list[int]:
    """The next stories that have a term."""
    return await tx.all(OF_TERM, term_id, after, limit)
