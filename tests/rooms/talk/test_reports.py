"""Reports: filed by readers, decided by moderators, each thing once."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest

from tests.rooms.catalogue.incoming import story
from tests.rooms.talk.thread import API, SERIES, Answer, Reader, Thread

pytestmark = pytest.mark.anyio

REPORTS = f"{API}/admin/reports"


async def report(by: Reader, comment: Answer, **body: object) -> Answer:
    answer = await by.client.post(
        f"{API}/comments/{comment['id']}/report", json={"reason": "spam", **body}
    )
    assert answer.status_code in {200, 201}, answer.text
    return answer.json()


async def test_a_moderator_sees_all_that_is_needed_to_decide(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    comment = await ann.say("buy this", await thread.chapter())
    filed = await report(bob, comment, notes=" <b>an ad</b> ")
    now = thread.clock.now().isoformat().replace("+00:00", "Z")
    assert filed == {"id": filed["id"], "status": "open", "reason": "spam", "createdAt": now}
    changed = {"content": "innocent"}
    await ann.client.patch(f"{API}/comments/{comment['id']}", json=changed)
    (item,) = (await thread.page(REPORTS, mod))["items"]
    assert (item["id"], item["targetType"], item["status"]) == (filed["id"], "comment", "open")
    assert (item["notes"], item["quoted"]) == ("<b>an ad</b>", "buy this")
    assert (item["reporter"]["username"], item["resolver"]) == ("bob", None)
    assert (item["comment"]["content"], item["comment"]["author"]["username"]) == (
        "innocent",
        "ann",
    )
    assert (item["series"]["slug"], item["chapter"]["sortOrder"]) == (SERIES, 1.0)
    assert item["openReports"] == 1


async def test_series_and_chapters_can_be_reported_too(
    thread: Thread, ann: Reader, mod: Reader
) -> None:
    chapter = (await thread.chapter()).removesuffix("/comments")
    for where in (f"{API}/series/{SERIES}", chapter):
        answer = await ann.client.post(f"{where}/report", json={"reason": "copyright"})
        assert answer.status_code == 201
        again = await ann.client.post(f"{where}/report", json={"reason": "other"})
        assert (again.status_code, again.json()) == (200, answer.json())
    first, second = (await thread.page(REPORTS, mod))["items"]
    assert (first["targetType"], first["chapter"]["sortOrder"]) == ("chapter", 1.0)
    assert (second["targetType"], second["series"]["slug"]) == ("series", SERIES)
    assert (first["series"]["slug"], second["chapter"], second["comment"]) == (SERIES, None, None)


async def test_a_person_has_one_open_report_about_a_thing(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    comment = await ann.say("bad")
    answers = await asyncio.gather(*(report(bob, comment) for _ in range(5)))
    assert len({answer["id"] for answer in answers}) == 1
    (item,) = (await thread.page(REPORTS, mod))["items"]
    assert item["openReports"] == 1
    assert (await mod.client.post(f"{REPORTS}/{item['id']}/resolve")).status_code == 200
    again = await report(bob, comment)
    assert again["id"] != item["id"]
    assert again["status"] == "open"


async def test_a_decision_is_about_every_open_report_of_the_same_thing(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    bad, other = await ann.say("bad"), await ann.say("other")
    first = await report(bob, bad)
    second = await report(ann, bad)
    third = await report(bob, other)
    queue = (await thread.page(REPORTS, mod))["items"]
    assert [item["id"] for item in queue] == [third["id"], second["id"], first["id"]]
    assert [item["openReports"] for item in queue] == [1, 2, 2]
    body = {"dismiss": True, "notes": " fine "}
    answer = await mod.client.post(f"{REPORTS}/{first['id']}/resolve", json=body)
    told = answer.json()
    assert answer.status_code == 200
    assert (told["status"], told["resolution"], told["openReports"]) == ("dismissed", "fine", 0)
    assert told["resolver"]["username"] == "mod"
    open_ones = (await thread.page(REPORTS, mod))["items"]
    assert [item["id"] for item in open_ones] == [third["id"]]
    dismissed = (await thread.page(REPORTS, mod, status="dismissed"))["items"]
    assert [item["id"] for item in dismissed] == [second["id"], first["id"]]
    assert (await thread.page(REPORTS, mod, status="resolved"))["items"] == []
    answer = await mod.client.post(f"{REPORTS}/{third['id']}/resolve")
    assert answer.json()["status"] == "resolved"


async def test_of_two_decisions_about_the_same_thing_one_counts(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    bad = await ann.say("bad")
    first, second = await report(bob, bad), await report(ann, bad)
    answers = await asyncio.gather(
        *(
            mod.client.post(f"{REPORTS}/{one['id']}/resolve", json={"dismiss": dismiss})
            for one, dismiss in ((first, True), (second, False), (first, False))
        )
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
    refused = next(answer for answer in answers if answer.status_code == 409)
    assert refused.json()["code"] == "ALREADY_RESOLVED"
    statuses = {
        status: len((await thread.page(REPORTS, mod, status=status))["items"])
        for status in ("open", "resolved", "dismissed")
    }
    assert statuses["open"] == 0
    assert sorted(statuses.values()) == [0, 0, 2]


async def test_reports_are_listed_page_by_page(thread: Thread, bob: Reader, mod: Reader) -> None:
    filed: list[str] = []
    for number in range(5):
        comment = await bob.say(f"comment {number}")
        filed.append((await report(bob, comment))["id"])
    page = await thread.page(REPORTS, mod, limit=2)
    found = [item["id"] for item in page["items"]]
    while page["hasMore"]:
        page = await thread.page(REPORTS, mod, limit=2, cursor=page["nextCursor"])
        found += [item["id"] for item in page["items"]]
    assert found == filed[::-1]


async def test_a_report_outlives_what_it_is_about(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    comment = await ann.say("terrible")
    await report(bob, comment)
    await bob.client.post(f"{API}/series/{SERIES}/report", json={"reason": "other"})
    root = await thread.reader("root", "admin")
    await root.client.delete(f"{API}/comments/{comment['id']}?hard=true")
    await thread.shelf.stories(story("s1", 5, deleted=True))
    of_series, of_comment = (await thread.page(REPORTS, mod))["items"]
    assert (of_comment["comment"], of_comment["quoted"]) == (None, "terrible")
    assert of_series["series"]["slug"] == SERIES
    answer = await mod.client.post(f"{REPORTS}/{of_comment['id']}/resolve")
    assert answer.status_code == 200


async def test_only_moderators_see_reports_and_decide(
    thread: Thread, ann: Reader, mod: Reader
) -> None:
    filed = await report(ann, await ann.say("mine"))
    resolve = f"{REPORTS}/{filed['id']}/resolve"
    up = await thread.reader("uploader", "uploader")
    for who, status in ((ann, 403), (up, 403)):
        assert (await who.client.get(REPORTS)).status_code == status
        assert (await who.client.post(resolve)).status_code == status
    assert (await thread.rig.get(REPORTS)).status_code == 401
    assert (await thread.rig.post(resolve)).status_code == 401
    assert len((await thread.page(REPORTS, mod))["items"]) == 1


async def test_what_is_not_there_can_be_neither_reported_nor_resolved(
    thread: Thread, ann: Reader, bob: Reader, mod: Reader
) -> None:
    hidden, blank = await ann.say("hidden"), await ann.say("blank")
    await bob.say("stays", parent=blank["id"])
    await ann.delete(blank)
    await mod.moderate(hidden, isHidden=True)
    body = {"reason": "spam"}
    for path, code in (
        (f"comments/{hidden['id']}", "NOT_FOUND"),
        (f"comments/{blank['id']}", "NOT_FOUND"),
        (f"comments/{uuid4()}", "NOT_FOUND"),
        (f"series/{SERIES}x", "SERIES_NOT_FOUND"),
        (f"chapters/{uuid4()}", "CHAPTER_NOT_FOUND"),
    ):
        answer = await bob.client.post(f"{API}/{path}/report", json=body)
        assert (answer.status_code, answer.json()["code"]) == (404, code), path
    for id_ in (str(uuid4()), "x"):
        answer = await mod.client.post(f"{REPORTS}/{id_}/resolve")
        assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"reason": "boring"},
        {"reason": "spam", "notes": "x" * 501},
        {"reason": "spam", "notes": "a\x00b"},
        {"reason": "spam", "notes": "a\x1bb"},
        {"reason": "spam", "status": "resolved"},
        {"reason": "spam", "reporterUserId": 1},
    ],
)
async def test_what_no_report_says_is_refused(
    thread: Thread, ann: Reader, mod: Reader, body: dict[str, object]
) -> None:
    comment = await ann.say("hello")
    answer = await ann.client.post(f"{API}/comments/{comment['id']}/report", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "VALIDATION_ERROR")
    assert (await thread.page(REPORTS, mod))["items"] == []


async def test_ten_reports_a_minute_and_account(thread: Thread, ann: Reader, bob: Reader) -> None:
    comment = await ann.say("hello")
    for _ in range(10):
        await report(ann, comment)
    refused = await ann.client.post(
        f"{API}/comments/{comment['id']}/report", json={"reason": "spam"}
    )
    assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
    await report(bob, comment)
    thread.clock.advance(timedelta(seconds=61))
    await report(ann, comment)
