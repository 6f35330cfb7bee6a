"""SQL of what readers have set for themselves."""

from rensai.kit.db import Query, Reads

_OF_AGE = Query(
    """
    SELECT user_id FROM reader_settings
    WHERE user_id = ANY($1::bigint []) AND of_age_since IS NOT NULL
    """,
    int,
)


async def of_age(reads: Reads, user_ids: list[int]) -> dict[int, bool]:
    """Those of these who have said that they are of age."""
    return dict.fromkeys(await reads.all(_OF_AGE, user_ids), True)
