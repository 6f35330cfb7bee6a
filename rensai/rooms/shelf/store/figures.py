"""SQL of what a story's ratings come to."""

from collections.abc import Mapping, Sequence

import msgspec

from rensai.kit.db import Command, Query, Reads, Tx


class Tally(msgspec.Struct, frozen=True):
    """How many ratings of one score a story has."""

    story_id: int
    score: int
    count: int


# Reads the index that ends in more than it needs, and no row: see the plan in the tests.
COUNT = Query(
    """
    SELECT story_id, score, count(*)::integer AS count FROM ratings
    WHERE story_id = ANY($1::bigint [])
    GROUP BY story_id, score
    """,
    Tally,
)
_RECORD = Command(
    """
    INSERT INTO rating_summaries AS known (story_id, distribution)
    SELECT given.story_id, string_to_array(given.distribution, ',')::integer []
    FROM unnest($1::bigint [], $2::text []) AS given (story_id, distribution)
    ORDER BY given.story_id
    ON CONFLICT (story_id) DO UPDATE SET distribution = excluded.distribution
    WHERE known.distribution <> excluded.distribution
    """
)
_CLEAR = Command("DELETE FROM rating_summaries WHERE story_id = ANY($1::bigint [])")
_SUMMARY = Query(
    "SELECT unnest(distribution) AS count FROM rating_summaries WHERE story_id = $1", int
)


async def count(reads: Reads, story_ids: Sequence[int]) -> list[Tally]:
    return await reads.all(COUNT, list(story_ids))


async def record(tx: Tx, distributions: Mapping[int, Sequence[int]]) -> None:
    """Write how the ratings of these stories spread; most stories have none, and no row."""
    texts = {
        id_: ",".join(map(str, counts)) for id_, counts in distributions.items() if any(counts)
    }
    unrated = [story_id for story_id in distributions if story_id not in texts]
    if texts:
        await tx.run(_RECORD, list(texts), list(texts.values()))
    if unrated:
        await tx.run(_CLEAR, unrated)


async def summary(reads: Reads, story_id: int) -> list[int]:
    """How the ratings of a story spread; empty when they have never been counted."""
    return await reads.all(_SUMMARY, story_id)
