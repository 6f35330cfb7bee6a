"""What somebody has written: by the portable identity, and only where everybody can read."""

from datetime import timedelta

import pytest

from rensai.kit.db import Command
from rensai.rooms.catalogue.door import set_policy
from rensai.rooms.talk.service import history
from tests.rooms.catalogue.incoming import chapter, story
from tests.rooms.talk.thread import API, SERIES, Reader, Thread, words

pytestmark = pytest.mark.anyio

_FROM_ELSEWHERE = Command(
    """
    INSERT INTO comments (
        uid, story_id, content, is_local, actor_uri, author_display_name, author_avatar_url,
        portable_key_fingerprint, activity_pub_object_uri, created_at, updated_at
    ) VALUES (
        gen_random_uuid(), $1, $2, false, 'https://far.example/users/ann', 'Ann <afar>',
        'https://far.example/ann.webp', $3, 'https://far.example/' || $2, $4, $4
    )
    """
)
_NO_IDENTITY = Command(
    """
    WITH gone AS (UPDATE users SET portable_key_fingerprint = NULL WHERE id = $1)
    UPDATE comments SET portable_key_fingerprint = NULL WHERE user_id = $1
    """
)
ANN = f"{API}/users/ann/comments"


async def from_elsewhere(thread: Thread, content: str, fingerprint: str | None) -> None:
    thread.clock.advance(timedelta(seconds=7))
    async with thread.db.transaction() as tx:
        await tx.run(
            _FROM_ELSEWHERE, await thread.story_id(), content, fingerprint, thread.clock.now()
        )


async def test_it_tells_what_each_comment_is_about(
    thread: Thread, ann: Reader, bob: Reader
) -> None:
    top = await ann.say("of the story")
    theirs = await bob.say("not hers", await thread.chapter(2))
    reply = await ann.say("reply", await thread.chapter(2), theirs["id"])
    second, first = (await thread.page(f"{API}/users/ANN/comments"))["items"]
    assert (first["id"], second["id"]) == (top["id"], reply["id"])
    assert (first["series"]["slug"], first["series"]["title"]) == (SERIES, "S1")
    assert (first["chapter"], first["parentId"]) == (None, None)
    assert (second["chapter"]["sortOrder"], second["chapter"]["slug"]) == (2.0, "c-2")
    assert (second["parentId"], second["author"]["username"]) == (theirs["id"], "ann")


async def test_it_goes_by_the_identity_across_servers(thread: Thread, ann: Reader) -> None:
    await ann.say("here")
    await from_elsewhere(thread, "elsewhere", b"ann".hex().zfill(32))
    await from_elsewhere(thread, "stranger", "f" * 32)
    await from_elsewhere(thread, "mastodon", None)
    items = (await thread.page(ANN))["items"]
    assert words(items) == ["elsewhere", "here"]
    assert items[0]["author"] == {
        "id": None,
        "username": None,
        "displayName": "Ann <afar>",
        "avatarUrl": "https://far.example/ann.webp",
        "actorUri": "https://far.example/users/ann",
        "fingerprint": None,
    }
    assert len((await thread.page())["items"]) == 4


async def test_an_account_without_an_identity_has_what_it_wrote_here(
    thread: Thread, ann: Reader, bob: Reader
) -> None:
    await ann.say("hers")
    await bob.say("not hers")
    await from_elsewhere(thread, "mastodon", None)
    async with thread.db.transaction() as tx:
        await tx.run(_NO_IDENTITY, ann.id)
    assert words((await thread.page(ANN))["items"]) == ["hers"]


async def test_what_is_under_something_hidden_is_left_out_and_pages_stay_whole(
    thread: Thread, ann: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "_BATCH", 3)
    shelf, clock = thread.shelf, thread.clock
    await shelf.stories(story("closed", status=1), source="closed")
    places = {
        "open": "",
        "gone": f"{API}/series/truyen:s2/comments",
        "closed": f"{API}/series/closed:closed/comments",
        "unpublished": await thread.chapter(2),
        "chapter": await thread.chapter(1),
    }
    for number in range(4):
        for name, where in places.items():
            await ann.say(f"{name} {number}", where)
    await shelf.stories(story("s2", 5, deleted=True))
    await set_policy(thread.db, clock, "closed", is_public=False)
    await shelf.chapters(chapter(2, 5, is_published=False))
    expected = [f"{name} {number}" for number in (3, 2, 1, 0) for name in ("chapter", "open")]
    for limit in (1, 2, 3, 100):
        assert words(await thread.everything(ANN, limit=limit)) == expected, limit
    await set_policy(thread.db, clock, "closed", is_public=True)
    await shelf.stories(story("s2", 9, status=1))
    await shelf.chapters(chapter(2, 9, is_published=True))
    assert len(await thread.everything(ANN, limit=7)) == 20


async def test_a_page_looks_at_so_much_and_no_more(
    thread: Thread, ann: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where very much is hidden, a page may be short; whoever goes on misses nothing."""
    monkeypatch.setattr(history, "_BATCH", 2)
    monkeypatch.setattr(history, "_MOST_BATCHES", 2)
    await ann.say("first")
    for number in range(6):
        await ann.say(f"hidden {number}", f"{API}/series/truyen:s2/comments")
    await ann.say("last")
    await thread.shelf.stories(story("s2", 5, deleted=True))
    pages = [await thread.page(ANN)]
    while pages[-1]["hasMore"]:
        pages.append(await thread.page(ANN, cursor=pages[-1]["nextCursor"]))
    assert [words(page["items"]) for page in pages] == [["last"], ["first"], []]


async def test_nobody_of_that_name_is_not_found(thread: Thread, ann: Reader) -> None:
    for name in ("nobody", "x", "an%20n", "a" * 200):
        answer = await thread.rig.get(f"{API}/users/{name}/comments")
        assert answer.status_code == 404, name


async def test_a_cursor_is_of_one_person(thread: Thread, ann: Reader, bob: Reader) -> None:
    await ann.say("one")
    await ann.say("two")
    cursor = (await thread.page(ANN, limit=1))["nextCursor"]
    answer = await thread.rig.get(f"{API}/users/bob/comments", params={"cursor": cursor})
    assert (answer.status_code, answer.json()["code"]) == (422, "VALIDATION_ERROR")
