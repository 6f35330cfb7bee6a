"""Every statement of reading is answered from indexes, however much there is."""

from datetime import timedelta
from decimal import Decimal
from uuid import UUID

import pytest

from rensai.kit.db import Command, Database, Query, Tx
from rensai.rooms.catalogue.store import cards, lists, reading, reading_chapter, seen, views
from tests.plans import assert_served_by_index, nodes, plan_of
from tests.rooms.catalogue.stories import fill

pytestmark = pytest.mark.anyio

STORIES = 5_000
LONG = 3_000
"""The chapters of the longest story; each of the others has ten."""

_CHAPTERS = Command(
    """
    INSERT INTO chapters (uid, story_id, chapter_no, slug, title, language, is_published)
    SELECT gen_random_uuid(), stories.id, no, 'c-' || no, 'Chapter ' || no,
        CASE WHEN no % 2 = 0 THEN 'vi' ELSE 'en' END, no % 50 > 0
    FROM stories, generate_series(1, 3000) AS no
    WHERE no <= 10 OR stories.slug = 'story-1'
    """
)
_BODIES = Command(
    """
    INSERT INTO chapter_bodies (chapter_id, content_raw)
    SELECT id, convert_to(repeat('x', 300), 'UTF8') FROM chapters
    """
)
_ANALYSE = Command("ANALYZE")
_LONGEST = Query("SELECT id FROM stories WHERE slug = 'story-1'", int)
_MIDDLE = Query("SELECT id FROM chapters WHERE story_id = $1 AND chapter_no = 1501", int)
_UIDS = Query("SELECT uid FROM chapters LIMIT 3", UUID)


@pytest.fixture
async def filled(database: Database) -> Database:
    await fill(database, STORIES)
    async with database.transaction(timedelta(minutes=2)) as tx:
        await tx.run(_CHAPTERS)
        await tx.run(_BODIES)
    async with database.transaction(timedelta(minutes=2)) as tx:
        await tx.run(_ANALYSE)
    return database


async def assert_one_scan(tx: Tx, query: Query[object], *args: object) -> None:
    """A page is read from one index in its order: nothing is sorted."""
    plan = await plan_of(tx, query, *args)
    kinds = {node["Node Type"] for node in nodes(plan)}
    assert not kinds & {"Sort", "Incremental Sort", "Bitmap Heap Scan"}, kinds
    scans = [node for node in nodes(plan) if node.get("Relation Name") == "chapters"]
    assert [node["Index Name"] for node in scans] == ["chapters_reading_order"]


async def test_the_table_of_contents_is_read_from_one_index(filled: Database) -> None:
    story_id = await filled.primary.first(_LONGEST)
    whole = (Decimal(-(10**8)), Decimal(10**8))
    part = (Decimal(700), Decimal(2500))
    async with filled.transaction() as tx:
        for (backwards, by_language), query in reading.CONTENTS.items():
            beginning = (Decimal(10**8), 2**63 - 1) if backwards else (Decimal(-(10**8)), 0)
            for bounds in (whole, part):
                for after in (beginning, (Decimal(1500), 2**62)):
                    language = ("vi",) if by_language else ()
                    args = (story_id, *bounds, *after, 51, *language)
                    await assert_served_by_index(tx, query, *args, at_most=120)
                    await assert_one_scan(tx, query, *args)  # type: ignore[arg-type]


async def test_a_chapter_and_its_neighbours_are_found_by_indexes(filled: Database) -> None:
    story_id = await filled.primary.first(_LONGEST)
    chapter_id = await filled.primary.first(_MIDDLE, story_id)
    query = reading_chapter._CHAPTER  # pyright: ignore[reportPrivateUsage] - to see its plan
    async with filled.transaction() as tx:
        for with_content in (True, False):
            await assert_served_by_index(tx, query, chapter_id, with_content, at_most=10)
        plan = await plan_of(tx, query, chapter_id, False)
        assert not any(
            node.get("Relation Name") == "chapter_bodies" and node["Actual Loops"]
            for node in nodes(plan)
        ), "a body is read that nobody asked for"


async def test_a_story_and_its_ends_are_found_by_indexes(filled: Database) -> None:
    story_id = await filled.primary.first(_LONGEST)
    async with filled.transaction() as tx:
        for query in (reading._STORY, reading._FIRST, reading._LATEST):  # pyright: ignore[reportPrivateUsage] - to see their plans
            await assert_served_by_index(tx, query, story_id, at_most=10)  # type: ignore[arg-type]


async def test_lookups_touch_only_what_was_asked_for(filled: Database) -> None:
    uids = await filled.primary.all(_UIDS)
    slugs = [f"story-{n}" for n in (1, 7, 99999)]
    async with filled.transaction() as tx:
        for ids_of in (seen._STORIES, seen._CHAPTERS):  # pyright: ignore[reportPrivateUsage]
            await assert_served_by_index(tx, ids_of, [1, 7, 99_999_999], at_most=10)  # type: ignore[arg-type]
        by_address, by_uid = seen._ADDRESSES, seen._UIDS  # pyright: ignore[reportPrivateUsage]
        await assert_served_by_index(tx, by_address, ["truyen"] * 3, slugs, at_most=10)
        await assert_served_by_index(tx, by_uid, uids, at_most=10)
        story_uids = seen._STORY_UIDS  # pyright: ignore[reportPrivateUsage]
        await assert_served_by_index(tx, story_uids, uids, at_most=10)
        gone_story, gone_chapter = seen._GONE_STORY, seen._GONE_CHAPTER  # pyright: ignore[reportPrivateUsage]
        await assert_served_by_index(tx, gone_story, "truyen", "story-20", at_most=10)
        await assert_served_by_index(tx, gone_chapter, "local", uids[0], at_most=10)


async def test_views_are_asked_for_and_added_by_primary_key(filled: Database) -> None:
    async with filled.transaction() as tx:
        ids = await tx.all(Query("SELECT id FROM stories ORDER BY id LIMIT 100", int))
        chapters = await tx.all(Query("SELECT id FROM chapters ORDER BY id LIMIT 100", int))
        await assert_served_by_index(tx, views.VIEWS, ids)
        await assert_served_by_index(tx, views.HOLD_STORIES, ids, chapters)
        await assert_served_by_index(tx, lists.SOME, ids)


async def test_cards_are_made_of_what_was_named(filled: Database) -> None:
    story_id = await filled.primary.first(_LONGEST)
    ids = list(range(1, 101))
    async with filled.transaction() as tx:
        await assert_served_by_index(tx, cards.STORIES, ids, at_most=200)
        await assert_served_by_index(tx, cards.CHAPTERS, ids, at_most=200)
        slugs = [f"story-{n}" for n in ids]
        await assert_served_by_index(tx, cards.AT_ADDRESSES, ["truyen"] * 100, slugs, at_most=200)
        numbers = [Decimal(n) for n in range(1400, 1500)]
        places = ([story_id] * 100, numbers, ["vi"] * 100)
        await assert_served_by_index(tx, cards.AT_PLACES, *places, at_most=200)
