"""SQL of everything that is known about stories, for those who keep a copy of it."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from rensai.kit.db import Query, Reads
from rensai.rooms.catalogue.model import PlainFacts, Term, TranslationOf
from rensai.rooms.catalogue.store.visible import visible


class StoryVersion(msgspec.Struct, frozen=True):
    """Which version of a story can be read now."""

    id: int
    cache_version: int


class FactsRow(PlainFacts, frozen=True):
    """Facts as they come out of the database."""

    genres: list[list[str]]
    """Slug and name of each."""

    terms: list[list[str]]
    """Taxonomy, slug and name of each."""


# What belongs to a story is looked up for each one by an index: joined as sets, the plan would
# hang on how many stories the planner expects, and it expects ten.
FACTS = Query(
    f"""
    SELECT
        stories.id, uid, kind, source, source_story_id, slug, title, title_original,
        ARRAY(
            SELECT alias FROM story_aliases
            WHERE story_aliases.story_id = stories.id
            ORDER BY story_aliases.id
        ) AS aliases,
        authors, artists, tags, hidden_tags, status, is_nsfw, age_rating, cover_url, summary,
        language, original_language, translation_group,
        CASE WHEN translation_group IS NULL THEN 0 ELSE (
            SELECT count(*) FROM stories AS others
            WHERE others.translation_group = stories.translation_group
                AND others.id <> stories.id AND {visible("others")}
        ) END AS translation_count,
        chapter_count, word_count, last_chapter_no, popularity_score, rating_avg, rating_count,
        view_count, follower_count, published_at, updated_at_source, created_at, updated_at,
        cache_version, {visible()} AS is_visible,
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
    WHERE stories.id = ANY($1::bigint [])
    ORDER BY stories.id
    """,
    FactsRow,
)
VISIBLE_IDS = Query(
    f"SELECT id FROM stories WHERE id > $1 AND {visible()} ORDER BY id LIMIT $2", int
)
IDS_OF_SOURCE = Query(
    "SELECT id FROM stories WHERE source = $1 AND id > $2 ORDER BY id LIMIT $3", int
)
# From the terms to their stories: cheap for as long as those are few, since all must be found
# before the first can be told.
FEW_OF_TAXONOMY = Query(
    """
    SELECT story_id
    FROM taxonomies
    JOIN terms ON terms.taxonomy_id = taxonomies.id
    JOIN story_terms ON story_terms.term_id = terms.id
    WHERE taxonomies.slug = $1 AND story_id > $2
    LIMIT $3
    """,
    int,
)
# From story to story, stopping after a page. CASE keeps the planner from turning this into a join
# like the one above.
MANY_OF_TAXONOMY = Query(
    """
    SELECT DISTINCT story_id
    FROM story_terms
    WHERE story_id > $2 AND CASE WHEN term_id IN (
        SELECT terms.id FROM terms JOIN taxonomies ON taxonomies.id = terms.taxonomy_id
        WHERE taxonomies.slug = $1
    ) THEN true END
    ORDER BY story_id
    LIMIT $3
    """,
    int,
)
VERSIONS = Query(
    f"""
    SELECT id, cache_version FROM stories
    WHERE id = ANY($1::bigint []) AND {visible()}
    """,
    StoryVersion,
)
TRANSLATIONS = Query(
    f"""
    SELECT translation_group AS "group", id AS story_id, {visible()} AS is_visible, language
    FROM stories
    WHERE translation_group IS NOT NULL AND translation_group = ANY($1::uuid [])
    ORDER BY translation_group, id
    """,
    TranslationOf,
)
_NAMES = Query(
    """
    SELECT 'genre' AS taxonomy, slug, name FROM genres
    UNION ALL
    SELECT taxonomies.slug, terms.slug, terms.name
    FROM terms JOIN taxonomies ON taxonomies.id = terms.taxonomy_id
    ORDER BY taxonomy, slug
    """,
    Term,
)


async def facts(reads: Reads, story_ids: Sequence[int]) -> list[FactsRow]:
    return await reads.all(FACTS, story_ids)


async def visible_ids(reads: Reads, *, after: int, limit: int) -> list[int]:
    return await reads.all(VISIBLE_IDS, after, limit)


async def versions(reads: Reads, story_ids: Sequence[int]) -> list[StoryVersion]:
    return await reads.all(VERSIONS, list(story_ids))


async def ids_of_source(reads: Reads, source: str, *, after: int, limit: int) -> list[int]:
    return await reads.all(IDS_OF_SOURCE, source, after, limit)


async def few_of_taxonomy(reads: Reads, taxonomy: str, *, after: int, limit: int) -> list[int]:
    """Some of the stories that follow, in no order and one for each of their terms."""
    return await reads.all(FEW_OF_TAXONOMY, taxonomy, after, limit)


async def many_of_taxonomy(reads: Reads, taxonomy: str, *, after: int, limit: int) -> list[int]:
    return await reads.all(MANY_OF_TAXONOMY, taxonomy, after, limit)


async def translations(reads: Reads, groups: Sequence[UUID]) -> list[TranslationOf]:
    return await reads.all(TRANSLATIONS, groups)


async def names(reads: Reads) -> list[Term]:
    return await reads.all(_NAMES)
