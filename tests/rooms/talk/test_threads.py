"""Threads over `/api/v1`: in their order, page by page, with their replies."""

from typing import Any

import pytest

from tests.rooms.talk.thread import API, SERIES, Reader, Thread, words

pytestmark = pytest.mark.anyio

ORDERS = ("newest", "oldest", "top")


async def test_a_comment_is_told_in_full(thread: Thread, ann: Reader) -> None:
    said = await ann.say("  Well\r\nsaid  ")
    me = (await ann.client.get(f"{API}/auth/me")).json()
    (item,) = (await thread.page())["items"]
    now = thread.clock.now().isoformat().replace("+00:00", "Z")
    assert item == {
        "id": said["id"],
        "parentId": None,
        "content": "Well\nsaid",
        "author": {
            "id": me["id"],
            "username": "ann",
            "displayName": "Ann",
            "avatarUrl": None,
            "actorUri": None,
            "fingerprint": b"ann".hex().zfill(32),
        },
        "likesCount": 0,
        "replyCount": 0,
        "isPinned": False,
        "isDeleted": False,
        "isLocal": True,
        "isOwn": False,
        "isLiked": False,
        "editedAt": None,
        "createdAt": now,
        "updatedAt": now,
        "replies": [],
        "repliesCursor": None,
    }
    assert said == item | {"isOwn": True}
    assert await thread.one(said) == item


async def test_a_story_and_each_of_its_chapters_have_threads_of_their_own(
    thread: Thread, ann: Reader
) -> None:
    first, second = await thread.chapter(1), await thread.chapter(2)
    await ann.say("of the story")
    await ann.say("of chapter 1", first)
    await ann.say("of chapter 2", second)
    assert words((await thread.page())["items"]) == ["of the story"]
    assert words((await thread.page(first))["items"]) == ["of chapter 1"]
    assert words((await thread.page(second))["items"]) == ["of chapter 2"]
    assert (await thread.page(f"{API}/series/truyen:s2/comments"))["items"] == []


@pytest.mark.parametrize("sort", ORDERS)
@pytest.mark.parametrize("on_chapter", [False, True])
async def test_every_order_has_the_pinned_first_and_pages_lose_and_repeat_nothing(
    thread: Thread, sort: str, on_chapter: bool
) -> None:
    chapter_id = await thread.chapter_id() if on_chapter else None
    await thread.fill(100, chapter_id=chapter_id)
    await thread.fill(5, chapter_id=None if on_chapter else await thread.chapter_id())
    where = await thread.chapter() if on_chapter else ""
    whole = (await thread.page(where, sort=sort, limit=100))["items"]
    assert len(whole) == 100
    assert sum(item["isPinned"] for item in whole) == 5
    number = {item["id"]: int(item["content"].split()[1]) for item in whole}

    def place(item: dict[str, Any]) -> tuple[Any, ...]:
        ahead = 1 if sort == "oldest" else -1
        likes = -item["likesCount"] if sort == "top" else 0
        return not item["isPinned"], likes, ahead * number[item["id"]]

    assert [item["id"] for item in whole] == [item["id"] for item in sorted(whole, key=place)]
    for limit in (1, 3, 7, 99):
        pages = await thread.everything(where, sort=sort, limit=limit)
        assert [item["id"] for item in pages] == [item["id"] for item in whole], limit


async def test_a_comment_comes_with_its_first_replies_and_where_the_others_are(
    thread: Thread, ann: Reader, bob: Reader
) -> None:
    top, lone = await ann.say("first"), await ann.say("second")
    for number in range(5):
        await bob.say(f"reply {number}", parent=top["id"])
    await thread.settle()
    without, with_ = (await thread.page())["items"]
    assert (without["id"], without["replies"], without["repliesCursor"]) == (lone["id"], [], None)
    assert words(with_["replies"]) == ["reply 0", "reply 1", "reply 2"]
    assert with_["replyCount"] == 5
    assert {reply["parentId"] for reply in with_["replies"]} == {top["id"]}
    replies = f"{API}/comments/{top['id']}/replies"
    rest = await thread.page(replies, cursor=with_["repliesCursor"])
    assert words(rest["items"]) == ["reply 3", "reply 4"]
    assert not rest["hasMore"]
    assert words(await thread.everything(replies, limit=2)) == [f"reply {n}" for n in range(5)]


