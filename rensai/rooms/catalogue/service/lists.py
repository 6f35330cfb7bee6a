"""Lists of stories, and how much there is to read."""

from rensai.kit.db import Reads
from rensai.rooms.catalogue.model import Counts, ListedStory, Sort, SortKey
from rensai.rooms.catalogue.store import lists as store


async def list_stories(
    reads: Reads,
    *,
    sort: Sort = Sort.UPDATED,
    source: str | None = None,
    after: SortKey | None = None,
    limit: int,
) -> list[ListedStory]:
    """Public stories in that order, and one more than `limit` when there are more."""
    return await store.listed(reads, sort, source=source, after=after, limit=limit + 1)


async def count_public(reads: Reads) -> Counts:
    """How much a visitor can read here."""
    return await store.counts(reads)
