"""What matched is shown as HTML with marks, and nothing that people wrote is HTML."""

import re
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.rooms.search.adapters.asking import understand
from rensai.rooms.search.adapters.marking import excerpt, marked, marked_beginnings
from rensai.rooms.search.adapters.words import words_of
from rensai.rooms.search.service.misspelt import one_off

MARKED = [
    ("Thần Đạo", "than", "<mark>Thần</mark> Đạo"),
    ("Thần Đạo Thần", "than", "<mark>Thần</mark> Đạo <mark>Thần</mark>"),
    ("<script>Dao</script>", "dao", "&lt;script&gt;<mark>Dao</mark>&lt;/script&gt;"),
    ("<mark>a</mark> & \"b'", "b", "&lt;mark&gt;a&lt;/mark&gt; &amp; &quot;<mark>b</mark>&#x27;"),
    ("斗破苍穹之大主宰", "破苍穹", "斗<mark>破苍穹</mark>之大主宰"),
    ("人龙人", "人", "<mark>人</mark>龙<mark>人</mark>"),
    ("ソード", "そーど", "<mark>ソード</mark>"),
    ("The Dragon's Heir", "dragon", "The <mark>Dragon&#x27;s</mark> Heir"),
    ("Don’t", "dont", "<mark>Don’t</mark>"),
    ("Thanh", "than", None),
    ("", "than", None),
]


@pytest.mark.parametrize(("text", "asked", "expected"), MARKED)
def test_words_are_marked_and_all_else_is_escaped(
    text: str, asked: str, expected: str | None
) -> None:
    assert marked(text, understand(asked).words) == expected


def test_beginnings_are_marked_as_far_as_they_were_typed() -> None:
    told = marked_beginnings("Thần <Đạo> 斗破苍穹", ["th", "d", "破苍"])
    assert told == "<mark>Th</mark>ần &lt;<mark>Đ</mark>ạo&gt; 斗<mark>破苍</mark>穹"
    assert marked_beginnings("a&b", []) == "a&amp;b"


LONG = "w " * 200 + "found here " + "v " * 200


def test_an_excerpt_lies_around_the_first_match_and_says_what_it_left_out() -> None:
    told = excerpt(LONG, ["found"])
    assert told is not None
    assert re.fullmatch(r"… (w )+<mark>found</mark> here( v)+ …", told)
    assert 200 < len(told) < 280
    assert excerpt("found " + "v " * 200, ["found"]) is not None
    assert (excerpt("found " + "v " * 200, ["found"]) or "").startswith("<mark>found</mark> v")
    assert excerpt("short found", ["found"]) == "short <mark>found</mark>"
    assert excerpt(LONG, ["nothing"]) is None


def test_an_excerpt_of_text_without_spaces_goes_on_after_its_match() -> None:
    told = excerpt("天" * 500 + "斗破" + "地" * 500, ["斗破"])
    assert told is not None
    assert re.fullmatch("… 天+<mark>斗破</mark>地+ …", told)
    assert 200 < len(told) < 280


def test_an_excerpt_is_short_wherever_its_spaces_stand() -> None:
    for text in ("one two " + "天" * 500 + "斗破", "斗破 " + "地" * 500, "天" * 500 + "斗破 地"):
        told = excerpt(text, ["斗破"])
        assert told is not None
        assert "<mark>斗破</mark>" in told
        assert len(told) < 290


WORDS = st.text("a<&'\"Đầ斗破かﾞ\u0301🐉 ", max_size=40) | st.text(max_size=20)


def shown(html: str) -> str:
    """What a browser would show, escaped, if the marks are balanced."""
    assert re.fullmatch("([^<>]*<mark>[^<>]+</mark>)*[^<>]*", html)
    return html.replace("<mark>", "").replace("</mark>", "")


@given(WORDS, WORDS)
def test_without_its_marks_a_text_is_what_it_was(text: str, asked: str) -> None:
    words = words_of(asked) + words_of(text)[:2]
    assert shown(marked_beginnings(text, words)) == escape(text)
    told = marked(text, words)
    assert told is None or shown(told) == escape(text)
    part = excerpt(text * 20, words)
    if part is not None:
        told = shown(part).removeprefix("… ").removesuffix(" …")
        assert told in escape(text * 20)


@given(st.text("abcdefz", min_size=1, max_size=5), st.data())
def test_a_word_is_one_step_from_every_word_that_is_one_step_from_it(
    word: str, data: st.DataObject
) -> None:
    near = one_off(word)
    assert word not in near
    other = data.draw(st.sampled_from(sorted(near)))
    assert abs(len(other) - len(word)) <= 1
    assert word in one_off(other)


def test_one_letter_more_less_other_or_swapped_is_one_step() -> None:
    near = one_off("dao")
    assert {"daoo", "xdao", "da", "ao", "dap", "ado", "doa"} <= near
    assert not {"dao", "oad", "d", "daoxy", "đao"} & near
