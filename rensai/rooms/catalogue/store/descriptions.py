"""SQL of what an operator says of a story."""

import msgspec

from rensai.kit.db import Command, Query, Tx


class Described(msgspec.Struct, frozen=True):
    """What is said of a story; the order is that of the parameters."""

    age_rating: str | None
    tags: list[str]
    hidden_tags: list[str]


_HOLD = Query(
    """
    SELECT age_rating, tags, hidden_tags FROM stories
    WHERE id = $1 AND deleted_at IS NULL
    FOR NO KEY UPDATE
    """,
    Described,
)
_WRITE = Command("UPDATE stories SET age_rating = $2, tags = $3, hidden_tags = $4 WHERE id = $1")


async def hold(tx: Tx, story_id: int) -> Described | None:
    """What is said of a story, held until the transaction ends."""
    return await tx.first(_HOLD, story_id)


async def write(tx: Tx, story_id: int, said: Described) -> None:
    await tx.run(_WRITE, story_id, said.age_rating, said.tags, said.hidden_tags)
