"""Comments and reports over the novel API, as a client written from its contract meets them."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from tests.rooms.catalogue.incoming import story
from tests.rooms.talk.thread import NOVEL, Answer, Reader, Thread, words

pytestmark = pytest.mark.anyio


async def post(thread: Thread, by: Reader, content: str, **body: Any) -> httpx.Response:
    thread.clock.advance(timedelta(seconds=7))
    body = {"story_id": await thread.story_id(), "content": content, **body}
    return await by.client.post(f"{NOVEL}/me/comments", json=body)


async def said(thread: Thread, by: Reader, content: str, **body: Any) -> Answer:
    answer = await post(thread, by, content, **body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


async def test_a_new_comment_is_answered_as_the_contract_says(thread: Thread, ann: Reader) -> None:
    story_id, chapter_id = await thread.story_id(), await thread.chapter_id()
    top = await said(thread, ann, "top", chapter_id=chapter_id)
    now = thread.clock.now().isoformat().replace("+00:00", "Z")
    assert top == {
        "id": top["id"],
        "user_id": ann.id,
        "story_id": story_id,
        "chapter_id": chapter_id,
        "parent_id": None,
        "content": "top",
        "created_at": now,
    }
    reply = await said(thread, ann, "reply", chapter_id=chapter_id, parent_id=top["id"])
    assert reply["parent_id"] == top["id"]


async def test_a_thread_is_told_in_full(thread: Thread, ann: Reader, bob: Reader) -> None:
    top = await said(thread, ann, "<i>top</i>")
    for number in range(4):
        await said(thread, bob, f"reply {number}", parent_id=top["id"])
    await thread.settle()
    where = f"{NOVEL}/stories/{await thread.story_id()}/comments"
    page = await thread.page(where, ann)
    (item,) = page["items"]
    replies, following = item.pop("replies"), item.pop("replies_next_cursor")
    assert item == {
        **top,
        "user": {"id": ann.id, "username": "ann", "display_name": "Ann", "avatar_url": None},
        "likes_count": 0,
        "reply_count": 4,
        "is_pinned": False,
        "is_deleted": False,
        "is_own": True,
        "is_liked": False,
        "edited_at": None,
        "updated_at": top["created_at"],
    }
    assert (page["next_cursor"], page["has_more"]) == (None, False)
    assert words(replies) == ["reply 0", "reply 1", "reply 2"]
    assert {reply["user_id"] for reply in replies} == {bob.id}
    rest = await thread.page(where, parent_id=top["id"], cursor=following)
    assert (words(rest["items"]), rest["has_more"]) == (["reply 3"], False)
    every = await thread.everything(where, parent_id=top["id"], limit=1)
    assert words(every) == [f"reply {n}" for n in range(4)]


@pytest.mark.parametrize("sort", ["newest", "oldest", "top", None])
async def test_lists_are_paged_in_every_order(thread: Thread, sort: str | None) -> None:
    chapter_id = await thread.chapter_id()
    await thread.fill(50, chapter_id=chapter_id)
    where = f"{NOVEL}/chapters/{chapter_id}/comments"
    asked: dict[str, Any] = {} if sort is None else {"sort": sort}
    whole = await thread.page(where, limit=50, **asked)
    assert len(whole["items"]) == 50
    paged = await thread.everything(where, limit=7, **asked)
    assert [item["id"] for item in paged] == [item["id"] for item in whole["items"]]
    assert [item["is_pinned"] for item in paged] == [True] * 2 + [False] * 48
    unpinned = paged[2:]

    def place(one: Answer) -> tuple[int, int]:
        ahead = 1 if sort == "oldest" else -1
        return -one["likes_count"] if sort == "top" else 0, ahead * one["id"]

    assert unpinned == sorted(unpinned, key=place)
    assert len((await thread.page(where, **asked))["items"]) == 20


async def test_own_comments_are_deleted_and_no_others(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    top = await said(thread, ann, "top")
    for who, id_ in ((bob, top["id"]), (mod, top["id"]), (ann, 999_999)):
        answer = await who.client.delete(f"{NOVEL}/me/comments/{id_}")
        assert refusal(answer) == (404, "not_found")
    here = f"{NOVEL}/me/comments/{top['id']}"
    answer = await ann.client.delete(here)
    assert (answer.status_code, answer.content) == (204, b"")
    assert refusal(await ann.client.delete(here)) == (404, "not_found")


async def test_likes_show_to_whoever_likes(thread: Thread, ann: Reader, bob: Reader) -> None:
    top = await said(thread, ann, "top")
    here = f"{NOVEL}/me/likes/{top['id']}"
    assert (await bob.client.post(here)).status_code == 204
    await thread.settle()
    where = f"{NOVEL}/stories/{await thread.story_id()}/comments"
    for who, liked in ((bob, True), (ann, False), (None, False)):
        (item,) = (await thread.page(where, who))["items"]
        assert (item["is_liked"], item["likes_count"]) == (liked, 1)
    assert (await bob.client.delete(here)).status_code == 204
    (item,) = (await thread.page(where, bob))["items"]
    assert not item["is_liked"]
    assert refusal(await bob.client.post(f"{NOVEL}/me/likes/999999")) == (404, "not_found")


async def test_reports_are_filed_once_while_they_are_open(thread: Thread, ann: Reader) -> None:
    top = await said(thread, ann, "top")
    things = {
        "story": await thread.story_id(),
        "chapter": await thread.chapter_id(),
        "comment": top["id"],
    }
    for kind, id_ in things.items():
        body = {"entity_type": kind, "entity_id": id_, "reason": "other", "detail": "why"}
        answer = await ann.client.post(f"{NOVEL}/me/reports", json=body)
        assert answer.status_code == 201
        assert set(answer.json()) == {"id", "status", "created_at"}
        assert answer.json()["status"] == "open"
        again = await ann.client.post(f"{NOVEL}/me/reports", json=body)
        assert (again.status_code, again.json()) == (200, answer.json())
        body["entity_id"] = 999_999
        assert refusal(await ann.client.post(f"{NOVEL}/me/reports", json=body)) == (
            404,
            "not_found",
        )


async def test_what_is_hidden_is_not_found_by_anybody(thread: Thread, ann: Reader) -> None:
    story_id, chapter_id = await thread.story_id("s2"), await thread.chapter_id(1, "s2")
    top = await said(thread, ann, "top", story_id=story_id)
    await said(thread, ann, "chapter", story_id=story_id, chapter_id=chapter_id)
    await thread.shelf.stories(story("s2", 5, deleted=True))
    for answer in (
        await ann.client.get(f"{NOVEL}/stories/{story_id}/comments"),
        await ann.client.get(f"{NOVEL}/stories/{story_id}/comments?parent_id={top['id']}"),
        await ann.client.get(f"{NOVEL}/chapters/{chapter_id}/comments"),
        await post(thread, ann, "more", story_id=story_id),
        await post(thread, ann, "more", story_id=story_id, chapter_id=chapter_id),
        await ann.client.post(f"{NOVEL}/me/likes/{top['id']}"),
    ):
        assert refusal(answer) == (404, "not_found")
    for kind, id_ in (("story", story_id), ("chapter", chapter_id), ("comment", top["id"])):
        body = {"entity_type": kind, "entity_id": id_, "reason": "other"}
        answer = await ann.client.post(f"{NOVEL}/me/reports", json=body)
        assert refusal(answer) == (404, "not_found")
    assert (await ann.client.delete(f"{NOVEL}/me/comments/{top['id']}")).status_code == 204


async def test_every_wrong_body_is_an_invalid_schema(thread: Thread, ann: Reader) -> None:
    top = await said(thread, ann, "top")
    reply = await said(thread, ann, "reply", parent_id=top["id"])
    elsewhere = await said(thread, ann, "elsewhere", chapter_id=await thread.chapter_id())
    thread.clock.advance(timedelta(minutes=1))
    for body in (
        {"content": ""},
        {"content": " "},
        {"content": "x" * 2001},
        {"content": 1},
        {"content": "x", "story_id": "1"},
        {"content": "x", "story_id": 0},
        {"content": "x", "story_id": 2**63},
        {"content": "x", "user_id": 1},
        {"content": "too deep", "parent_id": reply["id"]},
        {"content": "astray", "parent_id": elsewhere["id"]},
    ):
        answer = await ann.client.post(
            f"{NOVEL}/me/comments", json={"story_id": await thread.story_id(), **body}
        )
        assert refusal(answer) == (400, "invalid_schema"), body
    for body in (
        {"entity_type": "user", "entity_id": 1, "reason": "spam"},
        {"entity_type": "story", "entity_id": 1, "reason": "dull"},
        {"entity_type": "story", "reason": "spam"},
        {
            "entity_type": "story",
            "entity_id": await thread.story_id(),
            "reason": "spam",
            "detail": "x" * 501,
        },
    ):
        answer = await ann.client.post(f"{NOVEL}/me/reports", json=body)
        assert refusal(answer) == (400, "invalid_schema"), body


async def test_what_belongs_to_another_story_is_not_found(thread: Thread, ann: Reader) -> None:
    other = await thread.chapter_id(1, "s2")
    assert refusal(await post(thread, ann, "astray", chapter_id=other)) == (404, "not_found")
    assert refusal(await post(thread, ann, "astray", parent_id=999_999)) == (404, "not_found")
    assert refusal(await post(thread, ann, "astray", story_id=999_999)) == (404, "not_found")
    top = await said(thread, ann, "top")
    where = f"{NOVEL}/stories/{await thread.story_id('s2')}/comments"
    answer = await thread.rig.get(where, params={"parent_id": top["id"]})
    assert refusal(answer) == (404, "not_found")


async def test_what_a_list_cannot_be_asked_is_refused(thread: Thread, ann: Reader) -> None:
    top = await said(thread, ann, "top")
    where = f"{NOVEL}/stories/{await thread.story_id()}/comments"
    for asked, code in (
        ({"limit": 51}, "invalid_filter"),
        ({"limit": 0}, "invalid_filter"),
        ({"sort": "best"}, "invalid_filter"),
        ({"page": 2}, "invalid_filter"),
        ({"parent_id": top["id"], "sort": "newest"}, "invalid_filter"),
        ({"cursor": "abc"}, "invalid_cursor"),
    ):
        answer = await thread.rig.get(where, params=asked)
        status = 400
        assert refusal(answer) == (status, code), asked


async def test_nobody_acts_without_an_account(thread: Thread) -> None:
    visitor = thread.rig.client
    body = {"story_id": await thread.story_id(), "content": "x"}
    for answer in (
        await visitor.post(f"{NOVEL}/me/comments", json=body),
        await visitor.delete(f"{NOVEL}/me/comments/1"),
        await visitor.post(f"{NOVEL}/me/likes/1"),
        await visitor.delete(f"{NOVEL}/me/likes/1"),
        await visitor.post(
            f"{NOVEL}/me/reports",
            json={"entity_type": "story", "entity_id": 1, "reason": "spam"},
        ),
    ):
        assert refusal(answer) == (401, "invalid_token")


async def test_too_many_comments_are_rate_limited(thread: Thread, ann: Reader) -> None:
    story_id = await thread.story_id()
    for number in range(10):
        body = {"story_id": story_id, "content": f"comment {number}"}
        answer = await ann.client.post(f"{NOVEL}/me/comments", json=body)
        assert answer.status_code == 201
    body = {"story_id": story_id, "content": "one more"}
    answer = await ann.client.post(f"{NOVEL}/me/comments", json=body)
    assert refusal(answer) == (429, "rate_limited")
    assert int(answer.headers["retry-after"]) >= 1
