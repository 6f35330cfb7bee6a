"""A site that has stories already takes the tables of ingest in its stride."""

from pathlib import Path

import pytest

from rensai.kit.clock import SystemClock
from rensai.kit.db import Command, Database, Query
from rensai.kit.migrate import migrate, pending, shipped
from rensai.rooms.ingest.model import CHAPTERS, STORIES
from tests.rig import build_services, open_database
from tests.rooms.ingest.feed import SOURCE, accept, chapter, drain, story

pytestmark = pytest.mark.anyio

BEFORE_INGEST = [migration for migration in shipped() if migration.name < "0006"]

_STORIES = Command(
    """
    INSERT INTO stories (uid, kind, source, source_story_id, slug, title, status, language,
        updated_at_source)
    SELECT gen_random_uuid(), 'novel', $1, 's' || n, 's' || n, 'Story ' || n, 1, 'vi',
        '2026-01-01Z'
    FROM generate_series(1, 2000) AS n
    """
)
_CHAPTERS = Command(
    """
    INSERT INTO chapters (uid, story_id, chapter_no, slug, title, language, updated_at_source)
    SELECT gen_random_uuid(), id, n, 'c-' || n, 'Chapter ' || n, 'vi', '2026-01-01Z'
    FROM stories CROSS JOIN generate_series(1, 10) AS n
    """
)
_COLUMNS = Query(
    """
    SELECT table_name || '.' || column_name FROM information_schema.columns
    WHERE table_name IN ('stories', 'chapters')
    """,
    str,
)
_EVERYTHING = Query(
    """
    WITH rows AS (
        SELECT 'stories' AS kind, id, to_jsonb(stories) AS row FROM stories
        UNION ALL
        SELECT 'chapters', id, to_jsonb(chapters) FROM chapters
    )
    SELECT md5(string_agg(kind || id || key || coalesce(value, ''), ';' ORDER BY kind, id, key))
    FROM rows CROSS JOIN jsonb_each_text(row) AS field (key, value)
    WHERE kind || '.' || key = ANY($1::text [])
    """,
    str,
)
"""Of those columns: later releases add others."""
_IDENTITIES = Query("SELECT id FROM stories WHERE source_story_id = 's1' ORDER BY id", int)
_FIRST = Query(
    """
    SELECT stories.title || ' / ' || chapters.title || ' / ' || count(*) OVER ()
    FROM stories JOIN chapters ON chapters.story_id = stories.id
    WHERE source_story_id = 's1' ORDER BY chapter_no LIMIT 1
    """,
    str,
)


async def fill(database: Database) -> None:
    async with database.transaction() as tx:
        await tx.run(_STORIES, SOURCE)
        await tx.run(_CHAPTERS)


async def test_a_filled_database_is_upgraded_in_place_and_goes_on(
    empty_url: str, tmp_path: Path
) -> None:
    await migrate(empty_url, migrations=BEFORE_INGEST)
    database = await open_database(empty_url)
    try:
        await fill(database)
        columns = await database.primary.all(_COLUMNS)
        before = await database.primary.first(_EVERYTHING, columns)
        identities = await database.primary.all(_IDENTITIES)

        applied = await migrate(empty_url)

        assert applied == [migration.name for migration in shipped()][len(BEFORE_INGEST) :]
        assert await pending(database.primary) == []
        assert await database.primary.first(_EVERYTHING, columns) == before
        services = build_services(database, tmp_path, SystemClock())
        await accept(services, STORIES, [story("s1", title="A new title")])
        await accept(services, CHAPTERS, [chapter(1, title="Renamed"), chapter(11)])
        await drain(services)
        assert await database.primary.all(_IDENTITIES) == identities
        assert await database.primary.first(_FIRST) == "A new title / Renamed / 11"
    finally:
        await database.close()
