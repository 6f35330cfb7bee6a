"""How a request may travel: encrypted, packed, and no larger than the limits."""

import gzip
import http.client
import json
import time
import zlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import zstandard

from rensai.kit.clock import SetClock
from rensai.kit.db import Database
from rensai.rooms.ingest.novel_api import arrival
from tests.browser.site import Site
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

BODY = batch(story())
MOST_STORY_BYTES = 5 * 1024 * 1024
MOST_CHAPTER_BYTES = 12 * 1024 * 1024


@pytest.fixture
async def proxied(database: Database, tmp_path: Path, clock: SetClock) -> AsyncIterator[Rig]:
    """The application behind a trusted proxy."""
    services = build_services(database, tmp_path, clock, TRUSTED_PROXIES="127.0.0.1,10.0.0.0/8")
    async with Rig(services, clock) as built:
        yield built


async def test_this_machine_may_use_plain_http_and_no_other(rig: Rig) -> None:
    key = await make_key(rig)
    for address in ("127.0.0.1", "::1", "127.9.9.9"):
        assert (await Crawler(rig, key, address).push_stories(story())).status_code == 202
    for address in ("192.0.2.1", "10.0.0.1", "2001:db8::1"):
        far = Crawler(rig, key, address)
        refused(await far.push_stories(story()), 403, "permission_denied")
        encrypted = Crawler(rig, key, address, "https://rensai.test")
        assert (await encrypted.push_stories(story())).status_code == 202


@pytest.mark.parametrize("header", ["x_forwarded_for", "x_forwarded_proto", "forwarded"])
async def test_a_proxy_that_is_not_trusted_makes_nobody_local(rig: Rig, header: str) -> None:
    crawler = await make_crawler(rig)
    answer = await crawler.push_stories(story(), **{header: "https"})
    assert "TRUSTED_PROXIES" in refused(answer, 403, "permission_denied")["message"]


async def test_a_trusted_proxy_says_who_calls_and_whether_it_was_encrypted(proxied: Rig) -> None:
    key = await make_key(proxied, networks=["192.0.2.0/24"])
    crawler = Crawler(proxied, key)
    crawler_behind = {"x_forwarded_for": "192.0.2.1", "x_forwarded_proto": "https"}
    assert (await crawler.push_stories(story(), **crawler_behind)).status_code == 202
    plain = crawler_behind | {"x_forwarded_proto": "http"}
    refused(await crawler.push_stories(story(), **plain), 403, "permission_denied")
    elsewhere = crawler_behind | {"x_forwarded_for": "192.0.2.1, 198.51.100.1"}
    refused(await crawler.push_stories(story(), **elsewhere), 403, "permission_denied")


def _zstd_stream(data: bytes) -> bytes:
    packer = zstandard.ZstdCompressor().compressobj()
    return packer.compress(data) + packer.flush()


PACKERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "GZip": gzip.compress,
    "zstd": zstandard.ZstdCompressor(level=3).compress,
    " zstd ": _zstd_stream,
}


@pytest.mark.parametrize("encoding", PACKERS)
async def test_a_packed_body_is_signed_as_it_travels(rig: Rig, encoding: str) -> None:
    crawler = await make_crawler(rig)
    packed = PACKERS[encoding](BODY)
    answer = await crawler.post(STORIES, packed, content_encoding=encoding)
    assert answer.status_code == 202, answer.text
    signed_unpacked = crawler.headers(STORIES, BODY, content_encoding=encoding)
    answer = await crawler.client.post(STORIES, content=packed, headers=signed_unpacked)
    refused(answer, 401, "invalid_signature")


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
async def test_a_packed_body_that_is_broken_is_refused(rig: Rig, encoding: str) -> None:
    crawler = await make_crawler(rig)
    whole = PACKERS[encoding](BODY)
    middle = len(whole) // 2
    turned = whole[:middle] + bytes([whole[middle] ^ 0xFF]) + whole[middle + 1 :]
    for broken in (whole[:-9], whole + b"more", turned, b"", BODY):
        answer = await crawler.post(STORIES, broken, content_encoding=encoding)
        refused(answer, 400, "invalid_schema")


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, zstd", "nonsense"])
async def test_another_encoding_is_named_as_unknown(rig: Rig, encoding: str) -> None:
    crawler = await make_crawler(rig)
    answer = await crawler.post(STORIES, zlib.compress(BODY), content_encoding=encoding)
    refused(answer, 415, "invalid_schema")
    assert answer.headers["Accept-Encoding"] == "gzip, zstd"


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
async def test_a_bomb_is_refused_before_it_has_unfolded(rig: Rig, encoding: str) -> None:
    crawler = await make_crawler(rig)
    bomb = PACKERS[encoding](bytes(400 * 1024 * 1024))
    before = _peak()
    answer = await crawler.post(STORIES, bomb, content_encoding=encoding)
    refused(answer, 413, "payload_too_large")
    assert _peak() - before < 64 * 1024


