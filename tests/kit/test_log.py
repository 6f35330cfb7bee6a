"""Logs are one line each, bounded, and hold no secret wherever it was put."""

import io
import json
import logging
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import msgspec
import pytest
import structlog
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rensai.kit import log
from rensai.kit.log_redact import MAX_EVENT, clean_text, hide, is_secret_name

SECRET = "Zq8-vT_3.kL+x/9=w"


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    log.configure("info", "json", stream=stream)
    yield stream
    log.configure()


def _lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def _ours() -> logging.Handler:
    """Our handler alone: pytest's own raises at a line with a wrong format."""
    return logging.getLogger().handlers[0]


def test_an_event_is_one_json_object_on_one_line(stream: io.StringIO) -> None:
    log.get_logger("rensai.test").info("chapter\npublished", story=3, title="Thần Đạo\x1b[0m")
    assert stream.getvalue().count("\n") == 1
    (line,) = _lines(stream)
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
    assert [line["event"] for line in _lines(stream)] == ["c", "d", "g"]


def test_lines_of_the_standard_library_take_the_same_way(stream: io.StringIO) -> None:
    with log.context(request_id="r-1"):
        logging.getLogger("asyncpg").warning("lost %s", "postgres://u:hunter22@db/x")
    _ours().handle(logging.LogRecord("x", 40, "", 1, "two %s %s", ("one",), None))
    first, second = _lines(stream)
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
    inside, closer, after = _lines(stream)
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
    lines = _lines(stream)
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
    assert [line["level"] for line in _lines(stream)] == ["critical", "critical"]
    assert "abcdef" not in stream.getvalue() + capsys.readouterr().err


class _Login(msgspec.Struct):
    username: str
    password: str


@dataclass
class _Key:
    name: str
    api_secret: str


def test_secrets_are_known_by_their_names_at_any_depth(stream: io.StringIO) -> None:
    log.get_logger("t").info(
        "x",
        headers=[(b"Authorization", b"Bearer abc"), ("X-Novel-Signature", SECRET), ("a", "b")],
        deep={"list": [{"Set-Cookie": SECRET}, {"user": {"new_password": SECRET}}]},
        login=_Login("mai", SECRET),
        key=_Key("crawler", SECRET),
        mnemonic=["abandon"] * 12,
        recovery_phrase="abandon about",
        portable_key_hmac_secret=SECRET,
        REDIS_PASSWORD=SECRET,
        apiKey=SECRET,
        sessionId=SECRET,
        token=None,
    )
    (line,) = _lines(stream)
    assert SECRET not in stream.getvalue()
    assert "abandon" not in stream.getvalue()
    assert line["headers"] == [
        ["Authorization", "[redacted]"],
        ["X-Novel-Signature", "[redacted]"],
        ["a", "b"],
    ]
    assert line["login"] == {"username": "mai", "password": "[redacted]"}
    assert line["key"] == {"name": "crawler", "api_secret": "[redacted]"}
    assert line["token"] is None


@pytest.mark.parametrize(
    "harmless",
    ["story", "dedupe_key", "content_type", "content_length", "keyword", "passed", "author"],
)
def test_harmless_names_are_left_alone(harmless: str) -> None:
    assert not is_secret_name(harmless)
    assert clean_text(f"{harmless}=12345678") == f"{harmless}=12345678"


def test_bodies_and_raw_bytes_are_never_shown(stream: io.StringIO) -> None:
    log.get_logger("t").info(
        "x", body="chapter text", request_body={"a": 1}, content_raw="text", blob=b"chapter text"
    )
    (line,) = _lines(stream)
    assert "chapter" not in stream.getvalue()
    assert line["body"] == line["request_body"] == line["content_raw"] == "[not logged]"
    assert line["blob"] == "[12 bytes]"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("redis://:pw@h:6379/0", "redis://[redacted]@h:6379/0"),
        ("https://ghp_abc123@github.com/x", "https://[redacted]@github.com/x"),
        ("postgres://u:p/a:s@s@db/x y", "postgres://[redacted]@db/x y"),
        ("https://host/@alice and http://h:8000/@bob", None),
        ("Authorization: Digest a=b, c=d\r\nAccept: x", "Authorization: [redacted]\r\nAccept: x"),
        ("Cookie: a=b; sid=c", "Cookie: [redacted]"),
        ("got Bearer abc.def-ghi", "got Bearer [redacted]"),
        ("basic auth is off", None),
        ('{"password": "a b\\"c", "x": 1}', '{"password": [redacted], "x": 1}'),
        ("{'api_key': 'a b', 'x': 1}", "{'api_key': [redacted], 'x': 1}"),
        ("[(b'cookie', b'a=b; c=d'), (b'x', b'y')]", "[(b'cookie', [redacted]), (b'x', b'y')]"),
        ("/login?token=abc&next=/x", "/login?token=[redacted]&next=/x"),
        ("HMAC-SHA256 deadbeef", "HMAC-SHA256 [redacted]"),
        ("sha " + "0123456789abcdef" * 4, "sha 012345…[redacted]"),
        ("id 0123456789abcdef0123456789abcdef", None),
        ("a eyJhbGciOi.eyJzdWIi.c2ln b", "a [redacted] b"),
        ("-----BEGIN PRIVATE KEY-----\nMC4C\n-----END PRIVATE KEY-----\nz", "[redacted]\nz"),
        ("{'password': ['a b', {'c': 'd'}], 'x': 1}\nnext", "{'password': [redacted]\nnext"),
        ("mnemonic: abandon ability able\nnext", "mnemonic: [redacted]\nnext"),
        ("rensai --admin-password abc --port 1", "rensai --admin-password [redacted] --port 1"),
        ("the password is wrong", None),
        ("GET /series/abc 200 in 3 ms", None),
        ("10:30:00 key=3 page=2", None),
    ],
)
def test_secrets_are_known_by_their_looks(text: str, cleaned: str | None) -> None:
    assert clean_text(text) == (text if cleaned is None else cleaned)
    padded = "x" * 100 + " " + text  # past the length that takes the short way
    assert clean_text(padded) == "x" * 100 + " " + (text if cleaned is None else cleaned)


