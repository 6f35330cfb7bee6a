"""Every list of talk is read from one index in its order, however much has been said."""

from datetime import timedelta
from uuid import uuid4

import pytest

from rensai.kit.db import Command, Database, Query, Tx
from rensai.rooms.talk.model.comments import Order
from rensai.rooms.talk.store import comments, history, likes, reports, threads
from tests.plans import Node, assert_served_by_index, nodes, plan_of
from tests.rooms.talk.thread import Reader, Thread

pytestmark = pytest.mark.anyio

HOT = 6_000
REPLIES = 3_000

_REPORTS = Command(
    """
    INSERT INTO reports (
        uid, reporter_user_id, target_type, target_id, reason, status, resolved_at, created_at
    )
    SELECT
        gen_random_uuid(), CASE WHEN n % 20 = 3 THEN $1::bigint END, 'comment', n,
        'spam', CASE WHEN n % 50 = 0 THEN 'open' ELSE 'resolved' END,
        CASE WHEN n % 50 > 0 THEN now() END, now()
    FROM generate_series(1, 4000) AS n
    """
)
_LIKES = Command(
    """
    INSERT INTO comment_likes (comment_id, user_id, created_at)
    SELECT id, $1::bigint, now() FROM comments WHERE id % 2 = 0
    """
)
_SCATTER = Command(
    """
    UPDATE comments SET
        is_hidden = id % 5 = 1,
        portable_key_fingerprint = CASE WHEN user_id IS NOT NULL THEN $1::text END
    """
)
_ANALYSE = Command("ANALYZE")
_FIRST = Query("SELECT min(id) AS id FROM comments WHERE parent_id IS NULL", int)


@pytest.fixture
async def filled(thread: Thread, ann: Reader) -> tuple[Database, int, int, int, int]:
    """The database, a hot story and chapter, a comment with very many replies, and an author."""
    chapter_id = await thread.chapter_id()
    await thread.fill(HOT)
    await thread.fill(HOT, chapter_id=chapter_id)
    top = await thread.db.primary.first(_FIRST) or 0
    await thread.fill(REPLIES, parent_id=top, user_id=ann.id)
    await thread.fill(50, parent_id=top + 1, user_id=ann.id)
    async with thread.db.transaction(timedelta(minutes=2)) as tx:
        await tx.run(_SCATTER, "a" * 32)
        await tx.run(_REPORTS, ann.id)
        await tx.run(_LIKES, ann.id)
    async with thread.db.transaction(timedelta(minutes=2)) as tx:
        await tx.run(_ANALYSE)
    return thread.db, await thread.story_id(), chapter_id, top, ann.id


def scans(plan: Node, table: str) -> list[str]:
    return [
        node.get("Index Name", node["Node Type"])
        for node in nodes(plan)
        if node.get("Relation Name") == table
    ]


async def assert_from(
    tx: Tx, index: str, query: Query[object], *args: object, table: str = "comments"
) -> None:
    """A page comes from that index in its order: nothing is sorted, nothing thrown away."""
    await assert_served_by_index(tx, query, *args, at_most=60)
    plan = await plan_of(tx, query, *args)
    kinds = {node["Node Type"] for node in nodes(plan)}
    assert not kinds & {"Sort", "Incremental Sort", "Bitmap Heap Scan"}, kinds
    used = scans(plan, table)
    assert used[0] == index, used
    assert set(used[1:]) <= {"comments_pkey"}, used
    thrown = [node.get("Rows Removed by Filter", 0) for node in nodes(plan)]
    assert max(thrown) == 0, plan


