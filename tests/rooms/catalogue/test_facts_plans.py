"""What is asked about many stories, or done with them, reads those stories and no whole table."""

from datetime import timedelta
from uuid import UUID

import pytest

from rensai.kit.db import Command, Database, Query
from rensai.rooms.catalogue.door import story_ids_of_taxonomy
from rensai.rooms.catalogue.store.facts import (
    FACTS,
    FEW_OF_TAXONOMY,
    IDS_OF_SOURCE,
    MANY_OF_TAXONOMY,
    TRANSLATIONS,
    VISIBLE_IDS,
)
from rensai.rooms.catalogue.store.policies import LIST, UNLIKE
from rensai.rooms.catalogue.store.stories import OTHER_TRANSLATIONS
from rensai.rooms.catalogue.store.story_terms import OF_TERM
from rensai.rooms.catalogue.store.translations import MEMBERS
from tests.plans import assert_served_by_index
from tests.rooms.catalogue.stories import fill

pytestmark = pytest.mark.anyio

STORIES = 20_000
ASKED = 100

_SORT_IN = Command(
    """
    WITH genre AS (
        INSERT INTO genres (slug, name) SELECT 'g' || n, 'G ' || n FROM generate_series(1, 40) AS n
        RETURNING id
    ), in_genres AS (
        INSERT INTO story_genres (story_id, genre_id)
        SELECT stories.id, genre.id FROM stories JOIN genre ON (stories.id + genre.id) % 10 = 0
    ), term AS (
        INSERT INTO terms (taxonomy_id, slug, name)
        SELECT taxonomies.id, 't' || n, 'T ' || n
        FROM taxonomies CROSS JOIN generate_series(1, 1500) AS n
        RETURNING id
    ), in_terms AS (
        INSERT INTO story_terms (story_id, term_id)
        SELECT stories.id, term.id FROM stories JOIN term ON stories.id % 1000 = term.id % 1000
    ), aliases AS (
        INSERT INTO story_aliases (story_id, alias, folded)
        SELECT id, 'Alias ' || n, 'alias ' || n FROM stories CROSS JOIN generate_series(1, 2) AS n
    )
    UPDATE stories SET translation_group = md5((id / 4)::text)::uuid WHERE id % 8 < 4
    """
)
_RARE = Command(
    """
    WITH taxonomy AS (
        INSERT INTO taxonomies (slug, name) VALUES ('rare', 'Rare') RETURNING id
    ), term AS (
        INSERT INTO terms (taxonomy_id, slug, name) SELECT id, 'rare', 'Rare' FROM taxonomy
        RETURNING id
    )
    INSERT INTO story_terms (story_id, term_id)
    SELECT stories.id, term.id FROM stories CROSS JOIN term WHERE stories.id % 1000 = 0
    """
)
_OF_FANDOM = Query(
    """
    SELECT DISTINCT story_id FROM story_terms JOIN terms ON terms.id = term_id
    WHERE taxonomy_id = (SELECT id FROM taxonomies WHERE slug = 'fandom') ORDER BY story_id
    """,
    int,
)
_ANALYSE = Command("ANALYZE stories, story_genres, terms, story_terms, story_aliases")
_IDS = Query("SELECT id FROM stories ORDER BY hashint8(id) LIMIT $1", int)
_TERMS = Query("SELECT id FROM terms ORDER BY id LIMIT 1", int)
_GROUPS = Query(
    "SELECT DISTINCT translation_group FROM stories WHERE translation_group IS NOT NULL LIMIT $1",
    UUID,
)


async def test_what_is_asked_about_many_stories_reads_no_whole_table(database: Database) -> None:
    await fill(database, STORIES)
    async with database.transaction(timedelta(minutes=1)) as tx:
        await tx.run(_SORT_IN)
        await tx.run(_ANALYSE)
        last = STORIES - 1000
        ids = await tx.all(_IDS, ASKED)
        await assert_served_by_index(tx, FACTS, ids, at_most=6 * ASKED)
        await assert_served_by_index(tx, VISIBLE_IDS, STORIES // 2, ASKED)
        for source in ("truyen", "local", "nobody"):
            await assert_served_by_index(tx, IDS_OF_SOURCE, source, 0, ASKED)
            await assert_served_by_index(tx, IDS_OF_SOURCE, source, last, ASKED)
        groups = await tx.all(_GROUPS, ASKED)
        await assert_served_by_index(tx, TRANSLATIONS, groups)


async def test_the_stories_of_a_taxonomy_are_walked_in_their_order(database: Database) -> None:
    """The walk reads the terms of the taxonomy, and passes over those of others."""
    await fill(database, STORIES)
    async with database.transaction(timedelta(minutes=1)) as tx:
        await tx.run(_SORT_IN)
        await tx.run(_RARE)
        await tx.run(_ANALYSE)
        for after in (0, STORIES // 2):
            arguments = ("fandom", after, ASKED)
            await assert_served_by_index(tx, MANY_OF_TAXONOMY, *arguments, at_most=2000)
        await assert_served_by_index(tx, FEW_OF_TAXONOMY, "rare", 0, ASKED)
        rare = await story_ids_of_taxonomy(tx, "rare", after=0, limit=ASKED)
        assert rare == sorted(rare)
        assert len(rare) == 20
        found, after = list[int](), 0
        while page := await story_ids_of_taxonomy(tx, "fandom", after=after, limit=7000):
            found += page
            after = page[-1]
        assert found == await tx.all(_OF_FANDOM)


async def test_what_an_operator_changes_is_found_without_reading_a_table(
    database: Database,
) -> None:
    await fill(database, STORIES)
    async with database.transaction(timedelta(minutes=1)) as tx:
        await tx.run(_SORT_IN)
        await tx.run(_ANALYSE)
        ids = await tx.all(_IDS, ASKED)
        await assert_served_by_index(tx, MEMBERS, ids[:10])
        await assert_served_by_index(tx, OTHER_TRANSLATIONS, ids)
        (term, *_) = await tx.all(_TERMS)
        await assert_served_by_index(tx, OF_TERM, term, 0, ASKED)
        await assert_served_by_index(tx, LIST)
        for after in (0, STORIES // 2):
            await assert_served_by_index(tx, UNLIKE, "truyen", after, False, ASKED)
