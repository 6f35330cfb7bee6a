"""Items become batches, and what a server says of a batch becomes reports on items."""

import gzip
import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest
import zstandard

from rensai.client import Batch, Client, Kind, batches
from tests.client.items import chapter, story, without
from tests.client.misbehaving import Handler, misbehaving

SOURCE = "truyen-a"


def body_of(batch: Batch) -> dict[str, object]:
    body = json.loads(batch.body)
    assert isinstance(body, dict)
    return body  # pyright: ignore[reportUnknownVariableType]  # whatever JSON has


def of_size(kind: Kind, total: int, count: int) -> list[dict[str, object]]:
    """So many items whose one body has exactly that many bytes."""
    items = [{"t": "x"} for _ in range(count)]
    empty = next(batches(kind, SOURCE, [{"t": ""} for _ in range(count)]))
    share, rest = divmod(total - len(empty.body), count)
    for number, item in enumerate(items):
        item["t"] = "x" * (share + (rest if number == 0 else 0))
    return [dict(item) for item in items]


def test_a_batch_has_at_most_300_items() -> None:
    sizes = [len(each.items) for each in batches(Kind.STORIES, SOURCE, [story()] * 601)]
    assert sizes == [300, 300, 1]
    assert [len(each.items) for each in batches(Kind.STORIES, SOURCE, [story()] * 300)] == [300]


@pytest.mark.parametrize("kind", list(Kind))
def test_a_body_may_be_exactly_as_large_as_the_limit_and_no_larger(kind: Kind) -> None:
    limit = {Kind.STORIES: 5 * 1024 * 1024, Kind.CHAPTERS: 12 * 1024 * 1024}[kind]
    exact = list(batches(kind, SOURCE, of_size(kind, limit, 60)))
    assert [len(each.body) for each in exact] == [limit]
    over = list(batches(kind, SOURCE, of_size(kind, limit + 1, 60)))
    assert [len(each.items) for each in over] == [59, 1]
    assert all(len(each.body) <= limit for each in over)


def test_an_item_that_is_too_large_alone_is_reported_and_keeps_nobody_back() -> None:
    limit = Kind.STORIES.most_bytes
    largest = of_size(Kind.STORIES, limit, 1)[0]
    larger = of_size(Kind.STORIES, limit + 1, 1)[0]
    packed = list(batches(Kind.STORIES, SOURCE, [story(), larger, largest]))
    assert [each.positions for each in packed] == [(0,), (2,)]
    refused = [each for batch in packed for each in batch.unsendable]
    assert [(each.position, each.code) for each in refused] == [(1, "payload_too_large")]


def test_what_json_cannot_say_is_reported_without_sending_anything() -> None:
    with misbehaving() as server, Client(server.url, "nk_1", "secret") as client:
        reports = list(client.push_stories(SOURCE, [{"title": "\ud800"}, {"title": object()}]))
        assert server.received == []
    assert [(each.position, each.code) for each in reports[0].rejected] == [
        (0, "invalid_item"),
        (1, "invalid_item"),
    ]
    assert (reports[0].request_id, reports[0].accepted) == (None, 0)


def test_the_body_is_what_the_contract_asks_for() -> None:
    when = datetime(2026, 2, 21, 8, 5, tzinfo=UTC)
    item = chapter(chapter_no=Decimal("1.5"), updated_at_source=when, title="Chương 序")
    (batch,) = batches(Kind.CHAPTERS, SOURCE, [item])
    told = chapter(chapter_no=1.5, updated_at_source="2026-02-21T08:05:00Z", title="Chương 序")
    assert body_of(batch) == {"source": SOURCE, "items": [told]}


def test_the_same_items_have_the_same_key_and_others_another() -> None:
    def key(kind: Kind, source: str, *items: dict[str, object]) -> str:
        return next(batches(kind, source, items)).idempotency_key

    keys = {
        key(Kind.STORIES, SOURCE, story()),
        key(Kind.STORIES, SOURCE, story(title="Other")),
        key(Kind.STORIES, "truyen-b", story()),
        key(Kind.CHAPTERS, SOURCE, story()),
    }
    assert len(keys) == 4
    assert key(Kind.STORIES, SOURCE, story()) in keys
    assert all(len(each) <= 120 and each.isascii() for each in keys)


def test_refused_items_are_named_by_their_place_among_all_that_were_given() -> None:
    def refuse_third(handler: Handler) -> None:
        error = {"index": 2, "code": "invalid_slug", "message": "slug is required"}
        request_id = handler.script.received[-1].headers["x-novel-request-id"]
        answer = {"request_id": request_id, "accepted_count": 9, "rejected_count": 1}
        handler.answer(200, answer | {"errors": [error]})

    items = [story(number) for number in range(310)]
    items[302] = without(items[302], "slug")
    with (
        misbehaving(refuse_third, refuse_third) as server,
        Client(server.url, "nk_1", "secret") as client,
    ):
        first, second = client.push_stories(SOURCE, items)
    assert [each.position for each in first.rejected] == [2]
    assert [(each.position, each.item) for each in second.rejected] == [(302, items[302])]
    assert second.rejected[0].message == "slug is required"


def test_bodies_travel_packed_when_asked_to() -> None:
    with misbehaving() as server:
        for pack in ("gzip", "zstd"):
            with Client(server.url, "nk_1", "secret", pack=pack) as client:
                list(client.push_stories(SOURCE, [story()]))
        gzipped, zipped = server.received
    assert gzip.decompress(gzipped.body) == zstandard.ZstdDecompressor().decompress(zipped.body)
    assert [each.headers["content-encoding"] for each in server.received] == ["gzip", "zstd"]
    assert gzipped.headers["idempotency-key"] == zipped.headers["idempotency-key"]