def _peak() -> int:
    """The most memory that this process has ever had, in KiB."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


@pytest.mark.parametrize("encoding", ["", "gzip", "zstd"])
@pytest.mark.parametrize(
    ("path", "most"), [(STORIES, MOST_STORY_BYTES), (CHAPTERS, MOST_CHAPTER_BYTES)]
)
async def test_the_limits_are_exact_and_measured_unpacked(
    rig: Rig, path: str, most: int, encoding: str
) -> None:
    crawler = await make_crawler(rig)
    item = story() if path == STORIES else chapter()
    for size, fits in ((most, True), (most + 1, False)):
        body = batch(item)
        body += b" " * (size - len(body))
        sent = PACKERS[encoding](body) if encoding else body
        answer = await crawler.post(path, sent, content_encoding=encoding or None)
        if fits:
            assert answer.status_code == 202, answer.text
        else:
            refused(answer, 413, "payload_too_large")


async def test_an_operator_sets_other_limits(
    database: Database, tmp_path: Path, clock: SetClock
) -> None:
    settings = {"INGEST_MAX_STORIES_MB": "1", "INGEST_MAX_CHAPTERS_MB": "2"}
    services = build_services(database, tmp_path, clock, **settings)
    async with Rig(services, clock) as rig:
        crawler = await make_crawler(rig)
        for path, item, most in ((STORIES, story(), 1 << 20), (CHAPTERS, chapter(), 2 << 20)):
            body = batch(item)
            body += b" " * (most - len(body))
            assert (await crawler.post(path, body)).status_code == 202
            refused(await crawler.post(path, body + b" "), 413, "payload_too_large")


async def test_a_body_without_a_declared_length_stops_at_the_limit(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield bytes(1 << 20)

    answer = await crawler.client.post(
        STORIES, content=endless(), headers=crawler.headers(STORIES, b"")
    )
    refused(answer, 413, "payload_too_large")
    assert read <= 7


async def test_a_declared_length_that_is_too_large_is_not_even_read(rig: Rig) -> None:
    crawler = await make_crawler(rig)

    async def unread() -> AsyncIterator[bytes]:
        raise AssertionError("the body was read")
        yield b""

    headers = crawler.headers(STORIES, b"") | {"Content-Length": str(17 << 20)}
    answer = await crawler.client.post(STORIES, content=unread(), headers=headers)
    refused(answer, 413, "payload_too_large")


@pytest.mark.parametrize("claimed", [-1, 1])
async def test_a_body_is_as_long_as_it_says(rig: Rig, claimed: int) -> None:
    crawler = await make_crawler(rig)

    async def pieces() -> AsyncIterator[bytes]:
        yield BODY[:10]
        yield BODY[10:]

    headers = crawler.headers(STORIES, BODY) | {"Content-Length": str(len(BODY) + claimed)}
    answer = await crawler.client.post(STORIES, content=pieces(), headers=headers)
    refused(answer, 400, "invalid_schema")


async def test_many_large_bodies_at_once_are_put_off(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawler = await make_crawler(rig)
    monkeypatch.setattr(arrival.held, "left", len(BODY) - 1)
    answer = await crawler.post(STORIES, BODY)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "2"
    monkeypatch.setattr(arrival.held, "left", len(BODY))
    for _ in range(3):
        assert (await crawler.post(STORIES, BODY)).status_code == 202


async def test_what_a_packed_body_unfolds_to_counts_among_what_is_in_hand(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawler = await make_crawler(rig)
    whole = batch(story(summary="Một câu chuyện dài. " * 5_000))
    packed = gzip.compress(whole)
    room = len(packed) + len(whole)
    monkeypatch.setattr(arrival.held, "left", room - 1)
    answer = await crawler.post(STORIES, packed, content_encoding="gzip")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
    monkeypatch.setattr(arrival.held, "left", room)
    for _ in range(3):
        answer = await crawler.post(STORIES, packed, content_encoding="gzip")
        assert answer.status_code == 202


async def test_a_body_without_room_is_read_past_so_that_its_sender_hears_why(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawler = await make_crawler(rig)
    monkeypatch.setattr(arrival.held, "left", len(BODY) * 5)
    sent = 0

    async def pieces() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(10):
            yield BODY
            sent += 1

    headers = crawler.headers(STORIES, BODY * 10) | {"Content-Length": str(len(BODY) * 10)}
    answer = await crawler.client.post(STORIES, content=pieces(), headers=headers)
    assert (answer.status_code, sent) == (503, 10)
    assert arrival.held.left == len(BODY) * 5


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\xef\xbb\xbf" + BODY,
        b'{"source":"a"}',
        b'{"items":[{}]}',
        b'{"source":"a","items":{}}',
        b'{"source":"a","items":[]}',
        b'{"source":"","items":[{}]}',
        b'{"source":7,"items":[{}]}',
        b'{"source":null,"items":[{}]}',
        b'{"source":"a b","items":[{}]}',
        b'{"source":"a:b","items":[{}]}',
        b'{"source":"a\\u0000","items":[{}]}',
        b'{"source":"a\\ud800","items":[{}]}',
        b'{"source":"\xff","items":[{}]}',
        b'{"source":NaN,"items":[{}]}',
        b'{"source":"a","items":[{}]} {}',
        b'{"source":"' + b"a" * 41 + b'","items":[{}]}',
        b'{"source":"a","items":' + b"[" * 100_000,
        b'{"source":"a","items":[' + b"[" * 100_000 + b"]" * 100_000 + b"]}",
        json.dumps({"source": "a", "items": [{}] * 301}).encode(),
    ],
)
async def test_an_envelope_that_is_wrong_is_refused_whole(rig: Rig, body: bytes) -> None:
    crawler = await make_crawler(rig)
    refused(await crawler.post(STORIES, body), 400, "invalid_schema")
    assert await count(rig, "ingest_requests") == 0


async def test_an_envelope_at_its_limits_is_accepted(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    items = [story(source_story_id=f"s{n}") for n in range(300)]
    answer = await crawler.post(STORIES, batch(*items, source="ä" * 40))
    assert answer.status_code == 202
    assert answer.json()["accepted_count"] == 300
    for one in (batch(story(), source="-"), b'{"more":[1],' + BODY[1:]):
        assert (await crawler.post(STORIES, one)).status_code == 202


@pytest.mark.parametrize("size", [11 << 20, 13 << 20])
async def test_a_client_that_sends_all_before_it_reads_hears_why_it_is_refused(
    server: Site, size: int
) -> None:
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=20)
    headers = {
        "X-Novel-Key-Id": "nk_unknown",
        "X-Novel-Timestamp": str(int(time.time())),
        "X-Novel-Nonce": "n",
        "X-Novel-Signature": "0" * 64,
        "X-Novel-Request-Id": "2f24b68a-b6d5-41d3-a4e8-33c8b679ab67",
        "Idempotency-Key": "k",
        "Content-Length": str(size),
        "Connection": "close",
    }
    connection.request("POST", CHAPTERS, body=_slowly(size), headers=headers)
    answer = connection.getresponse()
    assert answer.status == (401 if size < MOST_CHAPTER_BYTES else 413)
    connection.close()


def _slowly(size: int) -> Iterator[bytes]:
    """A body that is still being sent when its request has long been judged."""
    yield bytes(1 << 20)
    time.sleep(0.5)
    yield bytes(size - (1 << 20))
