"""No log holds a secret, wherever it was put."""

import io
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rensai.kit import log
from rensai.kit.log_redact import clean_text, hide, is_secret_name
from tests.logged import lines_of, logged

SECRET = "Zq8-vT_3.kL+x/9=w"


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    with logged() as stream:
        yield stream


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
    (line,) = lines_of(stream)
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
    (line,) = lines_of(stream)
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
        (f"sent rsn_{'a-_' * 14} to it", "sent rsn_[redacted] to it"),
        (f"/me?t=rsr_{'x' * 43}&a=1", "/me?t=rsr_[redacted]&a=1"),
        ("versn_x and rsn_ are words", None),
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
    (line,) = lines_of(stream)
    assert line["event"] == "the [redacted]"
    assert "horse" not in stream.getvalue()


@pytest.mark.parametrize("places", range(6))
def test_what_is_cut_off_hides_no_half_of_a_secret(stream: io.StringIO, places: int) -> None:
    logger = log.get_logger("t")
    for at in range(1_980 + places * 8, 1_988 + places * 8):
        logger.info("x" * at + " password=" + SECRET + " " + "y" * 5000)
        logger.info("x" * at + " https://user:" + SECRET + "@host/ " + "y" * 5000)
    assert SECRET[:4] not in stream.getvalue()


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
        started = time.process_time()
        clean_text(piece * 10_000)
        assert time.process_time() - started < 0.2, piece


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
