"""The text of a chapter: one form, one hash, nothing dangerous, and back as it was."""

import gzip
import hashlib
import random
import re
import time
import unicodedata
from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.rooms.catalogue.adapters.bodies import (
    UnreadableBody,
    normalise,
    prepare_body,
    unpack_body,
)

_DANGEROUS = re.compile(
    r"<\s*(?:script|style|svg|math|iframe|object|embed|form|input|base|link|meta|img|template)"
    r"|\son\w+\s*=|javascript:|data:|vbscript:|srcdoc|<!|expression\(",
    re.IGNORECASE,
)
_REL = 'rel="noopener noreferrer nofollow ugc"'
_ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=400)
_PIECES = st.sampled_from(
    [
        *("<p>", "</p>", "<b>", "</b>", "<i", ">", "<script>", "</script>", "<svg>", "</svg>"),
        *("<a href='javascript:x()'>", "<a href=data:x>", "<a href=https://a.b/>", "</a>"),
        *("<math><mtext>", "<style>", "</style>", "<template>", "<noscript>", "</noscript>"),
        *("<!--", "-->", "<![CDATA[", "]]>", "<textarea>", "</textarea>", "<title>", "</title>"),
        *(" onclick=x()", "<img src=x onerror=y>", "<iframe srcdoc='", "'>", '"', "`", "\x00"),
        *("&lt;script&gt;", "&#x3c;", "&#0;", "java\nscript:", "text", "\n", "\u2028", "<x-y>"),
    ]
)


def html_of(raw: str) -> str | None:
    body = prepare_body(raw)
    return None if body.html is None else unpack_body(body.html, body.encoding)


@given(_ANY_TEXT)
def test_a_normalised_text_is_normal(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert "\r" not in once
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", once)


@given(_ANY_TEXT)
def test_a_body_comes_back_as_its_normal_form(text: str) -> None:
    body = prepare_body(text)
    normal = normalise(text)
    assert unpack_body(body.raw, body.encoding) == normal
    assert body.hash == hashlib.sha256(normal.encode()).digest()
    assert body.size == len(normal.encode())


@given(_ANY_TEXT)
def test_two_spellings_of_one_text_have_one_hash(text: str) -> None:
    normal = prepare_body(normalise(text))
    assert prepare_body(unicodedata.normalize("NFD", normalise(text))).hash == normal.hash
    assert prepare_body(normalise(text).replace("\n", "\r\n")).hash == normal.hash
    assert prepare_body(normalise(text), normalise(text).encode()) == normal


@given(st.lists(_PIECES | _ANY_TEXT, max_size=30).map("".join))
def test_nothing_dangerous_survives_cleaning(raw: str) -> None:
    cleaned = html_of(raw)
    if cleaned is not None:
        shown = re.sub(r'(?<=href=")[^"]*', _allowed_address, cleaned)
        tags = "".join(re.findall(r"<[^>]*>", shown))
        assert not _DANGEROUS.search(tags), cleaned


def _allowed_address(found: re.Match[str]) -> str:
    assert re.match(r"(?i)https?:|mailto:|[^:]*$|[^:]*[/?#]", found[0]), found[0]
    return ""


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("<p>Hi<script>alert(1)</script></p>", "<p>Hi</p>"),
        ("<p>Hi<SCRIPT SRC=//evil></SCRIPT></p>", "<p>Hi</p>"),
        ("<p onclick=x() style='color:red' class=y id=z>Hi</p>", "<p>Hi</p>"),
        ("<p><img src=x onerror=alert(1)>Hi</p>", "<p>Hi</p>"),
        ("<p><a href='java\nscript:alert(1)'>Hi</a></p>", f"<p><a {_REL}>Hi</a></p>"),
        ("<p><a href=&#106;avascript:alert(1)>Hi</a></p>", f"<p><a {_REL}>Hi</a></p>"),
        ("<p><a href='data:text/html,x'>Hi</a></p>", f"<p><a {_REL}>Hi</a></p>"),
        ("<p><svg><a><script>x</script></a></svg>Hi</p>", "<p>Hi</p>"),
        ("<p><math><mi//xlink:href='data:x'></math>Hi</p>", "<p>Hi</p>"),
        ("<style>p{}</style><p>Hi</p>", "<p>Hi</p>"),
        ("<p>Hi<iframe src=//evil>no</iframe></p>", "<p>Hi</p>"),
        ("<p>Hi<b>there", "<p>Hi<b>there</b></p>"),
        ("<p>1 < 2 & 3</p>", "<p>1 &lt; 2 &amp; 3</p>"),
        ("<ruby>漢<rt>かん</rt></ruby><br>", "<ruby>漢<rt>かん</rt></ruby><br>"),
        ("<i>One</i>\nTwo", "<i>One</i><br>\nTwo"),
        ("<p>One\ntwo</p>", "<p>One\ntwo</p>"),
        ("Tom &amp; Jerry", "Tom &amp; Jerry"),
        ("<noscript><p title='</noscript><img src=x onerror=x>'></noscript>Hi<br>", "'&gt;Hi<br>"),
    ],
)
def test_hostile_markup_is_cleaned(raw: str, cleaned: str) -> None:
    assert html_of(raw) == cleaned


