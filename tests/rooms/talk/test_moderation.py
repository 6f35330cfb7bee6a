"""What moderators do with comments, and that nobody else can."""

from uuid import uuid4

import pytest

from tests.rooms.talk.thread import API, Reader, Thread, words

pytestmark = pytest.mark.anyio

HIDDEN = f"{API}/admin/comments/hidden"


async def test_what_is_hidden_is_as_if_it_had_never_been_until_it_comes_back(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    top, other = await ann.say("hidden top"), await ann.say("other")
    reply = await bob.say("reply", parent=top["id"])
    await thread.settle()
    before = await thread.page()
    answer = await mod.moderate(top, isHidden=True)
    assert answer.status_code == 200
    assert answer.json()["isHidden"]
    assert answer.json()["author"]["username"] == "ann"
    for who in (None, ann, mod):
        assert [item["id"] for item in (await thread.page(by=who))["items"]] == [other["id"]]
        client = thread.rig.client if who is None else who.client
        for id_ in (top["id"], reply["id"]):
            for path in ("", "/replies"):
                gone = await client.get(f"{API}/comments/{id_}{path}")
                assert gone.status_code == 404
                assert gone.json() == (await client.get(f"{API}/comments/{uuid4()}")).json()
    assert words((await thread.page(f"{API}/users/ann/comments"))["items"]) == ["other"]
    assert (await thread.page(f"{API}/users/bob/comments"))["items"] == []
    await mod.moderate(top, isHidden=False)
    changed = await thread.page()
    for page in (before, changed):
        for item in page["items"]:
            item.pop("updatedAt")
    assert changed == before


async def test_a_hidden_reply_leaves_the_thread_and_its_count(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    top = await ann.say("top")
    bad = await bob.say("bad", parent=top["id"])
    await bob.say("good", parent=top["id"])
    await mod.moderate(bad, isHidden=True)
    await thread.settle()
    (item,) = (await thread.page())["items"]
    assert (words(item["replies"]), item["replyCount"]) == (["good"], 1)
    await mod.moderate(bad, isHidden=False)
    await thread.settle()
    (item,) = (await thread.page())["items"]
    assert (words(item["replies"]), item["replyCount"]) == (["bad", "good"], 2)


async def test_a_blank_goes_when_its_last_reply_is_hidden_and_comes_back_with_it(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    top = await ann.say("top")
    reply = await bob.say("reply", parent=top["id"])
    await ann.delete(top)
    for is_hidden, blanks in ((True, 0), (False, 1)):
        await mod.moderate(reply, isHidden=is_hidden)
        await thread.settle()
        assert len((await thread.page())["items"]) == blanks


async def test_pinned_comments_come_first_in_every_order_and_replies_cannot_be(
    thread: Thread, ann: Reader, mod: Reader
) -> None:
    first, second = await ann.say("first"), await ann.say("second")
    reply = await ann.say("reply", parent=first["id"])
    assert (await mod.moderate(first, isPinned=True)).json()["isPinned"]
    for sort in ("newest", "oldest", "top"):
        items = (await thread.page(sort=sort))["items"]
        assert [item["id"] for item in items] == [first["id"], second["id"]]
    await mod.moderate(first, isPinned=False)
    assert words((await thread.page())["items"]) == ["second", "first"]
    refused = await mod.moderate(reply, isPinned=True)
    assert (refused.status_code, refused.json()["code"]) == (422, "VALIDATION_ERROR")
    assert refused.json()["details"][0]["path"] == "isPinned"


async def test_what_is_left_out_of_a_moderation_stays(
    thread: Thread, ann: Reader, mod: Reader
) -> None:
    comment = await ann.say("steady")
    await mod.moderate(comment, isPinned=True)
    await mod.moderate(comment, isHidden=True)
    told = (await mod.moderate(comment, isHidden=False)).json()
    assert (told["isPinned"], told["isHidden"]) == (True, False)
    nothing = (await mod.moderate(comment)).json()
    assert (nothing["isPinned"], nothing["isHidden"]) == (True, False)


async def test_only_moderators_hide_pin_and_see_what_is_hidden(
    thread: Thread, ann: Reader, mod: Reader
) -> None:
    comment = await ann.say("mine")
    up = await thread.reader("uploader", "uploader")
    for who in (ann, up):
        refused = await who.moderate(comment, isPinned=True)
        assert (refused.status_code, refused.json()["code"]) == (403, "FORBIDDEN")
        assert (await who.client.get(HIDDEN)).status_code == 403
    here = f"{API}/comments/{comment['id']}/moderation"
    assert (await thread.rig.client.patch(here, json={"isHidden": True})).status_code == 401
    assert (await thread.rig.get(HIDDEN)).status_code == 401
    assert (await mod.client.get(HIDDEN)).json()["items"] == []
    assert not (await thread.one(comment))["isPinned"]


async def test_what_is_hidden_is_listed_for_moderators_page_by_page(
    thread: Thread, ann: Reader, mod: Reader
) -> None:
    comments = [await ann.say(f"comment {n}") for n in range(5)]
    for comment in comments:
        await mod.moderate(comment, isHidden=True)
    await mod.moderate(comments[2], isHidden=False)
    found: list[str] = []
    page = await thread.page(HIDDEN, mod, limit=3)
    found += words(page["items"])
    assert page["hasMore"]
    page = await thread.page(HIDDEN, mod, limit=3, cursor=page["nextCursor"])
    found += words(page["items"])
    assert found == [f"comment {n}" for n in (4, 3, 1, 0)]
    assert page["nextCursor"] is None


async def test_what_is_not_there_or_deleted_cannot_be_moderated(
    thread: Thread, ann: Reader, mod: Reader
) -> None:
    comment = await ann.say("mine")
    await ann.say("reply", parent=comment["id"])
    await ann.delete(comment)
    for id_ in (comment["id"], str(uuid4()), "x"):
        answer = await mod.moderate({"id": id_}, isHidden=True)
        assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


async def test_its_author_may_delete_what_is_hidden_and_not_change_it(
    thread: Thread, ann: Reader, mod: Reader
) -> None:
    comment = await ann.say("mine")
    await mod.moderate(comment, isHidden=True)
    here = f"{API}/comments/{comment['id']}"
    assert (await ann.client.patch(here, json={"content": "better"})).status_code == 404
    assert (await ann.client.delete(here)).status_code == 204
    await mod.moderate(comment, isHidden=False)
    assert (await thread.page())["items"] == []
