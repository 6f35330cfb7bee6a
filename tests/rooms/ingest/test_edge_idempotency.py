"""The same request sent again: one row, one answer, and nothing queued twice."""

import asyncio
import gzip
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from rensai.kit.clock import SetClock
from rensai.kit.db import Database, Query
from rensai.rooms.ingest.service import accept, upkeep
from tests.rig import Rig, build_services
from tests.rooms.ingest.crawler import (
    CHAPTERS,
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


async def test_the_same_payload_gets_the_first_answer_word_for_word(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    items = (story(), story(source_story_id="b", slug="Bad Slug"))
    first = await crawler.push_stories(*items, idempotency_key="once")
    rig.clock.advance(timedelta(hours=71, minutes=59))
    second = await crawler.push_stories(*items, idempotency_key="once")
    assert (second.status_code, second.content) == (200, first.content)
    assert await count(rig, "ingest_requests") == 1
    assert await count(rig, "ingest_jobs") == 1


async def test_the_payload_is_the_same_however_it_is_packed(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    body = batch(story())
    first = await crawler.post(STORIES, body, idempotency_key="once")
    packed = gzip.compress(body)
    second = await crawler.post(STORIES, packed, idempotency_key="once", content_encoding="gzip")
    assert second.content == first.content


async def test_another_payload_is_a_conflict(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    await crawler.push_stories(story(), idempotency_key="once")
    answer = await crawler.push_stories(story(title="Else"), idempotency_key="once")
    refused(answer, 409, "idempotency_conflict")
    assert await count(rig, "ingest_jobs") == 1


async def test_a_key_counts_for_its_source_and_kind_alone(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    for path, body in (
        (STORIES, batch(story())),
        (STORIES, batch(story(), source="other")),
        (CHAPTERS, batch(chapter())),
    ):
        assert (await crawler.post(path, body, idempotency_key="once")).status_code == 202


async def test_another_key_of_the_same_source_gets_the_same_answer(rig: Rig) -> None:
    one, other = await make_crawler(rig), await make_crawler(rig)
    first = await one.push_stories(story(), idempotency_key="once")
    second = await other.push_stories(story(), idempotency_key="once")
    assert second.content == first.content


async def test_after_72_hours_the_key_is_free_again(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    await crawler.push_stories(story(), idempotency_key="once")
    rig.clock.advance(timedelta(hours=72))
    answer = await crawler.push_stories(story(title="Else"), idempotency_key="once")
    assert answer.status_code == 202
    again = await crawler.push_stories(story(), idempotency_key="once")
    refused(again, 409, "idempotency_conflict")


async def test_an_operator_sets_another_time(
    database: Database, tmp_path: Path, clock: SetClock
) -> None:
    services = build_services(database, tmp_path, clock, INGEST_IDEMPOTENCY_HOURS="1")
    async with Rig(services, clock) as rig:
        crawler = await make_crawler(rig)
        first = (await crawler.push_stories(story(), idempotency_key="k")).json()
        clock.advance(timedelta(hours=1, seconds=-1))
        again = (await crawler.push_stories(story(), idempotency_key="k")).json()
        assert again == first
        clock.advance(timedelta(seconds=1))
        anew = (await crawler.push_stories(story(), idempotency_key="k")).json()
        assert anew["request_id"] != first["request_id"]


async def test_housekeeping_sets_keys_free_as_well(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    await crawler.push_stories(story(), idempotency_key="once")
    rig.clock.advance(timedelta(hours=72))
    await upkeep.clear_expired(rig.services)
    answer = await crawler.push_stories(story(title="Else"), idempotency_key="once")
    assert answer.status_code == 202


async def test_a_request_id_belongs_to_one_idempotency_key(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    request_id = str(uuid4())
    await crawler.push_stories(story(), request_id=request_id, idempotency_key="one")
    answer = await crawler.push_stories(story(), request_id=request_id, idempotency_key="two")
    told = refused(answer, 409, "idempotency_conflict")
    assert "X-Novel-Request-Id" in told["message"]
    assert await count(rig, "ingest_jobs") == 1


async def test_a_refused_request_leaves_its_key_free(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    answer = await crawler.post(STORIES, b"{}", idempotency_key="once")
    refused(answer, 400, "invalid_schema")
    answer = await crawler.push_stories(story(), idempotency_key="once")
    assert answer.status_code == 202


async def test_32_clients_with_one_idempotency_key_make_one_request(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    body = batch(*(chapter(n) for n in range(20)))
    answers = await asyncio.gather(
        *(crawler.post(CHAPTERS, body, idempotency_key="once") for _ in range(32))
    )
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.content for answer in answers}) == 1
    assert await count(rig, "ingest_requests") == 1
    assert await count(rig, "ingest_jobs") == 20


async def test_so_do_32_clients_of_several_processes(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = await make_key(rig)
    other = Crawler(Rig(rig.services, rig.clock), key)

    class Apart(dict[object, asyncio.Lock]):
        """As if every request were in a process of its own."""

        def setdefault(self, name: object, lock: asyncio.Lock) -> asyncio.Lock:  # pyright: ignore[reportIncompatibleMethodOverride]
            return lock

    monkeypatch.setattr(accept, "_HANDLING", Apart())
    body = batch(*(chapter(n) for n in range(20)))
    crawlers = [Crawler(rig, key), other] * 16
    answers = await asyncio.gather(
        *(each.post(CHAPTERS, body, idempotency_key="once") for each in crawlers)
    )
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.content for answer in answers}) == 1
    assert await count(rig, "ingest_requests") == 1
    assert await count(rig, "ingest_jobs") == 20


async def test_32_different_payloads_with_one_idempotency_key_leave_one(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    answers = await asyncio.gather(
        *(
            crawler.push_stories(story(title=f"Title {n}"), idempotency_key="once")
            for n in range(32)
        )
    )
    assert sorted(answer.status_code for answer in answers) == [202] + [409] * 31
    assert await count(rig, "ingest_jobs") == 1


async def test_a_failure_between_the_statements_leaves_nothing(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawler = await make_crawler(rig)
    whole = accept.store.insert_jobs

    async def crash(*args: object, **named: object) -> None:
        await whole(*args, **named)  # pyright: ignore[reportArgumentType] - passed on as it came
        raise OSError("the power is gone")

    monkeypatch.setattr(accept.store, "insert_jobs", crash)
    answer = await crawler.push_stories(story(), idempotency_key="once")
    assert answer.status_code in {500, 503}
    assert answer.json()["error"]["code"] == "internal_error"
    assert await count(rig, "ingest_requests") == 0
    monkeypatch.undo()
    answer = await crawler.push_stories(story(), idempotency_key="once")
    assert answer.status_code == 202
    assert await count(rig, "ingest_jobs") == 1


async def test_the_newest_of_several_versions_in_a_batch_is_queued(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    newest = "2026-02-21T10:00:00Z"
    answer = await crawler.push_chapters(
        chapter(1, title="old"),
        chapter(1, title="newest", updated_at_source=newest),
        chapter(1, title="older", updated_at_source="2026-02-21T09:00:00Z"),
        chapter(2, title="first"),
        chapter(2, title="second"),
    )
    assert answer.json()["accepted_count"] == 5
    jobs = await rig.db.primary.all(
        Query(
            "SELECT item_index || ' ' || (convert_from(payload_inline, 'UTF8')::json ->> 'title') "
            "FROM ingest_jobs ORDER BY item_index",
            str,
        )
    )
    assert jobs == ["1 newest", "4 second"]
    processed = Query("SELECT processed_items FROM ingest_requests", int)
    assert await rig.db.primary.first(processed) == 3
