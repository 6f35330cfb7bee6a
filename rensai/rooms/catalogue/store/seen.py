"""SQL of the small lookups that come before every answer: can it be read, and how does it stand.

Each takes many keys, because those who ask at the same moment are answered together.
"""

from collections.abc import Mapping
from uuid import UUID

from rensai.kit.db import Query, Reads
from rensai.rooms.catalogue.model import LOCAL
from rensai.rooms.catalogue.model.reading import SeenChapter, SeenStory
from rensai.rooms.catalogue.store.visible import is_adult, visible, visible_chapter


class _ByAddress(SeenStory, frozen=True):
    source: str
    slug: str


class _ByUid(SeenChapter, frozen=True):
    uid: UUID


class _StoryByUid(SeenStory, frozen=True):
    uid: UUID


_STORY = """stories.id, cache_version, view_count, follower_count, rating_count,
    stories.updated_at_source"""
_CHAPTER = f"""chapters.id, story_id, cache_version, read_count, chapters.updated_at_source,
    chapters.chapter_no::float8 AS chapter_no, stories.uid AS story_uid, {is_adult()} AS is_adult"""
_STORIES = Query(
    f"SELECT {_STORY} FROM stories WHERE id = ANY($1::bigint []) AND {visible()}",
    SeenStory,
)
_ADDRESSES = Query(
    f"""
    SELECT {_STORY}, source, slug
    FROM unnest($1::text [], $2::text []) AS wanted (source, slug)
    JOIN stories USING (source, slug)
    WHERE {visible()}
    """,
    _ByAddress,
)
_STORY_UIDS = Query(
    f"SELECT {_STORY}, uid FROM stories WHERE uid = ANY($1::uuid []) AND {visible()}",
    _StoryByUid,
)
_CHAPTERS = Query(
    f"""
    SELECT {_CHAPTER}
    FROM chapters JOIN stories ON stories.id = chapters.story_id
    WHERE chapters.id = ANY($1::bigint []) AND {visible_chapter()}
    """,
    SeenChapter,
)
_UIDS = Query(
    f"""
    SELECT {_CHAPTER}, chapters.uid
    FROM chapters JOIN stories ON stories.id = chapters.story_id
    WHERE chapters.uid = ANY($1::uuid []) AND {visible_chapter()}
    """,
    _ByUid,
)
# Only what everybody could read before may be told to be gone.
_OPEN = "stories.status IN (1, 2, 3, 4) AND stories.is_public AND stories.source = $1"
_GONE_STORY = Query(
    f"""
    SELECT EXISTS (
        SELECT FROM stories WHERE {_OPEN} AND slug = $2 AND deleted_at IS NOT NULL
    ) AS is_gone
    """,
    bool,
)
_GONE_CHAPTER = Query(
    f"""
    SELECT EXISTS (
        SELECT FROM chapters JOIN stories ON stories.id = chapters.story_id
        WHERE {_OPEN} AND chapters.uid = $2 AND chapters.is_published
            AND (chapters.deleted_at IS NOT NULL OR stories.deleted_at IS NOT NULL)
    ) AS is_gone
    """,
    bool,
)


async def stories(reads: Reads, ids: list[int]) -> Mapping[int, SeenStory]:
    return {row.id: row for row in await reads.all(_STORIES, ids)}


async def stories_at(
    reads: Reads, addresses: list[tuple[str, str]]
) -> Mapping[tuple[str, str], SeenStory]:
    """By source and slug."""
    rows = await reads.all(
        _ADDRESSES, [source for source, _ in addresses], [s for _, s in addresses]
    )
    return {(row.source, row.slug): row for row in rows}


async def stories_of_uid(reads: Reads, uids: list[UUID]) -> Mapping[UUID, SeenStory]:
    return {row.uid: row for row in await reads.all(_STORY_UIDS, uids)}


async def chapters(reads: Reads, ids: list[int]) -> Mapping[int, SeenChapter]:
    return {row.id: row for row in await reads.all(_CHAPTERS, ids)}


async def chapters_of_uid(reads: Reads, uids: list[UUID]) -> Mapping[UUID, SeenChapter]:
    return {row.uid: row for row in await reads.all(_UIDS, uids)}


async def is_gone_story(reads: Reads, slug: str) -> bool:
    """Whether a story from here could be read under this slug, and has been removed."""
    return bool(await reads.first(_GONE_STORY, LOCAL, slug))


async def is_gone_chapter(reads: Reads, uid: UUID) -> bool:
    """Whether a chapter from here could be read, and was removed by itself or with its story."""
    return bool(await reads.first(_GONE_CHAPTER, LOCAL, uid))
