"""SQL of one chapter with its body and its neighbours."""

from rensai.kit.db import Query, Reads
from rensai.rooms.catalogue.model.reading import ChapterRow
from rensai.rooms.catalogue.store.visible import visible_chapter, warnings_of


def _neighbour(follows: str, order: str) -> str:
    """The nearest chapter with another number, in the language that is being read."""
    return f"""
        SELECT other.id, other.uid, other.chapter_no, other.slug, other.title
        FROM chapters AS other
        WHERE
            other.story_id = chapters.story_id AND other.is_published
            AND other.deleted_at IS NULL AND other.language = chapters.language
            AND other.chapter_no {follows} chapters.chapter_no
        ORDER BY other.chapter_no {order}, other.id {order}
        LIMIT 1"""


_CHAPTER = Query(
    f"""
    SELECT
        chapters.id, chapters.uid, chapters.story_id, stories.cache_version,
        stories.uid AS story_uid, stories.kind, stories.source, stories.slug AS story_slug,
        stories.title AS story_title, stories.is_nsfw, stories.age_rating,
        {warnings_of()} AS warnings,
        chapters.source_chapter_id,
        chapters.chapter_no::float8 AS chapter_no, chapters.number_label, chapters.volume_label,
        chapters.slug, chapters.title, chapters.language, chapters.page_count, chapters.word_count,
        chapters.read_count, chapters.group_id, groups.slug AS group_slug,
        groups.name AS group_name, chapters.published_at, chapters.updated_at_source,
        chapters.created_at, chapters.updated_at,
        content_raw, content_html, content_hash, content_size, content_encoding,
        previous.id AS previous_id, previous.uid AS previous_uid,
        previous.chapter_no::float8 AS previous_no, previous.slug AS previous_slug,
        previous.title AS previous_title,
        next.id AS next_id, next.uid AS next_uid, next.chapter_no::float8 AS next_no,
        next.slug AS next_slug, next.title AS next_title
    FROM chapters
    JOIN stories ON stories.id = chapters.story_id
    LEFT JOIN groups ON groups.id = chapters.group_id
    LEFT JOIN chapter_bodies ON $2::boolean AND chapter_bodies.chapter_id = chapters.id
    LEFT JOIN LATERAL ({_neighbour("<", "DESC")}) AS previous ON true
    LEFT JOIN LATERAL ({_neighbour(">", "ASC")}) AS next ON true
    WHERE chapters.id = $1 AND {visible_chapter()}
    """,
    ChapterRow,
)


async def chapter(reads: Reads, chapter_id: int, *, with_content: bool) -> ChapterRow | None:
    return await reads.first(_CHAPTER, chapter_id, with_content)
