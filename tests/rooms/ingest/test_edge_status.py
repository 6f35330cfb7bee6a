"""What a crawler can learn of its requests, and what is left in the log and after a while."""

import asyncio
import json
from datetime import timedelta
from uuid import uuid4

import httpx
import pytest

from rensai.kit.db import Command, Query
from rensai.rooms.ingest.model import CHAPTERS
from rensai.rooms.ingest.service.upkeep import clear_expired
from tests.logged import logged
from tests.rig import Rig
from tests.rooms.catalogue.stories import add_story
from tests.rooms.ingest.crawler import (
    INGEST,
    STATS,
    STORIES,
    Crawler,
    batch,
    chapter,
    count,
    make_crawler,
    make_key,
    refused,
    story,
)

pytestmark = pytest.mark.anyio


async def _status(crawler: Crawler, answer: httpx.Response) -> httpx.Response:
    return await crawler.get(f"{INGEST}/requests/{answer.json()['request_id']}")


async def test_a_request_can_be_asked_after(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    pushed = await crawler.push_chapters(chapter(1), chapter(2), chapter(2), {})
    told = (await _status(crawler, pushed)).json()
    assert told.pop("created_at") == told.pop("updated_at")
    assert told == {
        "request_id": pushed.json()["request_id"],
        "source": "truyen-a",
        "job_type": "chapters_bulk",
        "status": "queued",
        "total_items": 4,
        "accepted_items": 3,
        "rejected_items": 1,
        "processed_items": 1,
        "failed_items": 0,
        "last_error": None,
        "items": [],
    }


async def test_items_that_fail_are_told_with_their_reasons(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    pushed = await crawler.push_chapters(*(chapter(n) for n in range(1, 5)))
    later = rig.clock.now() + timedelta(seconds=30)
    for index, status in ((0, 4), (1, 0), (2, 2)):
        change = Command(
            "UPDATE ingest_jobs SET status = $2, attempts = 3, next_run_at = $3, "
            "error_code = 'story_not_found', last_error = 'There is no such story.' "
            "WHERE item_index = $1"
        )
        async with rig.db.transaction() as tx:
            await tx.run(change, index, status, later)
    items = (await _status(crawler, pushed)).json()["items"]
    common = {
        "code": "story_not_found",
        "message": "There is no such story.",
        "attempts": 3,
    }
    assert items[0] == common | {
        "index": 0,
        "external_ref": "abc123:c-1",
        "status": "dead_letter",
        "next_run_at": None,
    }
    assert (items[1]["index"], items[1]["status"]) == (1, "retrying")
    assert items[1]["next_run_at"].startswith(later.strftime("%Y-%m-%dT%H:%M:%S"))
    assert len(items) == 2


@pytest.mark.parametrize("name", ["7", "no-uuid", "2f24b68a-b6d5-41d3-a4e8-33c8b679ab67"])
async def test_a_request_that_never_was_is_not_found(rig: Rig, name: str) -> None:
    crawler = await make_crawler(rig)
    refused(await crawler.get(f"{INGEST}/requests/{name}"), 404, "not_found")


async def test_a_request_of_another_source_is_as_good_as_none(rig: Rig) -> None:
    pushed = await (await make_crawler(rig)).push_stories(story())
    same = await make_crawler(rig, sources=["truyen-a"], permissions=["ingest:chapters"])
    assert (await _status(same, pushed)).status_code == 200
    other = await make_crawler(rig, sources=["truyen-b"])
    refused(await _status(other, pushed), 404, "not_found")


async def test_asking_needs_a_signature_and_no_idempotency_key(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    pushed = await crawler.push_stories(story())
    path = f"{INGEST}/requests/{pushed.json()['request_id']}"
    answer = await crawler.get(path, idempotency_key=None, request_id=None)
    assert answer.status_code == 200
    refused(await crawler.client.get(path), 401, "invalid_signature")


async def test_known_stories_are_recounted_and_unknown_ones_told(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    for slug in ("one", "two"):
        await add_story(rig.db, slug)
    known = await rig.db.primary.all(Query("SELECT id FROM stories ORDER BY id", int))
    body = json.dumps({"story_ids": [known[0], 999_999, known[1]]}).encode()
    answer = await crawler.post(STATS, body, idempotency_key="once")
    assert answer.status_code == 200
    told = answer.json()
    assert (told["accepted_count"], told["rejected_count"]) == (2, 1)
    assert (told["errors"][0]["index"], told["errors"][0]["code"]) == (1, "story_not_found")
    queued = await rig.db.primary.all(Query("SELECT story_id FROM recount_queue", int))
    assert sorted(queued) == sorted(known)
    again = await crawler.post(STATS, body, idempotency_key="once")
    assert again.content == answer.content
    refused(
        await crawler.post(STATS, b'{"story_ids":[1]}', idempotency_key="once"),
        409,
        "idempotency_conflict",
    )
    status = (await _status(crawler, answer)).json()
    assert (status["status"], status["source"]) == ("completed", "*")
    all_known = json.dumps({"story_ids": known}).encode()
    assert (await crawler.post(STATS, all_known)).status_code == 202


async def test_a_key_that_is_bound_to_sources_recounts_their_stories_alone(rig: Rig) -> None:
    await add_story(rig.db, "one", source="a")
    await add_story(rig.db, "two", source="b")
    known = await rig.db.primary.all(Query("SELECT id FROM stories ORDER BY id", int))
    crawler = await make_crawler(rig, sources=["a"])
    told = (await crawler.post(STATS, json.dumps({"story_ids": known}).encode())).json()
    assert [error["index"] for error in told["errors"]] == [1]
    assert await rig.db.primary.all(Query("SELECT story_id FROM recount_queue", int)) == known[:1]


@pytest.mark.parametrize(
    ("ids", "fits"),
    [
        ("[]", False),
        ("[0]", False),
        ("[-1]", False),
        ("[1.5]", False),
        ('["1"]', False),
        ("[9223372036854775807]", True),
        ("[9223372036854775808]", False),
        (json.dumps(list(range(1, 10_001))), True),
        (json.dumps(list(range(1, 10_002))), False),
        ("7", False),
        ("null", False),
    ],
)
async def test_the_story_ids_are_up_to_10000_positive_numbers(
    rig: Rig, ids: str, *, fits: bool
) -> None:
    crawler = await make_crawler(rig)
    answer = await crawler.post(STATS, b'{"story_ids":' + ids.encode() + b"}")
    if fits:
        assert answer.status_code == 200, "none of them exists"
    else:
        refused(answer, 400, "invalid_schema")


async def test_a_failure_of_ours_says_so_and_nothing_more(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    async with rig.db.transaction() as tx:
        await tx.run(Command("ALTER TABLE ingest_jobs RENAME TO gone"))
    answer = await crawler.push_stories(story())
    told = refused(answer, 500, "internal_error")
    assert "gone" not in json.dumps(told)
    assert "ingest_jobs" not in json.dumps(told)


async def test_neither_secrets_nor_texts_are_logged(rig: Rig) -> None:
    key = await make_key(rig)
    crawler = Crawler(rig, key)
    hidden = "Chuyện không ai được đọc trong nhật ký."
    with logged() as lines:
        await crawler.push_chapters(chapter(1, content_raw=hidden))
        await crawler.push_chapters(chapter(2, content_raw=hidden, title=7))
        await crawler.push_chapters(chapter(3, content_raw=hidden), secret="wrong-secret-here")
        await crawler.post(STORIES, batch(story(summary=hidden))[:-1])
        async with rig.db.transaction() as tx:
            await tx.run(Command("ALTER TABLE ingest_jobs RENAME TO gone"))
        headers = crawler.headers(STORIES, batch(story(summary=hidden)))
        await crawler.client.post(STORIES, content=batch(story(summary=hidden)), headers=headers)
        await asyncio.sleep(0.3)
    log = lines.getvalue()
    assert "request failed" in log, "the failure itself is told"
    kept = (hidden, "Chuy\\u1ec7n", key.secret, "wrong-secret-here", headers["X-Novel-Signature"])
    for text in kept:
        assert text not in log
    for table in ("sync_logs", "ingest_requests"):
        query = Query(f"SELECT coalesce(string_agg(t::text, ''), '') FROM {table} AS t", str)  # noqa: S608
        kept_rows = await rig.db.primary.first(query) or ""
        assert hidden not in kept_rows
        assert key.secret not in kept_rows


async def test_what_counts_no_more_is_cleared_away_and_the_rest_stays(rig: Rig) -> None:
    crawler = await make_crawler(rig, requests_per_minute=100)
    await crawler.push_stories(story(), secret="wrong")
    await crawler.push_stories(story())
    await crawler.push_stories(story(), secret="wrong")
    tables = ("nonces", "api_key_usage", "api_key_failures", "sync_logs")
    await clear_expired(rig.services)
    assert [await count(rig, table) for table in tables] == [1, 1, 1, 1]
    rig.clock.advance(timedelta(minutes=10, seconds=1))
    await clear_expired(rig.services)
    assert [await count(rig, table) for table in tables] == [0, 0, 1, 1]
    rig.clock.advance(timedelta(minutes=5))
    await clear_expired(rig.services)
    assert [await count(rig, table) for table in tables] == [0, 0, 0, 1]
    rig.clock.advance(timedelta(days=91))
    await clear_expired(rig.services)
    assert await count(rig, "sync_logs") == 0


async def test_requests_of_the_queue_name_their_kind(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    await crawler.push_chapters(chapter(1), idempotency_key=f"k-{uuid4()}")
    assert await rig.db.primary.first(Query("SELECT job_type FROM ingest_jobs", str)) == CHAPTERS
