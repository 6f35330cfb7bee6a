"""The tables refuse what no story can be, whoever writes to them."""

from typing import Any

import pytest

from rensai.kit.db import Command, Database, Query
from rensai.kit.errors import RensaiError
from rensai.kit.ids import new_uid
from rensai.rooms.catalogue.model import LOCAL
from tests.rooms.catalogue.stories import add_story

pytestmark = pytest.mark.anyio

_STORY = Query("SELECT id FROM stories WHERE slug = $1", int)
_CHAPTER = Command(
    """
    INSERT INTO chapters (
        uid, story_id, chapter_no, slug, language, uploader_id, deleted_at
    ) VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $7 THEN now() END)
    """
)
_ALIAS = Command("INSERT INTO story_aliases (story_id, alias, folded) VALUES ($1, $2, $3)")
_USER = Query(
    """
    INSERT INTO users (uid, username, email, password_hash, display_name)
    VALUES ($1, 'uploader', 'u@example.com', '!', 'Uploader') RETURNING id
    """,
    int,
)
_UNCOMMENTED = Query(
    """
    SELECT indexes.relname::text AS name
    FROM pg_index
    JOIN pg_class AS indexes ON indexes.oid = pg_index.indexrelid
    JOIN pg_class AS tables ON tables.oid = pg_index.indrelid
    LEFT JOIN pg_constraint ON pg_constraint.conindid = pg_index.indexrelid
    WHERE pg_constraint.oid IS NULL
        AND obj_description(indexes.oid, 'pg_class') IS NULL
        AND tables.relname = ANY($1::text [])
    """,
    str,
)
_UNINDEXED = Query(
    """
    SELECT format('%s.%s', conrelid::regclass, attname) AS name
    FROM pg_constraint
    JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
    WHERE contype = 'f'
        AND NOT EXISTS (
            SELECT FROM pg_index WHERE indrelid = conrelid AND indkey[0] = conkey[1]
        )
    """,
    str,
)
TABLES = [
    "users",
    "sessions",
    "api_tokens",
    "stories",
    "story_aliases",
    "genres",
    "story_genres",
    "groups",
    "group_members",
    "chapters",
    "chapter_bodies",
    "recount_queue",
]


@pytest.mark.parametrize(
    "wrong",
    [
        {"slug": "Than-Dao"},
        {"slug": "thần-đạo"},
        {"slug": ""},
        {"slug": "a" * 192},
        {"slug": "a\n"},
        {"title": "x" * 256},
        {"source": "two words"},
        {"source": "with:colon"},
        {"source": "with/slash"},
        {"source": "s" * 41},
        {"source": ""},
        {"kind": "poem"},
        {"status": 5},
        {"status": -1},
        {"authors": ["x" * 192]},
    ],
    ids=lambda wrong: str(wrong)[:30],
)
async def test_a_story_that_cannot_be_is_refused(
    database: Database,
    wrong: dict[str, Any],  # Any: what add_story takes
) -> None:
    fields: dict[str, Any] = {"slug": "fine", **wrong}
    with pytest.raises(RensaiError):
        await add_story(database, **fields)


async def test_a_slug_is_one_per_source(database: Database) -> None:
    await add_story(database, "than-dao", source="a")
    await add_story(database, "than-dao", source="b")
    with pytest.raises(RensaiError):
        await add_story(database, "than-dao", source="a")


async def test_an_alias_is_one_per_story_whatever_its_case(database: Database) -> None:
    await add_story(database, "than-dao")
    story = await database.primary.first(_STORY, "than-dao")
    async with database.transaction() as tx:
        await tx.run(_ALIAS, story, "Thần Đạo", "thần đạo".casefold())
    with pytest.raises(RensaiError):
        async with database.transaction() as tx:
            await tx.run(_ALIAS, story, "THẦN ĐẠO", "THẦN ĐẠO".casefold())


async def test_an_ingested_chapter_is_one_per_number_and_slug_until_it_is_deleted(
    database: Database,
) -> None:
    await add_story(database, "s", source="elsewhere")
    story = await database.primary.first(_STORY, "s")
    async with database.transaction() as tx:
        await tx.run(_CHAPTER, new_uid(), story, 1, "one", "vi", None, True)
        await tx.run(_CHAPTER, new_uid(), story, 1, "one", "vi", None, False)
    for number, slug in ((1, "one-again"), (2, "one")):
        with pytest.raises(RensaiError):
            async with database.transaction() as tx:
                await tx.run(_CHAPTER, new_uid(), story, number, slug, "vi", None, False)


async def test_an_uploaded_chapter_may_come_back_and_in_other_languages(
    database: Database,
) -> None:
    await add_story(database, "s", source=LOCAL)
    story = await database.primary.first(_STORY, "s")
    async with database.transaction() as tx:
        uploader = await tx.first(_USER, new_uid())
        await tx.run(_CHAPTER, new_uid(), story, 1, "one", "en", uploader, True)
        await tx.run(_CHAPTER, new_uid(), story, 1, "one", "en", uploader, False)
        await tx.run(_CHAPTER, new_uid(), story, 1, "one-vi", "vi", uploader, False)
    with pytest.raises(RensaiError):
        async with database.transaction() as tx:
            await tx.run(_CHAPTER, new_uid(), story, 1, "one-more", "en", uploader, False)


async def test_each_index_says_which_query_it_serves(database: Database) -> None:
    assert await database.primary.all(_UNCOMMENTED, TABLES) == []


async def test_each_reference_can_be_followed_back(database: Database) -> None:
    assert await database.primary.all(_UNINDEXED) == []
