"""SQL of the names of stories and chapters."""

from collections.abc import Sequence

from rensai.kit.db import Query, Reads
from rensai.rooms.catalogue.model.mentions import ChapterMention, StoryMention
from rensai.rooms.catalogue.store.visible import visible, visible_chapter

_STORIES = Query(
    f"""
    SELECT id, uid, source, slug, title, {visible()} AS is_visible
    FROM stories WHERE id = ANY($1::bigint [])
    """,
    StoryMention,
)
_CHAPTERS = Query(
    f"""
    SELECT chapters.id, chapters.uid, story_id, chapter_no AS number, chapters.language,
        chapters.slug, chapters.title, {visible_chapter()} AS is_visible
    FROM chapters JOIN stories ON stories.id = chapters.story_id
    WHERE chapters.id = ANY($1::bigint [])
    """,
    ChapterMention,
)


async def stories(reads: Reads, ids: Sequence[int]) -> list[StoryMention]:
    return await reads.all(_STORIES, list(ids))


async def chapters(reads: Reads, ids: Sequence[int]) -> list[ChapterMention]:
    return await reads.all(_CHAPTERS, list(ids))
