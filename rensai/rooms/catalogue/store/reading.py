"""SQL of one story and of its table of contents."""

from decimal import Decimal

from rensai.kit.db import Query, Reads
from rensai.rooms.catalogue.model.reading import (
    ChapterEnd,
    ChapterSpan,
    ListedChapter,
    StoryRow,
)
from rensai.rooms.catalogue.store.visible import visible

_STORY = Query(
    f"""
    SELECT
        id, uid, cache_version, kind, source, source_story_id, slug, title, title_original,
        author_name, authors, artists, tags, year, status, reading_direction, is_nsfw, age_rating,
        cover_url, summary, language, original_language, translation_group, chapter_count,
        word_count, last_chapter_no::float8 AS last_chapter_no,
        popularity_score::float8 AS popularity_score, rating_avg::float8 AS rating_avg,
        rating_count, view_count, follower_count, published_at, updated_at_source, created_at,
        updated_at,
        ARRAY(SELECT alias FROM story_aliases WHERE story_id = stories.id ORDER BY id) AS aliases,
        ARRAY(
            SELECT ARRAY[genres.slug, genres.name]
            FROM story_genres JOIN genres ON genres.id = story_genres.genre_id
            WHERE story_genres.story_id = stories.id
            ORDER BY genres.slug
        ) AS genres,
        ARRAY(
            SELECT ARRAY[taxonomies.slug, terms.slug, terms.name]
            FROM story_terms
            JOIN terms ON terms.id = story_terms.term_id
            JOIN taxonomies ON taxonomies.id = terms.taxonomy_id
            WHERE story_terms.story_id = stories.id
            ORDER BY taxonomies.slug, terms.slug
        ) AS terms
    FROM stories
    WHERE id = $1 AND {visible()}
    """,
    StoryRow,
)


def _end(order: str) -> Query[ChapterEnd]:
    return Query(
        f"""
        SELECT id, uid, chapter_no::float8 AS chapter_no, slug, title, word_count, published_at
        FROM chapters
        WHERE story_id = $1 AND is_published AND deleted_at IS NULL
        ORDER BY chapters.chapter_no {order}, chapters.id {order}
        LIMIT 1
        """,
        ChapterEnd,
    )


_FIRST = _end("ASC")
_LATEST = _end("DESC")

# Beyond every number that a chapter can have, so that one statement serves with and without.
_LEAST = (Decimal(-(10**8)), 0)
_MOST = (Decimal(10**8), 2**63 - 1)


def _contents(*, backwards: bool, by_language: bool) -> Query[ListedChapter]:
    """The visible chapters of a visible story, which one index serves in its order."""
    order, follows = ("DESC", "<") if backwards else ("ASC", ">")
    return Query(
        f"""
        SELECT
            chapters.id, uid,
            (SELECT cache_version FROM stories WHERE id = $1) AS story_version,
            source_chapter_id, chapter_no, number_label, volume_label, chapters.slug, title,
            language, page_count, word_count, group_id, groups.slug AS group_slug,
            groups.name AS group_name, published_at, chapters.created_at, chapters.updated_at
        FROM chapters LEFT JOIN groups ON groups.id = chapters.group_id
        WHERE
            story_id = $1 AND is_published AND deleted_at IS NULL
            AND chapter_no >= $2 AND chapter_no <= $3
            AND (chapter_no, chapters.id) {follows} ($4::numeric, $5::bigint)
            {"AND language = $7::text" if by_language else ""}
        ORDER BY chapter_no {order}, chapters.id {order}
        LIMIT $6
        """,
        ListedChapter,
    )


CONTENTS = {
    (backwards, by_language): _contents(backwards=backwards, by_language=by_language)
    for backwards in (False, True)
    for by_language in (False, True)
}


async def story(reads: Reads, story_id: int) -> StoryRow | None:
    return await reads.first(_STORY, story_id)


async def ends(reads: Reads, story_id: int) -> tuple[ChapterEnd | None, ChapterEnd | None]:
    """The first chapter of a visible story and its last, in the order of reading."""
    return await reads.first(_FIRST, story_id), await reads.first(_LATEST, story_id)


async def contents(
    reads: Reads,
    story_id: int,
    span: ChapterSpan,
    *,
    after: tuple[object, ...] | None,
    limit: int,
) -> list[ListedChapter]:
    """The chapters of a visible story that follow `after`."""
    query = CONTENTS[span.backwards, span.language is not None]
    least = _LEAST[0] if span.least is None else span.least
    most = _MOST[0] if span.most is None else span.most
    start = after or (_MOST if span.backwards else _LEAST)
    rest = () if span.language is None else (span.language,)
    return await reads.all(query, story_id, least, most, *start, limit, *rest)
