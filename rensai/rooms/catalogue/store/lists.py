"""SQL of lists and counts."""

from collections.abc import Sequence
from datetime import datetime
from itertools import product

from rensai.kit.db import Query, Reads
from rensai.rooms.catalogue.model import Counts, ListedStory, Sort, SortKey
from rensai.rooms.catalogue.store.visible import warnings_of

_KEYS = {
    Sort.UPDATED: ("updated_at", "timestamptz"),
    Sort.POPULAR: ("popularity_score", "numeric"),
    Sort.NEWEST: ("coalesce(published_at, created_at)", "timestamptz"),
}

LISTED = f"""id, uid, kind, source, source_story_id, slug, title, title_original, author_name,
            authors, status, is_nsfw, age_rating, cover_url, language, original_language,
            chapter_count, word_count, last_chapter_no, view_count, follower_count, rating_avg,
            rating_count, popularity_score, published_at, updated_at_source, created_at, updated_at,
            {warnings_of()} AS warnings"""
"""The columns of a `ListedStory`."""

_SHOWN = "deleted_at IS NULL AND status IN (1, 2) AND is_public"

Shape = tuple[Sort, bool, bool, bool, bool]
"""The order; whether of one source, of one author, updated after, following a row."""


def _list(shape: Shape) -> Query[ListedStory]:
    """One list, which one index serves in its order: the key of every index ends in the id."""
    sort, *given = shape
    key, kind = _KEYS[sort]
    conditions = [_SHOWN]
    place = 2
    for is_given, condition in zip(
        given,
        (
            "source = $%d::text",
            "author_name = $%d::text",
            "updated_at > $%d::timestamptz",
            f"({key}, id) < ($%d::{kind}, $%d::bigint)",
        ),
        strict=True,
    ):
        if is_given:
            count = condition.count("%d")
            conditions.append(condition % tuple(range(place, place + count)))
            place += count
    return Query(
        f"""
        SELECT {LISTED}
        FROM stories
        WHERE {" AND ".join(conditions)}
        ORDER BY {key} DESC, id DESC
        LIMIT $1
        """,
        ListedStory,
    )


_EITHER = (False, True)
LISTS: dict[Shape, Query[ListedStory]] = {
    shape: _list(shape)
    for shape in product(Sort, _EITHER, _EITHER, _EITHER, _EITHER)
    # No index holds two orders at once.
    if shape[0] is Sort.UPDATED or not shape[3]
}

SOME = Query(
    f"""
    SELECT {LISTED}
    FROM stories
    WHERE id = ANY($1::bigint []) AND {_SHOWN}
    """,
    ListedStory,
)

# Chapters are added up from what recounts have written, not counted one by one.
_COUNTS = Query(
    f"""
    SELECT count(*) AS stories, coalesce(sum(chapter_count), 0)::bigint AS chapters
    FROM stories
    WHERE {_SHOWN}
    """,
    Counts,
)


async def listed(
    reads: Reads,
    sort: Sort,
    *,
    source: str | None,
    author: str | None,
    updated_after: datetime | None,
    after: SortKey | None,
    limit: int,
) -> list[ListedStory]:
    """The public stories that follow `after` in that order."""
    filters = (source, author, updated_after)
    shape = (sort, source is not None, author is not None, updated_after is not None)
    query = LISTS[*shape, after is not None]
    given = [value for value in filters if value is not None]
    return await reads.all(query, limit, *given, *(after or ()))


async def listed_of(reads: Reads, story_ids: Sequence[int]) -> dict[int, ListedStory]:
    """Those of the stories that lists show."""
    return {story.id: story for story in await reads.all(SOME, list(story_ids))}


async def counts(reads: Reads) -> Counts:
    return await reads.first(_COUNTS) or Counts(0, 0)
