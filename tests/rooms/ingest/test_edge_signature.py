"""Signatures over HTTP: what is signed, for how long, and that a stranger learns nothing."""

import hashlib
import hmac
import json
from datetime import timedelta
from uuid import uuid4

import pytest

from rensai.rooms.ingest.model import NewKey
from rensai.rooms.ingest.service import keys
from tests.rig import Rig
from tests.rooms.ingest.crawler import (
    CHAPTERS,
    INGEST,
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


async def test_every_signed_part_is_protected(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    other = await make_key(rig)
    signed = crawler.headers(STORIES, BODY)
    timestamp = str(int(signed["X-Novel-Timestamp"]) + 1)
    changed: dict[str, tuple[str, bytes, dict[str, str]]] = {
        "body": (STORIES, BODY + b" ", {}),
        "path": (CHAPTERS, BODY, {}),
        "timestamp": (STORIES, BODY, {"X-Novel-Timestamp": timestamp}),
        "nonce": (STORIES, BODY, {"X-Novel-Nonce": uuid4().hex}),
        "key": (STORIES, BODY, {"X-Novel-Key-Id": other.key_id}),
        "signature": (STORIES, BODY, {"X-Novel-Signature": "0" * 64}),
    }
    for part, (path, body, headers) in changed.items():
        answer = await crawler.client.post(path, content=body, headers=signed | headers)
        assert refused(answer, 401, "invalid_signature"), part
    get = f"{INGEST}/requests/{uuid4()}"
    answer = await crawler.client.get(get, headers=crawler.headers(get, b"", method="POST"))
    refused(answer, 401, "invalid_signature")
    answer = await crawler.client.post(STORIES, content=BODY, headers=signed)
    assert answer.status_code == 202, "the request that was not changed is the right one"
    assert await count(rig, "ingest_requests") == 1


async def test_another_secret_signs_nothing(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    refused(await crawler.push_stories(story(), secret="guessed"), 401, "invalid_signature")


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("key_id", None),
        ("key_id", "no such\tkey"),
        ("timestamp", None),
        ("timestamp", "soon"),
        ("timestamp", "-1"),
        ("timestamp", "1" * 400),
        ("nonce", None),
        ("nonce", ""),
        ("nonce", "a b"),
        ("nonce", "n" * 129),
        ("signature", None),
        ("signature", "A" * 64),
        ("signature", "ab"),
    ],
)
async def test_a_header_that_is_missing_or_malformed_is_named(
    rig: Rig, header: str, value: str | None
) -> None:
    crawler = await make_crawler(rig)
    answer = await crawler.push_stories(story(), **{header: value})
    told = refused(answer, 401, "invalid_signature")
    assert f"X-Novel-{header.replace('_', '-').title()}" in told["message"]


async def test_the_signature_is_judged_before_the_json_is_read(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    answer = await crawler.post(STORIES, b"{", secret="wrong")
    refused(answer, 401, "invalid_signature")
    refused(await crawler.post(STORIES, b"{"), 400, "invalid_schema")


async def test_a_signature_in_capitals_is_not_the_same(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    headers = crawler.headers(STORIES, BODY)
    headers["X-Novel-Signature"] = headers["X-Novel-Signature"].upper()
    answer = await crawler.client.post(STORIES, content=BODY, headers=headers)
    refused(answer, 401, "invalid_signature")


@pytest.mark.parametrize("skew", [-300, 300])
async def test_a_clock_that_is_300_seconds_off_is_good_enough(rig: Rig, skew: int) -> None:
    crawler = await make_crawler(rig)
    rig.clock.advance(timedelta(microseconds=-rig.clock.now().microsecond))
    assert (await crawler.push_stories(story(), skew=skew)).status_code == 202


@pytest.mark.parametrize("skew", [-301, 301])
async def test_a_clock_that_is_301_seconds_off_is_refused(rig: Rig, skew: int) -> None:
    crawler = await make_crawler(rig)
    rig.clock.advance(timedelta(microseconds=-rig.clock.now().microsecond))
    refused(await crawler.push_stories(story(), skew=skew), 401, "timestamp_skew")


async def test_a_nonce_is_good_once_for_as_long_as_its_timestamp_can_be(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    rig.clock.advance(timedelta(microseconds=-rig.clock.now().microsecond))
    headers = crawler.headers(STORIES, BODY, skew=300)
    assert (await crawler.client.post(STORIES, content=BODY, headers=headers)).status_code == 202
    for minutes in (0, 5, 5):
        rig.clock.advance(timedelta(minutes=minutes))
        answer = await crawler.client.post(STORIES, content=BODY, headers=headers)
        refused(answer, 401, "nonce_replay")
    rig.clock.advance(timedelta(seconds=1))
    answer = await crawler.client.post(STORIES, content=BODY, headers=headers)
    refused(answer, 401, "timestamp_skew")


async def test_a_nonce_may_be_used_again_after_ten_minutes(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    path = f"{INGEST}/requests/{uuid4()}"

    async def ask() -> int:
        timestamp = str(int(rig.clock.now().timestamp()))
        headers = crawler.headers(path, b"", method="GET") | {
            "X-Novel-Nonce": "same",
            "X-Novel-Timestamp": timestamp,
        }
        headers["X-Novel-Signature"] = _sign(crawler, path, timestamp, "same")
        return (await crawler.client.get(path, headers=headers)).status_code

    assert await ask() == 404
    rig.clock.advance(timedelta(minutes=10))
    assert await ask() == 401
    rig.clock.advance(timedelta(seconds=1))
    assert await ask() == 404


async def test_two_keys_may_use_the_same_nonce(rig: Rig) -> None:
    for crawler in (await make_crawler(rig), await make_crawler(rig)):
        path = f"{INGEST}/requests/{uuid4()}"
        headers = crawler.headers(path, b"", method="GET")
        headers["X-Novel-Nonce"] = "same"
        headers["X-Novel-Signature"] = _sign(
            crawler, path, headers["X-Novel-Timestamp"], headers["X-Novel-Nonce"]
        )
        refused(await crawler.client.get(path, headers=headers), 404, "not_found")


async def test_a_stranger_cannot_tell_keys_apart(rig: Rig) -> None:
    active, revoked = await make_key(rig), await make_key(rig)
    async with rig.db.transaction() as tx:
        await keys.revoke(tx, revoked.key_id, operator="test", now=rig.clock.now())
    answers: list[str] = []
    for key_id in (active.key_id, revoked.key_id, "nk_unknown"):
        stranger = Crawler(rig, NewKey(key_id, "guessed"))
        answer = await stranger.push_stories(story())
        refused(answer, 401, "invalid_signature")
        answers.append(json.dumps(answer.json()))
    assert len(set(answers)) == 1


async def test_the_holder_of_a_revoked_key_is_told(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    async with rig.db.transaction() as tx:
        await keys.revoke(tx, crawler.key.key_id, operator="test", now=rig.clock.now())
    refused(await crawler.push_stories(story()), 401, "key_inactive")


async def test_the_request_id_must_be_a_uuid(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    for value in (None, "", "7", "2f24b68ab6d541d3a4e833c8b679ab67"):
        answer = await crawler.push_stories(story(), request_id=value)
        told = refused(answer, 400, "invalid_schema")
        assert told["details"][0]["path"] == "X-Novel-Request-Id"


async def test_an_idempotency_key_is_required(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    for value in (None, ""):
        answer = await crawler.push_stories(story(), idempotency_key=value)
        refused(answer, 400, "missing_idempotency_key")


async def test_an_idempotency_key_has_at_most_120_characters(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    assert (await crawler.push_stories(story(), idempotency_key="k" * 120)).status_code == 202
    answer = await crawler.push_stories(story(), idempotency_key="k" * 121)
    refused(answer, 400, "invalid_schema")


def _sign(crawler: Crawler, path: str, timestamp: str, nonce: str) -> str:
    base = f"GET.{path}.{timestamp}.{nonce}.{hashlib.sha256(b'').hexdigest()}"
    return hmac.new(crawler.key.secret.encode(), base.encode(), hashlib.sha256).hexdigest()
