"""What stands in the catalogue after a push."""

import msgspec

from rensai.kit.db import Database, Query


class Standing(msgspec.Struct, frozen=True):
    """How many stories and chapters there are, and how many of them are not the same as another."""

    stories: int
    chapters: int
    bodies: int
    requests: int
    open_jobs: int


_STANDING = Query(
    """
    SELECT (SELECT count(*) FROM stories) AS stories, (SELECT count(*) FROM chapters) AS chapters,
        (SELECT count(*) FROM chapter_bodies) AS bodies,
        (SELECT count(*) FROM ingest_requests) AS requests,
        (SELECT count(*) FROM ingest_jobs WHERE status <> 2) AS open_jobs
    """,
    Standing,
)


async def standing(database: Database) -> Standing:
    """What there is now."""
    found = await database.primary.first(_STANDING)
    assert found is not None
    return found
