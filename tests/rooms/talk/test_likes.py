"""Likes: once for each person, counted a little later, and never wrong in the end."""

import asyncio
from datetime import timedelta

import pytest

from rensai.kit.db import Command, Query
from rensai.rooms.talk.service.counting import count
from tests.rooms.talk.thread import API, Reader, Thread

pytestmark = pytest.mark.anyio

_WAITING = Query(
    "SELECT count(*) AS waiting FROM tasks.pgqueuer WHERE entrypoint = 'talk.count_reactions'", int
)
_DELAY = Query(
    """
    SELECT min(execute_after - now()) AS delay FROM tasks.pgqueuer
    WHERE entrypoint = 'talk.count_reactions'
    """,
    timedelta,
)
_LIKE_BY_MANY = Command(
    """
    WITH readers AS (
        INSERT INTO users (uid, username, email, password_hash, display_name)
        SELECT gen_random_uuid(), 'many' || n, 'many' || n || '@example.com', '-', 'Many'
        FROM generate_series(1, $2::integer) AS n
        RETURNING id
    )
    INSERT INTO comment_likes (comment_id, user_id, created_at)
    SELECT $1::bigint, id, now() FROM readers
    """
)


async def test_liking_twice_is_once_and_taking_it_back_is_too(
    thread: Thread, ann: Reader, bob: Reader
) -> None:
    comment = await ann.say("likeable")
    for reader in (ann, bob, bob):
        await reader.like(comment)
    await thread.settle()
    assert (await thread.one(comment))["likesCount"] == 2
    for _ in range(2):
        answer = await bob.client.delete(f"{API}/comments/{comment['id']}/like")
        assert answer.status_code == 204
    await thread.settle()
    assert (await thread.one(comment, bob))["likesCount"] == 1
    assert not (await thread.one(comment, bob))["isLiked"]
    assert (await thread.one(comment, ann))["isLiked"]


async def test_the_likes_of_many_at_once_are_one_count(thread: Thread, ann: Reader) -> None:
    comment = await ann.say("hot")
    readers = [await thread.reader(f"fan{n}") for n in range(8)]
    for reader in readers:
        await reader.like(comment)
    assert await thread.db.primary.first(_WAITING) == 1
    delay = await thread.db.primary.first(_DELAY)
    assert delay is not None
    assert timedelta(0) < delay <= timedelta(seconds=2)
    await thread.settle()
    assert (await thread.one(comment))["likesCount"] == 8
    assert await thread.db.primary.first(_WAITING) == 0


async def test_whoever_counts_later_has_seen_more(thread: Thread, ann: Reader, bob: Reader) -> None:
    """One has begun to count and waits for another; what that one has seen must not be undone."""
    comment = await ann.say("hot")
    id_ = await thread.key_of(comment)
    await ann.like(comment)

    async def count_alone() -> None:
        async with thread.db.transaction() as tx:
            await count(tx, id_)

    async with thread.db.transaction() as tx:
        assert await count(tx, id_)
        late = asyncio.create_task(count_alone())
        await asyncio.sleep(0.2)
        await asyncio.create_task(bob.like(comment))
        assert await count(tx, id_)
        assert not late.done()
    await late
    assert (await thread.one(comment))["likesCount"] == 2


async def test_top_follows_the_likes(thread: Thread, ann: Reader, bob: Reader) -> None:
    first, second, third = [await ann.say(word) for word in ("one", "two", "three")]
    for reader, comment in ((ann, first), (bob, first), (bob, second)):
        await reader.like(comment)
    await thread.settle()
    items = (await thread.page(sort="top"))["items"]
    assert [item["id"] for item in items] == [first["id"], second["id"], third["id"]]


async def test_a_hot_comment_is_counted_right(thread: Thread, ann: Reader) -> None:
    comment = await ann.say("hot")
    id_ = await thread.key_of(comment)
    async with thread.db.transaction() as tx:
        await tx.run(_LIKE_BY_MANY, id_, 5000)
    async with thread.db.transaction() as tx:
        assert await count(tx, id_)
        assert not await count(tx, id_)
    assert (await thread.one(comment))["likesCount"] == 5000


async def test_what_cannot_be_seen_cannot_be_liked(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    blank, hidden, under_hidden = [await ann.say(word) for word in ("blank", "hidden", "under")]
    reply = await bob.say("reply", parent=under_hidden["id"])
    await bob.say("stays", parent=blank["id"])
    await ann.delete(blank)
    await mod.moderate(hidden, isHidden=True)
    await mod.moderate(under_hidden, isHidden=True)
    for id_ in (blank["id"], hidden["id"], reply["id"], "x"):
        answer = await bob.client.post(f"{API}/comments/{id_}/like")
        assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


async def test_a_like_can_be_taken_back_from_what_is_hidden_by_now(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    comment = await ann.say("liked")
    await bob.like(comment)
    await mod.moderate(comment, isHidden=True)
    here = f"{API}/comments/{comment['id']}/like"
    assert (await bob.client.delete(here)).status_code == 204
    assert (await bob.client.delete(here)).status_code == 404


async def test_sixty_likes_a_minute(thread: Thread, ann: Reader) -> None:
    comment = await ann.say("again and again")
    here = f"{API}/comments/{comment['id']}/like"
    for n in range(60):
        method = "DELETE" if n % 2 else "POST"
        assert (await ann.client.request(method, here)).status_code == 204
    assert (await ann.client.post(here)).status_code == 429