async def test_three_replies_leave_nothing_to_go_on_with(thread: Thread, ann: Reader) -> None:
    top = await ann.say("first")
    for number in range(3):
        await ann.say(f"reply {number}", parent=top["id"])
    (item,) = (await thread.page())["items"]
    assert len(item["replies"]) == 3
    assert item["repliesCursor"] is None


async def test_whoever_has_signed_in_is_told_what_is_own_and_liked_and_nobody_keeps_it(
    thread: Thread, ann: Reader, bob: Reader
) -> None:
    top = await ann.say("mine")
    reply = await bob.say("theirs", parent=top["id"])
    await ann.like(reply)

    def marks(item: dict[str, Any]) -> list[tuple[bool, bool]]:
        return [(one["isOwn"], one["isLiked"]) for one in (item, *item["replies"])]

    for where in ("", f"{API}/comments/{top['id']}"):
        for reader, expected in (
            (ann, [(True, False), (False, True)]),
            (bob, [(False, False), (True, False)]),
            (None, [(False, False), (False, False)]),
        ):
            page = await thread.page(where, reader)
            assert marks(page["items"][0] if "items" in page else page) == expected
    address = f"{API}/series/{SERIES}/comments"
    assert (await ann.client.get(address)).headers["cache-control"] == "private, no-store"
    assert (await thread.rig.get(address)).headers["cache-control"] == "no-cache"


async def test_a_cursor_is_good_for_its_own_thread_and_order_alone(thread: Thread) -> None:
    await thread.fill(10)
    page = await thread.page(limit=2)
    cursor = page["nextCursor"]
    for where, asked in (
        ("", {"sort": "top"}),
        ("", {"sort": "oldest"}),
        (await thread.chapter(), {}),
        (f"{API}/series/truyen:s2/comments", {}),
    ):
        address = where or f"{API}/series/{SERIES}/comments"
        answer = await thread.rig.get(address, params={"cursor": cursor, **asked})
        assert (answer.status_code, answer.json()["code"]) == (422, "VALIDATION_ERROR"), address
    top = await thread.page(f"{API}/comments/{page['items'][0]['id']}/replies")
    assert top["items"] == []


@pytest.mark.parametrize("asked", [{"limit": 0}, {"limit": 101}, {"sort": "best"}, {"q": "x"}])
async def test_what_a_thread_cannot_be_asked_is_refused(
    thread: Thread, asked: dict[str, Any]
) -> None:
    answer = await thread.rig.get(f"{API}/series/{SERIES}/comments", params=asked)
    assert (answer.status_code, answer.json()["code"]) == (422, "VALIDATION_ERROR")


async def test_what_is_not_there_is_told_as_the_contract_says(thread: Thread, ann: Reader) -> None:
    nobody = "0190163d-8694-739b-aea5-966c26f8ad91"
    for path, code in (
        (f"series/{SERIES}x/comments", "SERIES_NOT_FOUND"),
        (f"chapters/{nobody}/comments", "CHAPTER_NOT_FOUND"),
        ("chapters/x/comments", "CHAPTER_NOT_FOUND"),
        (f"comments/{nobody}", "NOT_FOUND"),
        ("comments/x", "NOT_FOUND"),
        (f"comments/{nobody}/replies", "NOT_FOUND"),
    ):
        answer = await thread.rig.get(f"{API}/{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, code), path
        if path.endswith("comments"):
            refused = await ann.post("hello", f"{API}/{path}")
            assert (refused.status_code, refused.json()["code"]) == (404, code), path


async def test_a_page_stays_whole_while_others_write_and_like(thread: Thread, ann: Reader) -> None:
    await thread.fill(20)
    page = await thread.page(limit=5, sort="oldest")
    seen = list(page["items"])
    await ann.say("meanwhile")
    while page["hasMore"]:
        page = await thread.page(limit=5, sort="oldest", cursor=page["nextCursor"])
        seen += page["items"]
    assert len(seen) == len({item["id"] for item in seen}) == 21
    assert seen[-1]["content"] == "meanwhile"
