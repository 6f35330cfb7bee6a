"""SQL of what other rooms show of stories and chapters that they name, and of finding those."""

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from rensai.kit.db import Query, Reads
from rensai.rooms.catalogue.model import ListedStory
from rensai.rooms.catalogue.model.reading import ChapterCard
from rensai.rooms.catalogue.store.lists import LISTED
from rensai.rooms.catalogue.store.visible import visible, visible_chapter


class FoundStory(msgspec.Struct, frozen=True):
    """Which story has an address."""

    source: str
    slug: str
    id: int


class FoundChapter(msgspec.Struct, frozen=True):
    """Which chapter stands at a place."""

    story_id: int
    chapter_no: Decimal
    language: str
    id: int


STORIES = Query(
    f"SELECT {LISTED} FROM stories WHERE id = ANY($1::bigint []) AND {visible()}",
    ListedStory,
)
CHAPTERS = Query(
    f"""
    SELECT
        chapters.id, chapters.uid, story_id, stories.uid AS story_uid, source,
        stories.slug AS story_slug, stories.title AS story_title,
        chapter_no::float8 AS chapter_no, number_label, chapters.slug, chapters.title,
        chapters.language
    FROM chapters JOIN stories ON stories.id = chapters.story_id
    WHERE chapters.id = ANY($1::bigint []) AND {visible_chapter()}
    """,
    ChapterCard,
)
AT_ADDRESSES = Query(
    f"""
    SELECT source, slug, id
    FROM unnest($1::text [], $2::text []) AS wanted (source, slug)
    JOIN stories USING (source, slug)
    WHERE {visible()}
    """,
    FoundStory,
)
# Where several groups have brought the same number, the one that came first.
AT_PLACES = Query(
    f"""
    SELECT wanted.story_id, wanted.chapter_no, wanted.language, found.id
    FROM unnest($1::bigint [], $2::numeric [], $3::text [])
        AS wanted (story_id, chapter_no, language)
    CROSS JOIN LATERAL (
        SELECT chapters.id
        FROM chapters JOIN stories ON stories.id = chapters.story_id
        WHERE chapters.story_id = wanted.story_id AND chapters.chapter_no = wanted.chapter_no
            AND chapters.language = wanted.language AND {visible_chapter()}
        ORDER BY chapters.id
        LIMIT 1
    ) AS found
    """,
    FoundChapter,
)


async def stories(reads: Reads, ids: Sequence[int]) -> list[ListedStory]:
    return await reads.all(STORIES, ids)


async def chapters(reads: Reads, ids: Sequence[int]) -> list[ChapterCard]:
    return await reads.all(CHAPTERS, ids)


async def at_addresses(reads: Reads, addresses: Sequence[tuple[str, str]]) -> list[FoundStory]:
    """By source and slug."""
    return await reads.all(AT_ADDRESSES, [one for one, _ in addresses], [s for _, s in addresses])


async def at_places(reads: Reads, places: Sequence[tuple[int, Decimal, str]]) -> list[FoundChapter]:
    """By story, number and language."""
    story_ids, numbers, languages = zip(*places, strict=True)
    return await reads.all(AT_PLACES, story_ids, numbers, languages)
