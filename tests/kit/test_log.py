"""Logs are one line each, bounded, and never a reason to fail."""

import io
import logging
import sys
import threading
import time
from collections.abc import Iterator
from typing import cast

import pytest
import structlog

from rensai.kit import log
from rensai.kit.log_redact import MAX_EVENT
from tests.logged import lines_of, logged

SECRET = "Zq8-vT_3.kL+x/9=w"


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    with logged() as stream:
        yield stream


def _ours() -> logging.Handler:
    """Our handler alone: pytest's own raises at a line with a wrong format."""
    return logging.getLogger().handlers[0]


def test_an_event_is_one_json_object_on_one_line(stream: io.StringIO) -> None:
    log.get_logger("rensai.test").info("chapter\npublished", story=3, title="Thần Đạo\x1b[0m")
    assert stream.getvalue().count("\n") == 1
    (line,) = lines_of(stream)
    assert line["event"] == "chapter\npublished"
    assert (line["level"], line["logger"]) == ("info", "rensai.test")
    assert (line["story"], line["title"]) == (3, "Thần Đạo\x1b[0m")
    assert len(str(line["time"])) == len("2030-01-01T00:00:00.000Z")
    assert str(line["time"]).endswith("Z")


def test_lines_below_the_level_are_dropped(stream: io.StringIO) -> None:
    logger = log.get_logger("t")
    logger.debug("a")
    logging.getLogger("t").debug("b")
    log.configure("debug", "json", stream=stream)
    logger.debug("c")
    logging.getLogger("t").debug("d")
    log.configure("error", "json", stream=stream)
    logger.warning("e")
    logging.getLogger("t").warning("f")
    logger.error("g")
    assert [line["event"] for line in lines_of(stream)] == ["c", "d", "g"]


def test_lines_of_the_standard_library_take_the_same_way(stream: io.StringIO) -> None:
    with log.context(request_id="r-1"):
        logging.getLogger("asyncpg").warning("lost %s", "postgres://u:hunter22@db/x")
    _ours().handle(logging.LogRecord("x", 40, "", 1, "two %s %s", ("one",), None))
    first, second = lines_of(stream)
    assert first["event"] == "lost postgres://[redacted]@db/x"
    assert (first["level"], first["logger"]) == ("warning", "asyncpg")
    assert first["request_id"] == "r-1"
    assert second["event"] == "two %s %s"


def test_a_context_is_in_every_line_below_it_and_in_none_after(stream: io.StringIO) -> None:
    logger = log.get_logger("t")
    with log.context(request_id="r-1", task_id=7):
        logger.info("inside")
        logger.info("closer", task_id=8)
    logger.info("after")
    inside, closer, after = lines_of(stream)
    assert (inside["request_id"], inside["task_id"]) == ("r-1", 7)
    assert closer["task_id"] == 8
    assert "request_id" not in after


def test_text_is_readable_and_obeys_no_control_character(stream: io.StringIO) -> None:
    log.configure("info", "text", stream=stream)
    log.get_logger("rensai.x").warning("it\x1b[31m happened", n=1, why={"a": [1]})
    text = stream.getvalue()
    assert "\x1b" not in text
    assert text[13:].startswith("warning ")
    assert text.endswith(' n=1 why={"a":[1]} [rensai.x]\n')


def test_an_exception_is_told_with_its_causes_and_without_its_secrets(stream: io.StringIO) -> None:
    def fail() -> None:
        try:
            raise ConnectionError("postgres://rensai:hunter22@db/rensai refused")
        except ConnectionError as error:
            raise RuntimeError("password='hunter22' is wrong") from error

    try:
        fail()
    except RuntimeError as error:
        log.get_logger("t").exception("it failed")
        logging.getLogger("t").exception("it failed too")
        log.get_logger("t").error("given", exc_info=error)
        log.get_logger("t").error("as a value", error=error)
    lines = lines_of(stream)
    assert "hunter22" not in stream.getvalue()
    assert all("in fail" in str(line["exception"]) for line in lines[:3])
    assert all("ConnectionError: postgres://[red" in str(line["exception"]) for line in lines[:3])
    assert lines[0]["level"] == "error"
    assert lines[3]["error"] == "RuntimeError: password=[redacted] is wrong"


def test_uncaught_exceptions_are_logged_and_not_printed(
    stream: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    error = ValueError("token=abcdef")
    sys.excepthook(ValueError, error, None)

    def fail() -> None:
        raise error

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    assert [line["level"] for line in lines_of(stream)] == ["critical", "critical"]
    assert "abcdef" not in stream.getvalue() + capsys.readouterr().err


def test_a_line_has_a_bounded_length(stream: io.StringIO) -> None:
    endless: list[object] = []
    endless.append(endless)
    log.get_logger("t").info(
        "e" * 100_000,
        many={str(n): "v" * 5_000 for n in range(1000)},
        wide=list(range(100_000)),
        deep=endless,
        big=10**5000,
        **{f"k{n}" * 200: "v" * 5_000 for n in range(100)},
    )
    assert len(stream.getvalue()) < MAX_EVENT * 2
    assert len(lines_of(stream)) == 1


def test_of_a_long_traceback_the_end_is_kept(stream: io.StringIO) -> None:
    def dig(depth: int) -> None:
        if depth == 0:
            raise ValueError("m" * 50_000 + " the end, password=" + SECRET)
        (dig_other if depth % 2 else dig)(depth - 1)

    def dig_other(depth: int) -> None:
        dig(depth)

    try:
        dig(200)
    except ValueError:
        log.get_logger("t").exception("x")
    (line,) = lines_of(stream)
    assert str(line["exception"]).rstrip().endswith("the end, password=[redacted]")
    assert len(str(line["exception"])) < 9_000


class _Hostile:
    """Raises at every touch."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


def test_nothing_that_is_logged_can_raise(stream: io.StringIO) -> None:
    logger = log.get_logger("t")
    logger.info("x", a=_Hostile(), b={_Hostile(): _Hostile()}, c=float("nan"), d="\ud800", e=2**70)
    logger.info("x", exc_info=True)
    logger.info("x", exc_info=cast(BaseException, "nonsense"))
    _ours().handle(logging.LogRecord("t", 99, "", 1, _Hostile(), ("no number",), None))
    assert len(lines_of(stream)) == 4
    stream.close()
    logger.info("the stream is closed")


def test_a_line_costs_little(stream: io.StringIO) -> None:
    """A guard against a slow pattern; the exact cost is measured by the benchmarks."""
    logger = log.get_logger("t")
    started = time.process_time()
    for n in range(2000):
        logger.info("request", method="GET", path=f"/series/{n}/chapters", status=200, ms=1.25)
    assert (time.process_time() - started) / 2000 < 0.000_3


def test_structlog_is_ours_before_anything_is_configured() -> None:
    assert structlog.is_configured()