def test_a_link_is_kept_and_told_to_leave_no_trace() -> None:
    cleaned = html_of('<p><a href="https://example.com/?a=1&b=2" target=_blank>x</a></p>')
    assert cleaned == (f'<p><a href="https://example.com/?a=1&amp;b=2" {_REL}>x</a></p>')


@pytest.mark.parametrize("plain", ["I <3 you", "a < b and b > c", "R&D", "x &amp y", "5 <6", ""])
def test_plain_text_is_not_taken_for_markup(plain: str) -> None:
    assert prepare_body(plain).html is None


@pytest.mark.parametrize(
    "piece",
    [
        *("<div>", "<b>", "<a href=x>", "<table>", "<table><tr><td>", "<ul><li>", "<font>"),
        *(
            "<i><b>",
            "<div><!--</div>-->",
            "<svg>",
            "<p>",
            "<span><p>",
            "<nobr>",
            "</p>",
            "<dl><dt>",
        ),
        *("<b><i>x</b></i>", "<select>", "<template>", "<q/>", "&lt;", "<", "<a "),
    ],
)
def test_a_bomb_costs_little_and_is_shown_as_text_at_worst(piece: str) -> None:
    raw = piece * (256 * 1024 // len(piece))
    began = time.process_time()
    body = prepare_body(raw)
    # The parser alone would take 13 seconds for the first of them.
    assert time.process_time() - began < 2
    assert body.html is None or len(unpack_body(body.html, body.encoding)) < 16 * len(raw)


def test_a_tag_with_thousands_of_attributes_is_a_bomb() -> None:
    assert prepare_body("<a " + " ".join(f"a{n}" for n in range(30_000)) + ">x</a>").html is None


def test_an_embedded_picture_is_no_bomb() -> None:
    picture = b64encode(random.Random(3).randbytes(180_000)).decode()  # noqa: S311 - not a secret
    assert html_of(f"<p>Hi<img src='data:image/png;base64,{picture}'></p>") == "<p>Hi</p>"


def test_a_deep_but_honest_chapter_is_shown() -> None:
    raw = "<div><blockquote>" * 60 + "".join(f"<p>{n}</p>" for n in range(9_000))
    cleaned = html_of(raw + "</blockquote></div>" * 60)
    assert cleaned is not None
    assert cleaned.count("<p>") == 9_000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("   \n\n ", 0),
        ("Một ngày đẹp trời.", 4),
        ("– Xin chào! – anh nói…", 4),
        ("well-known don't 3.14", 3),
        ("* * *", 0),
        ("a\u00a0b", 2),
        ("天下大势，分久必合。", 8),
        ("彼は「はい」と言った。", 8),
        ("안녕하세요 여러분", 8),
        ("第1章 Hello world", 5),
        ("Đạo (道) là con đường dài của người tu luyện", 10),
        ("<p>one</p><p>two</p>", 2),
        ("Tom&nbsp;&amp;&nbsp;Jerry", 3),
    ],
)
def test_words_are_counted_as_readers_of_the_language_do(text: str, words: int) -> None:
    assert prepare_body(text).words == words


def test_a_long_text_is_packed_and_a_short_one_is_not() -> None:
    short, long = prepare_body("Hi"), prepare_body("Một ngày đẹp trời. " * 100)
    assert (short.encoding, short.raw) == ("none", b"Hi")
    assert long.encoding == "zstd"
    assert len(long.raw) < long.size / 10


def test_gzip_is_readable() -> None:
    assert unpack_body(gzip.compress("Chào".encode()), "gzip") == "Chào"


@pytest.mark.parametrize(
    ("packed", "encoding"),
    [(b"\xff", "none"), (b"junk", "zstd"), (b"junk", "gzip"), (b"\x1f\x8b", "gzip")],
)
def test_a_damaged_body_is_an_error_of_its_own(packed: bytes, encoding: str) -> None:
    with pytest.raises(UnreadableBody):
        unpack_body(packed, encoding)


def test_half_of_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(UnreadableBody):
        prepare_body("a\ud800b")
