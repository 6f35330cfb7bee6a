"""SQL of what one source has here."""

from rensai.kit.db import Query, Reads
from rensai.rooms.catalogue.model import Counts

_HELD = Query(
    """
    SELECT count(DISTINCT stories.id) AS stories, count(chapters.id) AS chapters
    FROM stories LEFT JOIN chapters ON chapters.story_id = stories.id
    WHERE stories.source = $1
    """,
    Counts,
)
_IDS = Query("SELECT id FROM stories WHERE source = $1 ORDER BY id", int)


async def held(reads: Reads, source: str) -> Counts:
    return await reads.first(_HELD, source) or Counts(0, 0)


async def ids(reads: Reads, source: str) -> list[int]:
    return await reads.all(_IDS, source)
