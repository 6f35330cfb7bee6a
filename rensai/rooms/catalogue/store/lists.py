"""SQL of lists and counts."""

from rensai.kit.db import Query, Reads
from rensai.rooms.catalogue.model import Counts, ListedStory, Sort, SortKey

_NEWEST = "coalesce(published_at, created_at)"
_KEYS = {
    Sort.UPDATED: ("updated_at", "timestamptz"),
    Sort.POPULAR: ("popularity_score", "numeric"),
    Sort.NEWEST: (_NEWEST, "timestamptz"),
}


def _list(sort: Sort, *, by_source: bool, after: bool) -> Query[ListedStory]:
    """One list, which one index serves in its order: the key of every index ends in the id."""
    key, kind = _KEYS[sort]
    conditions = ["deleted_at IS NULL", "status IN (1, 2)", "is_public"]
    if after:
        conditions.append(f"({key}, id) < ($2::{kind}, $3::bigint)")
    if by_source:
        conditions.append(f"source = ${4 if after else 2}")
    return Query(
        f"""
        SELECT id, uid, kind, source, slug, title, authors, status, is_nsfw, cover_url, language,
            original_language, chapter_count, last_chapter_no, follower_count, rating_avg,
            popularity_score, {_NEWEST} AS newest_at, created_at, updated_at
        FROM stories
        WHERE {" AND ".join(conditions)}
        ORDER BY {key} DESC, id DESC
        LIMIT $1
        """,
        ListedStory,
    )


LISTS = {
    (sort, by_source, after): _list(sort, by_source=by_source, after=after)
    for sort in Sort
    for by_source in (False, True)
    for after in (False, True)
}

# Chapters are added up from what recounts have written, not counted one by one.
_COUNTS = Query(
    """
    SELECT count(*) AS stories, coalesce(sum(chapter_count), 0)::bigint AS chapters
    FROM stories
    WHERE deleted_at IS NULL AND status IN (1, 2) AND is_public
    """,
    Counts,
)


async def listed(
    reads: Reads, sort: Sort, *, source: str | None, after: SortKey | None, limit: int
) -> list[ListedStory]:
    """The public stories that follow `after` in that order."""
    query = LISTS[sort, source is not None, after is not None]
    rest = () if source is None else (source,)
    return await reads.all(query, limit, *(after or ()), *rest)


async def counts(reads: Reads) -> Counts:
    return await reads.first(_COUNTS) or Counts(0, 0)
