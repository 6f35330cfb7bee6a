"""An account that is gone leaves threads as they were, and takes what it has along."""

import json
from collections.abc import AsyncIterator

import msgspec
import pytest

from rensai.kit.db import Command, Query, Reads
from rensai.kit.events import emit
from rensai.rooms.readers.door import AccountDeleted
from rensai.rooms.talk import door
from rensai.rooms.talk.service import belongings, forgetting
from tests.rooms.talk.thread import API, Answer, Reader, Thread, words

pytestmark = pytest.mark.anyio

_LEFT = Query(
    """
    SELECT (SELECT count(*) FROM comments WHERE user_id = $1)
        + (SELECT count(*) FROM comments WHERE portable_key_fingerprint = $2)
        + (SELECT count(*) FROM comments WHERE author_display_name = 'Ann')
        + (SELECT count(*) FROM comment_likes WHERE user_id = $1)
        + (SELECT count(*) FROM reports WHERE reporter_user_id = $1) AS found
    """,
    int,
)
_WORDS_OF_DELETED = Query("SELECT content FROM comments WHERE deleted_at IS NOT NULL", str)
_NOT_THERE = Command("UPDATE users SET deleted_at = now() WHERE id = $1")


async def left(thread: Thread, reader: Reader) -> int:
    return await thread.db.primary.first(_LEFT, reader.id, b"ann".hex().zfill(32)) or 0


async def lines(rows: AsyncIterator[msgspec.Struct]) -> list[Answer]:
    return [json.loads(msgspec.json.encode(row)) async for row in rows]


async def all_of(reads: Reads, user_id: int) -> dict[str, list[Answer]]:
    return {one.name: await lines(one.rows(reads, user_id)) for one in door.belongings}


async def tell(thread: Thread, reader: Reader) -> None:
    async with thread.db.transaction() as tx:
        await emit(tx, AccountDeleted(reader.id))
    await thread.settle()
    await thread.settle()  # what it liked is counted anew a little later


async def test_its_words_stay_and_its_name_goes_everywhere(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    top = await ann.say("top")
    reply = await bob.say("reply", parent=top["id"])
    back = await ann.say("and back", parent=top["id"])
    taken_back = await ann.say("regretted", parent=top["id"])
    await ann.delete(taken_back)
    await ann.like(reply)
    body = {"reason": "other", "notes": "look"}
    await ann.client.post(f"{API}/comments/{reply['id']}/report", json=body)
    await thread.settle()
    assert (await thread.one(top))["replies"][0]["likesCount"] == 1
    assert await left(thread, ann) > 0
    await tell(thread, ann)
    assert await left(thread, ann) == 0
    assert await thread.db.primary.all(_WORDS_OF_DELETED) == [""]
    (item,) = (await thread.page())["items"]
    assert (item["content"], item["author"], item["isDeleted"]) == ("top", None, False)
    assert words(item["replies"]) == ["reply", "and back"]
    assert [one["author"] and one["author"]["username"] for one in item["replies"]] == ["bob", None]
    assert item["replies"][0]["likesCount"] == 0
    assert item["replyCount"] == 2
    (filed,) = (await thread.page(f"{API}/admin/reports", mod))["items"]
    assert (filed["reporter"], filed["notes"]) == (None, "look")
    assert (await bob.client.get(f"{API}/comments/{back['id']}")).json()["author"] is None


async def test_forgetting_twice_changes_nothing_and_goes_in_batches(
    thread: Thread, ann: Reader, bob: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "BATCH", 3)
    await thread.fill(7, user_id=ann.id)
    await bob.say("not hers")
    for item in (await thread.page())["items"]:
        await ann.like(item)
    for _ in range(2):
        await tell(thread, ann)
        assert await left(thread, ann) == 0
        items = (await thread.page())["items"]
        assert len(items) == 8
        assert [one["author"] and one["author"]["username"] for one in items].count("bob") == 1
        assert {one["likesCount"] for one in items} == {0}


async def test_what_it_wrote_in_its_last_moment_bears_no_name_either(
    thread: Thread, ann: Reader
) -> None:
    comment = await ann.say("at last")
    async with thread.db.transaction() as tx:
        await tx.run(_NOT_THERE, ann.id)
    assert (await thread.one(comment))["author"] is None
    assert (await thread.rig.get(f"{API}/users/ann/comments")).status_code == 404


async def test_all_that_somebody_said_liked_and_reported_can_be_taken_along(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(belongings, "BATCH", 2)
    theirs = await bob.say("theirs", await thread.chapter(2))
    mine = await ann.say("mine", await thread.chapter(2), theirs["id"])
    gone = await ann.say("gone")
    hidden = await ann.say("hidden")
    await ann.delete(gone)
    await mod.moderate(hidden, isHidden=True)
    await ann.like(theirs)
    body = {"reason": "spam", "notes": "ad"}
    for path in (f"comments/{theirs['id']}", "series/truyen:s1"):
        await ann.client.post(f"{API}/{path}/report", json=body)
    chapter = (await thread.chapter(1)).removesuffix("/comments")
    await ann.client.post(f"{chapter}/report", json=body)
    found = await all_of(thread.db.primary, ann.id)
    story = {"source": "truyen", "slug": "s1", "title": "S1"}
    of_chapter = {"number": 2.0, "language": "vi"}
    first, second, third = found["comments"]
    assert first == {
        "id": mine["id"],
        "story": story,
        "chapter": of_chapter,
        "in_reply_to": theirs["id"],
        "content": "mine",
        "created_at": mine["createdAt"],
        "edited_at": None,
        "deleted_at": None,
    }
    assert (second["content"], second["deleted_at"] is None) == ("gone", False)
    assert (third["content"], third["chapter"]) == ("hidden", None)
    assert [like["comment"] for like in found["comment_likes"]] == [theirs["id"]]
    assert [
        (one["target_type"], one["story"], one["chapter"], one["comment"], one["notes"])
        for one in found["reports"]
    ] == [
        ("comment", None, None, theirs["id"], "ad"),
        ("story", story, None, None, "ad"),
        ("chapter", story, {"number": 1.0, "language": "vi"}, None, "ad"),
    ]
    assert await all_of(thread.db.primary, mod.id) == {
        "comments": [],
        "comment_likes": [],
        "reports": [],
    }