async def test_each_order_of_a_thread_is_read_from_one_index(
    thread: Thread, filled: tuple[Database, int, int, int, int]
) -> None:
    db, story_id, chapter_id, *_ = filled
    middle = thread.clock.now() + timedelta(seconds=HOT // 6)
    used: set[str] = set()
    async with db.transaction() as tx:
        for shape, query in threads.THREADS.items():
            on_chapter, order, _, further = shape
            likes_first = (6,) if order is Order.TOP else ()
            after = (*likes_first, middle, HOT // 2) if further else ()
            index = (
                f"comments_of_{'chapter' if on_chapter else 'story'}"
                f"_by_{'likes' if order is Order.TOP else 'time'}"
            )
            used.add(index)
            about = chapter_id if on_chapter else story_id
            await assert_from(tx, index, query, about, 21, *after)  # type: ignore[arg-type]
    assert len(used) == 4


async def test_replies_are_read_from_one_index(
    thread: Thread, filled: tuple[Database, int, int, int, int]
) -> None:
    db, _, _, top, _ = filled
    middle = thread.clock.now() + timedelta(seconds=REPLIES // 6)
    async with db.transaction() as tx:
        for further, query in threads.REPLIES.items():
            after = (middle, HOT * 2) if further else ()
            await assert_from(tx, "comments_replies", query, top, 21, *after)  # type: ignore[arg-type]
        first = threads.FIRST_REPLIES
        parents = list(range(top, top + 50))
        await assert_served_by_index(tx, first, parents, 4, at_most=220)
        assert "comments_replies" in scans(await plan_of(tx, first, parents, 4), "comments")


async def test_what_somebody_wrote_is_read_from_one_index(
    thread: Thread, filled: tuple[Database, int, int, int, int]
) -> None:
    db, _, _, _, ann = filled
    middle = thread.clock.now() + timedelta(seconds=REPLIES // 6)
    async with db.transaction() as tx:
        for (by_identity, further), query in history.WRITTEN.items():
            whose = "a" * 32 if by_identity else ann
            index = "comments_of_identity" if by_identity else "comments_of_account_shown"
            after = (middle, HOT * 2) if further else ()
            await assert_from(tx, index, query, whose, 21, *after)  # type: ignore[arg-type]
        for further, query in history.EVERYTHING.items():
            after = (middle, HOT * 2) if further else ()
            await assert_from(tx, "comments_of_account", query, ann, 21, *after)  # type: ignore[arg-type]


async def test_the_lists_of_moderators_are_read_from_one_index(
    filled: tuple[Database, int, int, int, int],
) -> None:
    db, _, _, _, ann = filled
    async with db.transaction() as tx:
        for further, query in comments._HIDDEN.items():  # pyright: ignore[reportPrivateUsage]
            after = (HOT,) if further else ()
            await assert_from(tx, "comments_hidden", query, 21, *after)  # type: ignore[arg-type]
        for further, query in reports.QUEUE.items():
            after = (2000,) if further else ()
            args = ("open", 21, *after)
            await assert_from(tx, "reports_by_status", query, *args, table="reports")  # type: ignore[arg-type]
        for further, query in reports.OF_ACCOUNT.items():
            after = (2000,) if further else ()
            args = (ann, 21, *after)
            await assert_from(tx, "reports_of_account", query, *args, table="reports")  # type: ignore[arg-type]
        about = (["comment"] * 20, list(range(1, 21)))
        await assert_served_by_index(tx, reports.OPEN_ABOUT, *about, at_most=60)


async def test_likes_are_looked_up_and_counted_by_index(
    filled: tuple[Database, int, int, int, int],
) -> None:
    db, _, _, top, ann = filled
    async with db.transaction() as tx:
        await assert_served_by_index(tx, likes.LIKED, ann, list(range(top, top + 50)), at_most=60)
        await assert_served_by_index(tx, likes.OF_ACCOUNT, ann, 21, HOT, at_most=60)
        plan = await plan_of(tx, likes.COUNT, top)
        kinds = {node["Node Type"] for node in nodes(plan) if node.get("Relation Name")}
        assert "Seq Scan" not in kinds


async def test_one_comment_and_what_was_just_said_are_found_by_index(
    thread: Thread, filled: tuple[Database, int, int, int, int]
) -> None:
    db, _, _, top, ann = filled
    since = thread.clock.now() + timedelta(seconds=REPLIES // 3 - 60)
    async with db.transaction() as tx:
        for query, key in ((comments._BY_ID, top), (comments._BY_UID, uuid4())):  # pyright: ignore[reportPrivateUsage]
            await assert_served_by_index(tx, query, key, at_most=5)
        said_at = comments._SAID_AT  # pyright: ignore[reportPrivateUsage]
        await assert_served_by_index(tx, said_at, ann, since, "nothing like it", at_most=200)
