"""Quotas hold exactly, in the database and in Redis, whatever the number of processes."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from rensai.kit.cache import open_cache
from rensai.kit.clock import SetClock
from rensai.kit.db import Database
from rensai.kit.limits import Limits
from rensai.kit.redis import open_redis
from rensai.kit.services import Services
from tests.redis_server import RedisServer, redis_server
from tests.rig import Rig, build_services
from tests.rooms.ingest.crawler import (
    STORIES,
    Crawler,
    batch,
    count,
    make_crawler,
    make_key,
    refused,
    story,
)

pytestmark = pytest.mark.anyio

BODY = batch(story())


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server() as running:
        running.start()
        yield running


@pytest.fixture
async def with_redis(
    database: Database, tmp_path: Path, clock: SetClock, redis: RedisServer
) -> AsyncIterator[tuple[Rig, RedisServer]]:
    """The application with a Redis of its own."""
    if redis.cli("ping") != "PONG":
        redis.start()
    redis.cli("flushall")
    services = build_services(database, tmp_path, clock)
    async with open_redis(redis.url) as link:
        services = Services(
            config=replace(services.config, redis_url=redis.url),
            db=database,
            clock=clock,
            cache=open_cache(clock, link),
            limits=Limits(clock, link, pepper=b"test"),
        )
        async with Rig(services, clock) as built:
            yield built, redis


async def _exactly(rig: Rig, crawler: Crawler) -> None:
    """Five of twelve requests at once, and again when a minute is over."""
    for _ in range(2):
        answers = await asyncio.gather(*(crawler.push_stories(story()) for _ in range(12)))
        assert sorted(answer.status_code for answer in answers) == [202] * 5 + [429] * 7
        late = await crawler.push_stories(story())
        refused(late, 429, "rate_limited")
        wait = int(late.headers["Retry-After"])
        assert 1 <= wait <= 61
        rig.clock.advance(timedelta(seconds=wait))


async def test_requests_are_counted_exactly(rig: Rig) -> None:
    await _exactly(rig, await make_crawler(rig, requests_per_minute=5))


async def test_requests_are_counted_exactly_in_redis(with_redis: tuple[Rig, RedisServer]) -> None:
    rig, _ = with_redis
    await _exactly(rig, await make_crawler(rig, requests_per_minute=5))
    assert await count(rig, "api_key_usage") == 0


async def test_bytes_are_counted_exactly_and_unpacked(rig: Rig) -> None:
    crawler = await make_crawler(rig, bytes_per_minute=3 * len(BODY))
    for _ in range(3):
        assert (await crawler.post(STORIES, BODY)).status_code == 202
    answer = await crawler.post(STORIES, BODY)
    refused(answer, 429, "rate_limited")
    rig.clock.advance(timedelta(seconds=59))
    refused(await crawler.post(STORIES, BODY), 429, "rate_limited")
    rig.clock.advance(timedelta(seconds=1))
    assert (await crawler.post(STORIES, BODY)).status_code == 202


async def test_the_window_moves(rig: Rig) -> None:
    crawler = await make_crawler(rig, requests_per_minute=2)
    assert (await crawler.push_stories(story())).status_code == 202
    rig.clock.advance(timedelta(seconds=40))
    assert (await crawler.push_stories(story())).status_code == 202
    rig.clock.advance(timedelta(seconds=20))
    assert (await crawler.push_stories(story())).status_code == 202
    answer = await crawler.push_stories(story())
    refused(answer, 429, "rate_limited")
    assert answer.headers["Retry-After"] == "40"


async def test_a_refused_request_costs_neither_its_nonce_nor_quota(rig: Rig) -> None:
    crawler = await make_crawler(rig, requests_per_minute=1)
    assert (await crawler.post(STORIES, BODY)).status_code == 202
    headers = crawler.headers(STORIES, BODY)
    for _ in range(3):
        answer = await crawler.client.post(STORIES, content=BODY, headers=headers)
        refused(answer, 429, "rate_limited")
    rig.clock.advance(timedelta(seconds=60))
    answer = await crawler.client.post(STORIES, content=BODY, headers=headers)
    assert answer.status_code == 202


async def test_in_redis_too_a_refused_request_keeps_its_nonce(
    with_redis: tuple[Rig, RedisServer],
) -> None:
    rig, _ = with_redis
    crawler = await make_crawler(rig, requests_per_minute=1)
    assert (await crawler.post(STORIES, BODY)).status_code == 202
    headers = crawler.headers(STORIES, BODY)
    answer = await crawler.client.post(STORIES, content=BODY, headers=headers)
    refused(answer, 429, "rate_limited")
    rig.clock.advance(timedelta(seconds=61))
    answer = await crawler.client.post(STORIES, content=BODY, headers=headers)
    assert answer.status_code == 202
    refused(await crawler.client.post(STORIES, content=BODY, headers=headers), 401, "nonce_replay")


async def test_a_replay_uses_no_quota(rig: Rig) -> None:
    crawler = await make_crawler(rig, requests_per_minute=2)
    headers = crawler.headers(STORIES, BODY)
    await crawler.client.post(STORIES, content=BODY, headers=headers)
    for _ in range(3):
        answer = await crawler.client.post(STORIES, content=BODY, headers=headers)
        refused(answer, 401, "nonce_replay")
    assert (await crawler.push_stories(story())).status_code == 202


async def test_strangers_use_no_quota_of_a_key(rig: Rig) -> None:
    crawler = await make_crawler(rig, requests_per_minute=1)
    for _ in range(3):
        await crawler.push_stories(story(), secret="guess")
    assert (await crawler.push_stories(story())).status_code == 202


async def test_two_keys_have_quotas_of_their_own(rig: Rig) -> None:
    for crawler in (
        await make_crawler(rig, requests_per_minute=1),
        await make_crawler(rig, requests_per_minute=1),
    ):
        assert (await crawler.push_stories(story())).status_code == 202
        refused(await crawler.push_stories(story()), 429, "rate_limited")


async def test_zero_lifts_a_quota(rig: Rig) -> None:
    crawler = await make_crawler(rig, requests_per_minute=0, bytes_per_minute=0)
    answers = [(await crawler.push_stories(story())).status_code for _ in range(70)]
    assert set(answers) == {202}
    assert await count(rig, "api_key_usage") == 0


async def test_the_defaults_are_60_requests_and_50_mb(rig: Rig) -> None:
    key = await make_key(rig, requests_per_minute=60, bytes_per_minute=50 * 1024 * 1024)
    crawler = Crawler(rig, key)
    answers = [(await crawler.push_stories(story())).status_code for _ in range(61)]
    assert answers == [202] * 60 + [429]


async def test_a_nonce_stays_used_whatever_becomes_of_redis(
    with_redis: tuple[Rig, RedisServer],
) -> None:
    rig, redis = with_redis
    crawler = await make_crawler(rig, requests_per_minute=100)
    with_it = crawler.headers(STORIES, BODY)
    assert (await crawler.client.post(STORIES, content=BODY, headers=with_it)).status_code == 202
    redis.kill()
    await rig.services.cache.delete("notice that it is gone")
    without_it = crawler.headers(STORIES, BODY)
    for headers, status in ((with_it, 401), (without_it, 202), (without_it, 401)):
        answer = await crawler.client.post(STORIES, content=BODY, headers=headers)
        assert answer.status_code == status, answer.text
    redis.start()
    async with asyncio.timeout(20):
        while rig.services.limits.degraded is not None:  # noqa: ASYNC110 - nobody calls back
            await asyncio.sleep(0.05)
    redis.cli("flushall")
    for headers in (with_it, without_it):
        answer = await crawler.client.post(STORIES, content=BODY, headers=headers)
        refused(answer, 401, "nonce_replay")


async def test_a_quota_goes_on_in_the_database_while_redis_is_away(
    with_redis: tuple[Rig, RedisServer],
) -> None:
    rig, redis = with_redis
    redis.kill()
    await rig.services.cache.delete("notice that it is gone")
    await _exactly(rig, await make_crawler(rig, requests_per_minute=5))
    assert await count(rig, "api_key_usage") > 0


async def test_the_same_nonce_at_the_same_time_is_taken_once(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    headers = crawler.headers(STORIES, BODY)
    answers = await asyncio.gather(
        *(crawler.client.post(STORIES, content=BODY, headers=headers) for _ in range(16))
    )
    assert sorted(answer.status_code for answer in answers) == [202] + [401] * 15
