"""A client meets a server in trouble, and one that refuses."""

import time
from datetime import timedelta
from email.utils import formatdate

import pytest

from rensai.client import (
    Client,
    ClockSkewError,
    ExhaustedError,
    PushError,
    RefusedError,
    Retry,
    Waiting,
)
from tests.client.items import chapter, story
from tests.client.misbehaving import (
    Server,
    Step,
    accept,
    cut_off,
    misbehaving,
    refuse,
    reset,
    slow,
    tell_time,
)

QUICK = Retry(attempts=4, first=0.01, longest=0.05, patience=5)


def push(server: Server, retry: Retry = QUICK, timeout: float = 5) -> list[Waiting]:
    """Push one chapter; what the client waited for."""
    waited: list[Waiting] = []
    with Client(
        server.url, "nk_1", "secret", retry=retry, timeout=timeout, on_wait=waited.append
    ) as client:
        reports = list(client.push_chapters("truyen-a", [chapter()]))
    assert [report.accepted for report in reports] == [1]
    return waited


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_server_in_trouble_is_asked_again(status: int) -> None:
    with misbehaving(refuse(status), refuse(status)) as server:
        push(server)
        assert len(server.received) == 3


@pytest.mark.parametrize("break_line", [reset, cut_off], ids=["reset", "cut off"])
def test_a_broken_line_after_the_body_is_tried_again(break_line: Step) -> None:
    with misbehaving(break_line) as server:
        push(server)
        assert len(server.received) == 2


def test_a_server_that_does_not_answer_in_time_is_asked_again() -> None:
    with misbehaving(slow(1.0)) as server:
        push(server, timeout=0.3)
        assert len(server.received) == 2


def test_each_attempt_is_signed_anew_and_named_as_before() -> None:
    with misbehaving(refuse(503), reset) as server:
        push(server)
        names = [sent.headers for sent in server.received]
    assert len({sent["x-novel-nonce"] for sent in names}) == 3
    assert len({sent["x-novel-signature"] for sent in names}) == 3
    assert len({sent["idempotency-key"] for sent in names}) == 1
    assert len({sent["x-novel-request-id"] for sent in names}) == 1
    assert len({sent.body for sent in server.received}) == 1


def test_retry_after_is_honoured_and_a_quota_costs_no_attempt() -> None:
    quota = refuse(429, "rate_limited", Retry_After="1")
    with misbehaving(quota, quota) as server:
        began = time.monotonic()
        waited = push(server, Retry(attempts=1, patience=10))
        assert time.monotonic() - began >= 2
    assert [(wait.for_quota, wait.attempt) for wait in waited] == [(True, 1), (True, 2)]


def test_retry_after_may_be_a_date() -> None:
    after = formatdate(time.time() + 2, usegmt=True)
    with misbehaving(refuse(503, Retry_After=after)) as server:
        waited = push(server)
    assert 0.5 < waited[0].seconds <= 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 415, 422])
def test_what_is_wrong_is_not_sent_again(status: int) -> None:
    with misbehaving(refuse(status, "invalid_schema")) as server:
        with pytest.raises(RefusedError) as refused:
            push(server)
        assert len(server.received) == 1
    assert (refused.value.status, refused.value.code) == (status, "invalid_schema")


def test_a_client_gives_up_after_its_attempts_and_says_why() -> None:
    with misbehaving(*[refuse(503)] * 9) as server:
        with pytest.raises(ExhaustedError, match="4 attempts: 503 internal_error"):
            push(server)
        assert len(server.received) == 4


def test_a_client_gives_up_when_its_patience_would_not_last() -> None:
    with misbehaving(refuse(429, Retry_After="3600")) as server:
        began = time.monotonic()
        with pytest.raises(ExhaustedError):
            push(server)
        assert time.monotonic() - began < 3


def test_a_wrong_clock_is_named_with_how_far_it_is_off() -> None:
    with misbehaving(tell_time(-900, refuse(401, "timestamp_skew"))) as server:
        with pytest.raises(ClockSkewError, match=r"90[0-9] seconds ahead of") as skewed:
            push(server)
        assert len(server.received) == 1
    assert skewed.value.ahead is not None
    assert skewed.value.ahead > timedelta(seconds=898)


def test_a_page_that_is_no_answer_of_ours_is_an_error() -> None:
    with misbehaving(lambda handler: handler.answer(200, b"<html>Welcome</html>")) as server:
        with pytest.raises(PushError, match="not that of a Rensai server"):
            push(server)
        assert len(server.received) == 1


def test_a_redirect_is_not_followed_with_a_signature() -> None:
    away = refuse(308, Location="https://elsewhere.example")
    with misbehaving(away) as server, pytest.raises(RefusedError) as refused:
        push(server)
    assert refused.value.status == 308


def test_parallel_connections_report_in_order_and_stop_at_the_first_failure() -> None:
    items = [story(number) for number in range(1, 1501)]
    with (
        misbehaving(slow(0.1), accept, accept) as server,
        Client(server.url, "nk_1", "secret", connections=3, retry=QUICK) as client,
    ):
        reports = list(client.push_stories("truyen-a", items))
    assert [report.batch.positions[0] for report in reports] == [0, 300, 600, 900, 1200]
    with (
        misbehaving(accept, *[refuse(403, "permission_denied")] * 9) as server,
        Client(server.url, "nk_1", "secret", connections=2, retry=QUICK) as client,
    ):
        with pytest.raises(RefusedError):
            list(client.push_stories("truyen-a", items))
        assert len(server.received) <= 4


def test_giving_up_ends_a_long_wait() -> None:
    with misbehaving(refuse(503, Retry_After="60")) as server:
        client = Client(server.url, "nk_1", "secret", on_wait=lambda _: client.give_up())
        began = time.monotonic()
        with client, pytest.raises(ExhaustedError):
            list(client.push_chapters("truyen-a", [chapter()]))
        assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com",
        "example.com",
        "http://example.com",
        "https://a.example/x",
        "https://u:p@a.example",
    ],
)
def test_an_address_that_cannot_be_right_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match=r"address|https"):
        Client(url, "nk_1", "secret")


def test_the_secret_is_in_no_representation() -> None:
    client = Client("https://books.example.com", "nk_1", "very-secret")
    assert "very-secret" not in repr(vars(client))
    client.close()
