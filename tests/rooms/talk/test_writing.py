"""Writing comments: who may, how often, what; changing them, and taking them away."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest

from rensai.kit.db import Command
from rensai.rooms.talk.service.counting import count
from tests.rooms.talk.thread import API, PASSWORD, SERIES, Reader, Thread, words

pytestmark = pytest.mark.anyio

_VERIFIED_ONLY = Command("UPDATE instance_config SET require_email_verification = true")
_BAN = Command("UPDATE users SET is_banned = true WHERE username = $1")
HERE = f"{API}/series/{SERIES}/comments"


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)> & \"quotes\" 'too'",
        "{{ 7 * 7 }} ${7*7} %s \\u0041",
        "a\tb\n\nc",
        "Thần Đạo 神道 \U0001f469\u200d\U0001f4bb",
        "'; DROP TABLE comments; --",
        "x" * 2000,
        "\U0001f600" * 2000,
    ],
)
async def test_what_is_written_comes_back_as_the_same_text(
    thread: Thread, ann: Reader, text: str
) -> None:
    said = await ann.say(text)
    assert said["content"] == text
    answer = await thread.rig.get(HERE)
    assert answer.headers["content-type"] == "application/json"
    assert words(answer.json()["items"]) == [text]


async def test_text_is_trimmed_composed_and_measured_in_characters(ann: Reader) -> None:
    assert (await ann.say(" \n e\u0301t\u00e9 \r\nx\ry "))["content"] == "été \nx\ny"
    assert (await ann.say("e\u0301" * 2000))["content"] == "é" * 2000


@pytest.mark.parametrize(
    "text", ["", " ", "\n\t ", "x" * 2001, "x" * 4001, "a\x07b", "a\x1b[31m", "a\x85x"]
)
async def test_text_that_is_none_or_too_long_or_has_controls_is_refused(
    thread: Thread, ann: Reader, text: str
) -> None:
    answer = await ann.post(text)
    assert (answer.status_code, answer.json()["code"]) == (422, "VALIDATION_ERROR")
    assert answer.json()["details"][0]["path"] == "content"
    assert (await thread.page())["items"] == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"content": 1},
        {"content": "x", "parentId": "x"},
        {"content": "x", "userId": 1},
        {"content": "x", "isPinned": True},
        {"content": "x", "likesCount": 9},
        {"content": "x", "createdAt": "2020-01-01T00:00:00Z"},
        [],
        None,
    ],
)
async def test_nothing_but_text_and_parent_can_be_sent(
    thread: Thread, ann: Reader, body: object
) -> None:
    answer = await ann.client.post(HERE, json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "VALIDATION_ERROR")
    assert (await thread.page())["items"] == []


async def test_nobody_writes_without_an_account(thread: Thread, ann: Reader) -> None:
    comment = await ann.say("hello")
    here = f"{API}/comments/{comment['id']}"
    visitor = thread.rig.client
    for answer in (
        await visitor.post(HERE, json={"content": "x"}),
        await visitor.post(await thread.chapter(), json={"content": "x"}),
        await visitor.patch(here, json={"content": "x"}),
        await visitor.delete(here),
        await visitor.post(f"{here}/like"),
        await visitor.delete(f"{here}/like"),
        await visitor.post(f"{here}/report", json={"reason": "spam"}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (401, "AUTH_REQUIRED")


async def test_a_browser_writes_by_its_cookie_and_from_our_own_pages_alone(
    thread: Thread, ann: Reader
) -> None:
    browser = thread.rig.visitor("192.0.2.250")
    login = {"login": "ann", "password": PASSWORD}
    assert (await browser.post(f"{API}/auth/login", json=login)).status_code == 200
    foreign = {"Sec-Fetch-Site": "cross-site"}
    refused = await browser.post(HERE, json={"content": "from afar"}, headers=foreign)
    assert (refused.status_code, refused.json()["code"]) == (403, "FOREIGN_FORM")
    own = {"Sec-Fetch-Site": "same-origin"}
    said = await browser.post(HERE, json={"content": "from here"}, headers=own)
    assert (said.status_code, said.json()["author"]["username"]) == (201, "ann")
    assert words((await thread.page())["items"]) == ["from here"]


async def test_ten_comments_a_minute_and_account(thread: Thread, ann: Reader, bob: Reader) -> None:
    for number in range(10):
        assert (await ann.post(f"comment {number}")).status_code == 201
    refused = await ann.post("one more")
    assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
    assert 1 <= int(refused.headers["retry-after"]) <= 61
    assert (await ann.post("elsewhere", await thread.chapter())).status_code == 429
    assert (await bob.post("not mine")).status_code == 201
    thread.clock.advance(timedelta(seconds=61))
    assert (await ann.post("one more")).status_code == 201


async def test_the_same_text_twice_within_a_minute_is_refused_wherever_it_is(
    thread: Thread, ann: Reader, bob: Reader
) -> None:
    assert (await ann.post("Thanks!")).status_code == 201
    for where in ("", await thread.chapter()):
        refused = await ann.post("  Thanks! ", where)
        assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
        assert refused.headers["retry-after"] == "60"
    assert (await bob.post("Thanks!")).status_code == 201
    thread.clock.advance(timedelta(seconds=61))
    assert (await ann.post("Thanks!")).status_code == 201


async def test_what_was_deleted_may_be_said_again(ann: Reader) -> None:
    await ann.delete(await ann.say("oops"))
    assert (await ann.post("oops")).status_code == 201


async def test_of_equal_comments_at_the_same_moment_one_is_written(
    thread: Thread, ann: Reader
) -> None:
    answers = await asyncio.gather(*(ann.post("double click") for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [201, 429, 429, 429, 429]
    assert words((await thread.page())["items"]) == ["double click"]


async def test_the_unverified_write_nothing_where_that_is_asked(thread: Thread) -> None:
    new = await thread.reader("new", verified=False)
    assert (await new.post("before")).status_code == 201
    async with thread.db.transaction() as tx:
        await tx.run(_VERIFIED_ONLY)
    thread.clock.advance(timedelta(seconds=31))  # what the operator says is kept for 30
    refused = await new.post("after")
    assert (refused.status_code, refused.json()["code"]) == (403, "EMAIL_UNVERIFIED")
    old = await thread.reader("old")
    assert (await old.post("after")).status_code == 201


async def test_the_banned_write_nothing(thread: Thread, ann: Reader) -> None:
    async with thread.db.transaction() as tx:
        await tx.run(_BAN, "ann")
    assert (await ann.post("hello")).status_code in {401, 403}
    assert (await thread.page())["items"] == []


async def test_a_reply_is_two_deep_and_no_deeper(thread: Thread, ann: Reader) -> None:
    top = await ann.say("top")
    reply = await ann.say("reply", parent=top["id"])
    assert reply["parentId"] == top["id"]
    thread.clock.advance(timedelta(minutes=1))
    refused = await ann.post("deeper", parent=reply["id"])
    assert (refused.status_code, refused.json()["code"]) == (422, "VALIDATION_ERROR")


async def test_a_reply_stays_in_the_thread_of_what_it_answers(thread: Thread, ann: Reader) -> None:
    top = await ann.say("of the story")
    in_chapter = await ann.say("of the chapter", await thread.chapter())
    for parent, where in (
        (top, await thread.chapter()),
        (top, f"{API}/series/truyen:s2/comments"),
        (in_chapter, HERE),
        (in_chapter, await thread.chapter(2)),
    ):
        refused = await ann.post("astray", where, parent["id"])
        assert (refused.status_code, refused.json()["code"]) == (422, "VALIDATION_ERROR"), where


async def test_what_is_not_there_cannot_be_answered(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    gone, blank, hidden = [await ann.say(word) for word in ("gone", "blank", "hidden")]
    await bob.say("stays", parent=blank["id"])
    for comment in (gone, blank):
        await ann.delete(comment)
    await mod.moderate(hidden, isHidden=True)
    thread.clock.advance(timedelta(minutes=1))
    for id_ in (str(uuid4()), gone["id"], blank["id"], hidden["id"]):
        refused = await bob.post(f"answer to {id_}", parent=id_)
        assert (refused.status_code, refused.json()["code"]) == (404, "NOT_FOUND"), id_


async def test_its_author_may_change_a_comment_for_fifteen_minutes(
    thread: Thread, ann: Reader
) -> None:
    said = await ann.say("teh text")
    here = f"{API}/comments/{said['id']}"
    thread.clock.advance(timedelta(minutes=15))
    changed = await ann.client.patch(here, json={"content": " the text "})
    now = thread.clock.now().isoformat().replace("+00:00", "Z")
    expected = said | {"content": "the text", "editedAt": now, "updatedAt": now}
    assert (changed.status_code, changed.json()) == (200, expected)
    assert words((await thread.page())["items"]) == ["the text"]
    same = await ann.client.patch(here, json={"content": "the text"})
    assert same.json()["editedAt"] == now
    thread.clock.advance(timedelta(microseconds=1))
    refused = await ann.client.patch(here, json={"content": "too late"})
    assert (refused.status_code, refused.json()["code"]) == (403, "EDIT_WINDOW_OVER")
    assert words((await thread.page())["items"]) == ["the text"]


async def test_nobody_changes_or_deletes_what_another_wrote(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    said = await ann.say("mine")
    here = f"{API}/comments/{said['id']}"
    nowhere = f"{API}/comments/{uuid4()}"
    for who, method in ((bob, "PATCH"), (mod, "PATCH"), (bob, "DELETE")):
        body = {"content": "theirs"} if method == "PATCH" else None
        refused = await who.client.request(method, here, json=body)
        unknown = await who.client.request(method, nowhere, json=body)
        assert refused.status_code == unknown.status_code == 404
        assert refused.json() == unknown.json()
    assert (await bob.client.delete(f"{here}?hard=true")).status_code == 403
    assert words((await thread.page())["items"]) == ["mine"]


async def test_a_deleted_comment_is_gone_and_one_that_was_answered_is_a_blank(
    thread: Thread, ann: Reader, bob: Reader
) -> None:
    lone, top = await ann.say("lone"), await ann.say("secret top")
    reply = await bob.say("reply", parent=top["id"])
    own_reply = await ann.say("own reply", parent=top["id"])
    await ann.like(top)
    await ann.delete(lone)
    await ann.delete(top)
    (blank,) = (await thread.page(by=ann))["items"]
    assert words(blank["replies"]) == ["reply", "own reply"]
    assert [one["author"]["username"] for one in blank["replies"]] == ["bob", "ann"]
    assert (blank["content"], blank["author"], blank["isOwn"], blank["isLiked"]) == (
        "",
        None,
        False,
        False,
    )
    assert (blank["isDeleted"], blank["replyCount"], blank["id"]) == (True, 2, top["id"])
    assert (await thread.one(top, ann)) == blank
    assert (await thread.rig.get(f"{API}/comments/{lone['id']}")).status_code == 404
    assert (await ann.client.delete(f"{API}/comments/{top['id']}")).status_code == 404
    await thread.settle()  # nothing is left to be counted but what comes now
    await bob.delete(reply)
    await ann.delete(own_reply)
    await thread.settle()
    assert (await thread.page())["items"] == []
    assert (await thread.rig.get(f"{API}/comments/{top['id']}")).status_code == 404


async def test_a_blank_is_there_before_anything_was_counted(
    thread: Thread, ann: Reader, bob: Reader
) -> None:
    """The replies of a moment ago count, although their number is written down later."""
    top = await ann.say("top")
    await bob.say("reply", parent=top["id"])
    assert (await thread.one(top))["replyCount"] == 0
    await ann.delete(top)
    assert [item["isDeleted"] for item in (await thread.page())["items"]] == [True]


async def test_a_deletion_that_waits_for_a_count_has_seen_what_was_counted(
    thread: Thread, ann: Reader, bob: Reader
) -> None:
    top = await ann.say("top")
    id_ = await thread.key_of(top)
    async with thread.db.transaction() as tx:
        await count(tx, id_)
        deleting = asyncio.create_task(ann.delete(top))
        await asyncio.sleep(0.3)
        await asyncio.create_task(bob.say("reply", parent=top["id"]))
        assert await count(tx, id_)
        assert not deleting.done()
    await deleting
    assert [item["isDeleted"] for item in (await thread.page())["items"]] == [True]


async def test_a_reply_and_the_deletion_of_what_it_answers_leave_a_whole_thread(
    thread: Thread, ann: Reader, bob: Reader
) -> None:
    for number in range(10):
        top = await ann.say(f"top {number}")
        answer, deleted = await asyncio.gather(
            bob.post(f"reply {number}", parent=top["id"]),
            ann.client.delete(f"{API}/comments/{top['id']}"),
        )
        assert deleted.status_code == 204
        await thread.settle()
        items = (await thread.page())["items"]
        if answer.status_code == 201:
            assert items[0]["replies"][0]["content"] == f"reply {number}"
            assert items[0]["isDeleted"]
        else:
            assert answer.status_code == 404
            assert top["id"] not in {item["id"] for item in items}


async def test_a_moderator_deletes_and_only_an_administrator_erases(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    top = await ann.say("top")
    await bob.say("reply", parent=top["id"])
    await bob.like(top)
    here = f"{API}/comments/{top['id']}"
    assert (await mod.client.delete(here, params={"hard": True})).status_code == 403
    assert (await mod.client.delete(here)).status_code == 204
    assert [item["isDeleted"] for item in (await thread.page())["items"]] == [True]
    root = await thread.reader("root", "admin")
    assert (await root.client.delete(here, params={"hard": True})).status_code == 204
    assert (await thread.page())["items"] == []
    assert (await root.client.delete(here, params={"hard": True})).status_code == 404


async def test_erasing_a_reply_leaves_the_thread_counted(thread: Thread, ann: Reader) -> None:
    top = await ann.say("top")
    reply = await ann.say("reply", parent=top["id"])
    root = await thread.reader("root", "admin")
    await thread.settle()
    assert (await thread.one(top))["replyCount"] == 1
    here = f"{API}/comments/{reply['id']}?hard=true"
    assert (await root.client.delete(here)).status_code == 204
    await thread.settle()
    assert ((await thread.one(top))["replyCount"], (await thread.one(top))["replies"]) == (0, [])
