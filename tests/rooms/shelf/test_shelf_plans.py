"""Every statement of the shelf is answered from indexes, however much everybody reads."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rensai.kit.db import Command, Database, Query, Tx
from rensai.rooms.shelf.model import FOLLOWS
from rensai.rooms.shelf.service.pages import BEGINNING
from rensai.rooms.shelf.store import belongings, bookmarks, forgetting, history, library, steps
from tests.plans import assert_served_by_index, nodes, plan_of
from tests.rooms.catalogue.stories import fill

pytestmark = pytest.mark.anyio

STORIES = 1_500
READERS = 400
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
LATER = (NOON - timedelta(hours=20), 500)
"""In the middle of every list."""

_USERS = Command(
    """
    INSERT INTO users (uid, username, email, password_hash, display_name)
    SELECT gen_random_uuid(), 'reader' || n, 'reader' || n || '@example.com', 'x', 'Reader'
    FROM generate_series(1, $1::int) AS n
    """
)
# The first reader has everything, the others fifty each.
_PROGRESS = Command(
    """
    INSERT INTO reading_progress (user_id, story_id, chapter_id, chapter_no, updated_at)
    SELECT users.id, stories.id, stories.id, 1,
        $1::timestamptz - (stories.id * 7919 % 2879) * interval '1 minute'
    FROM users, stories
    WHERE users.username = 'reader1' OR (stories.id + users.id) % 30 = 0
    """
)
_BOOKMARKS = Command(
    """
    INSERT INTO bookmarks (user_id, story_id, status, created_at, updated_at)
    SELECT users.id, stories.id, stories.id % 6, $1,
        $1::timestamptz - (stories.id * 104729 % 2879) * interval '1 minute'
    FROM users, stories
    WHERE (users.username = 'reader1' AND stories.id % 2 = 0) OR (stories.id + users.id) % 30 = 1
    """
)
_HISTORY = Command(
    """
    INSERT INTO reading_history (user_id, chapter_id, story_id, read_at, updated_at)
    SELECT users.id, n, n % 100, CASE WHEN n % 3 > 0 THEN read.at END, read.at
    FROM users, generate_series(1, 2000) AS n,
        LATERAL (SELECT $1::timestamptz - n * interval '1 minute' AS at) AS read
    WHERE users.username = 'reader1' OR n <= 100
    """
)
_FIRST = Query("SELECT id FROM users WHERE username = 'reader1'", int)
_ANALYSE = Command("VACUUM ANALYZE users, reading_progress, reading_history, bookmarks")


_OF_CHAPTERS: tuple[Query[Any], ...] = (history.READ, history.OF_CHAPTERS)
_PORTIONS: tuple[Query[Any], ...] = (
    belongings.PROGRESS,
    belongings.BOOKMARKS,
    belongings.HISTORY,
)


@pytest.fixture
async def filled(database: Database) -> Database:
    await fill(database, STORIES)
    async with database.transaction(timedelta(minutes=2)) as tx:
        await tx.run(_USERS, READERS)
        for command in (_PROGRESS, _BOOKMARKS, _HISTORY):
            await tx.run(command, NOON)
    connection = await database.queue.connections.take()
    await connection.execute(_ANALYSE.text)
    database.queue.connections.give_back(connection)
    return database


async def assert_in_order(tx: Tx, query: Query[Any], index: str, *args: object) -> None:
    """A page is read from that index in its order, and what is left out is looked up."""
    await assert_served_by_index(tx, query, *args, at_most=150)
    plan = await plan_of(tx, query, *args)
    kinds = [node["Node Type"] for node in nodes(plan)]
    assert not {"Sort", "Incremental Sort", "Bitmap Heap Scan"} & set(kinds), kinds
    assert index in {node.get("Index Name") for node in nodes(plan)}


async def test_every_list_of_a_reader_is_read_in_the_order_of_an_index(filled: Database) -> None:
    reader = await filled.primary.first(_FIRST)
    async with filled.transaction() as tx:
        for after in (BEGINNING, LATER):
            page = (reader, *after, 21)
            for query, index in (
                (library.READ, "reading_progress_recent"),
                (library.KEPT, "bookmarks_recent"),
                (history.RECENT, "reading_history_recent"),
            ):
                await assert_in_order(tx, query, index, *page)
            for status in range(6):
                await assert_in_order(tx, library.KEPT_AS, "bookmarks_status", *page, status)
            await assert_in_order(tx, history.OF_STORY, "reading_history_story", *page, 7)


async def test_the_list_of_both_leaves_out_what_the_other_half_shows(filled: Database) -> None:
    """By looking each story up in the other half: as many times as the page is long, and more
    only for what is left out."""
    reader = await filled.primary.first(_FIRST)
    async with filled.transaction() as tx:
        for query, index in (
            (library.READ_LAST, "reading_progress_recent"),
            (library.KEPT_LAST, "bookmarks_recent"),
        ):
            for after in (BEGINNING, LATER):
                await assert_in_order(tx, query, index, reader, *after, 21)


async def test_what_the_novel_api_calls_following_is_three_bounded_lists(
    filled: Database,
) -> None:
    reader = await filled.primary.first(_FIRST)
    async with filled.transaction() as tx:
        for after in (BEGINNING, LATER):
            args = (reader, *after, 21)
            await assert_served_by_index(tx, library.KEPT_AS_FOLLOWING, *args, at_most=150)


async def test_small_questions_touch_what_they_are_about(filled: Database) -> None:
    reader = await filled.primary.first(_FIRST)
    chapters = list(range(1, 201))
    async with filled.transaction() as tx:
        for query in _OF_CHAPTERS:
            await assert_served_by_index(tx, query, reader, chapters, at_most=200)
        statuses = [int(status) for status in FOLLOWS]
        for stories in ([7], list(range(1, 41))):
            await assert_served_by_index(
                tx, bookmarks.FOLLOWERS, stories, statuses, at_most=20 * len(stories) + 100
            )
            plan = await plan_of(tx, bookmarks.FOLLOWERS, stories, statuses)
            assert "Index Only Scan" in {node["Node Type"] for node in nodes(plan)}
        for portion in _PORTIONS:
            await assert_served_by_index(tx, portion, reader, 300, 100, at_most=100)


async def test_forgetting_goes_in_bounded_steps(filled: Database) -> None:
    reader = await filled.primary.first(_FIRST)
    queries: Sequence[tuple[Query[Any], tuple[object, ...]]] = (
        (history.FORGET_SOME, (reader, 50)),
        (history.FORGET_STORY, (reader, 50, 7)),
        (Query(history.FORGET_WHEN.text, int), (NOON - timedelta(hours=30), 50)),
        (Query(forgetting.PROGRESS.text, int), (reader, 50)),
        (forgetting.BOOKMARKS, (reader, 50)),
    )
    for query, args in queries:
        async with filled.transaction() as tx:
            await assert_served_by_index(tx, query, *args, at_most=100)


async def test_writing_looks_up_what_is_written_and_nothing_else(filled: Database) -> None:
    reader = await filled.primary.first(_FIRST)
    many = list(range(1, 101))
    nothing = [None] * 100
    times = [NOON] * 100
    readers = [reader] * 100
    written: Sequence[tuple[Query[Any], tuple[object, ...]]] = (
        (
            Query(steps.PROGRESS.text, int),
            (readers, many, many, [1.0] * 100, nothing, nothing, times),
        ),
        (
            Query(steps.HISTORY.text, int),
            (readers, many, many, nothing, nothing, nothing, times, times),
        ),
        (steps.FOLLOW, (readers, many, times, 0)),
        (bookmarks.RESTORE, (reader, many, [0] * 100, [True] * 100, times, times)),
    )
    for query, args in written:
        async with filled.transaction() as tx:
            await assert_served_by_index(tx, query, *args, at_most=100)