def test_values_that_were_hidden_are_printed_nowhere(stream: io.StringIO) -> None:
    hide(["correct horse", "correct horse battery"])
    log.get_logger("t").info(
        "the correct horse battery", **{"x correct horse": 1}, y=("correct horse",)
    )
    (line,) = _lines(stream)
    assert line["event"] == "the [redacted]"
    assert "horse" not in stream.getvalue()


@pytest.mark.parametrize("places", range(6))
def test_what_is_cut_off_hides_no_half_of_a_secret(stream: io.StringIO, places: int) -> None:
    logger = log.get_logger("t")
    for at in range(1_980 + places * 8, 1_988 + places * 8):
        logger.info("x" * at + " password=" + SECRET + " " + "y" * 5000)
        logger.info("x" * at + " https://user:" + SECRET + "@host/ " + "y" * 5000)
    assert SECRET[:4] not in stream.getvalue()


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
    assert len(_lines(stream)) == 1


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
    (line,) = _lines(stream)
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
    assert len(_lines(stream)) == 4
    stream.close()
    logger.info("the stream is closed")


def test_hostile_texts_do_not_make_it_slow() -> None:
    for piece in (
        "://a:",
        "token",
        "password=",
        "bearer ",
        "eyJ",
        '"',
        "cookie:",
        "a@",
        "://",
        "f",
    ):
        started = time.perf_counter()
        clean_text(piece * 10_000)
        assert time.perf_counter() - started < 0.2, piece


secret_names = st.sampled_from(
    [
        "password",
        "new_password",
        "X-Api-Key",
        "authorization",
        "Cookie",
        "signature",
        "mnemonic",
        "client_secret",
        "access_token",
        "refreshToken",
        "HMAC",
        "private_key",
        "session_id",
    ]
)
plain = st.text(max_size=30)
alphabet = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_"
secrets = st.text(alphabet, min_size=12, max_size=60)


def _in_text(name: str, secret: str) -> list[str]:
    """The shapes in which a secret stands in a text."""
    return [
        f"postgres://user:{secret}@host:5432/db",
        f"redis://:{secret}@host",
        f"{name}={secret}",
        f"{name}: {secret}",
        f'{{"{name}": "{secret}"}}',
        f"{{'{name}': '{secret}'}}",
        f"('{name}', '{secret}')",
        f"Authorization: Bearer {secret}",
        f"Bearer {secret}",
        f"cookie: sid={secret}; other=1",
        f"eyJ{secret}.{secret}.{secret}",
        f"/path?x=1&{name}={secret}&y=2",
    ]


@settings(max_examples=300, deadline=None)
@given(st.data(), secrets, secret_names, plain, plain)
def test_a_secret_put_anywhere_in_an_event_never_appears(
    data: st.DataObject, secret: str, name: str, before: str, after: str
) -> None:
    """By name, by looks or as a known value; in any container, key, exception or argument."""
    assume(secret not in before + after)
    stream = io.StringIO()
    shape = data.draw(st.sampled_from(["name", "looks", "known"]))
    log.configure(
        "info",
        data.draw(st.sampled_from(["json", "text"])),
        stream=stream,
        secrets=[secret] if shape == "known" else [],
    )
    leaf: object
    if shape == "name":
        leaf = {
            name: data.draw(st.sampled_from([secret, [secret], {"a": secret}, secret.encode()]))
        }
    elif shape == "looks":
        leaf = f"{before} {data.draw(st.sampled_from(_in_text(name, secret)))} {after}"
    else:
        leaf = before + secret + after
    for wrap in data.draw(st.lists(st.sampled_from(["list", "dict", "tuple", "pair"]), max_size=3)):
        leaf = {"list": [leaf, 1], "dict": {"k": leaf}, "tuple": (1, leaf, 2), "pair": ("k", leaf)}[
            wrap
        ]
    logger, standard = log.get_logger("t"), logging.getLogger("t")
    place = data.draw(
        st.sampled_from(["value", "event", "argument", "exception", "context", "key"])
    )
    try:
        if place == "value":
            logger.info("x", v=leaf)
        elif place == "event":
            logger.info(str(leaf))
        elif place == "argument":
            standard.info("x %s y", leaf)
        elif place == "context":
            with log.context(v=leaf):
                logger.info("x")
        elif place == "key":
            logger.info("x", **{str(leaf): 1})
        else:
            try:
                raise ValueError(leaf)
            except ValueError as error:
                logger.info("x", error=error, exc_info=True)
    finally:
        log.configure()
    assert stream.getvalue()
    assert secret not in stream.getvalue()


def test_a_line_costs_little(stream: io.StringIO) -> None:
    """A guard against a slow pattern; the exact cost is measured by the benchmarks."""
    logger = log.get_logger("t")
    started = time.perf_counter()
    for n in range(2000):
        logger.info("request", method="GET", path=f"/series/{n}/chapters", status=200, ms=1.25)
    assert (time.perf_counter() - started) / 2000 < 0.000_3


def test_structlog_is_ours_before_anything_is_configured() -> None:
    assert structlog.is_configured()
