"""Words are counted as a reader would, at the speed of C."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.rooms.catalogue.adapters.bodies import prepare_body
from rensai.rooms.catalogue.adapters.words import count_words

_MARKS = "-*.–—…"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        (" \n\t ", 0),
        ("one", 1),
        ("One, two.\n\nThree — four… five-and-a-half\t!", 6),
        ("Thần Đạo là gì?", 4),
        ("* * *\n\n--\n***\n…", 0),
        ("“Ừ.” – hắn nói", 3),
        ("mười\u00a0ngày", 2),
        ("à à", 2),
        ("斗破苍穹", 4),
        ("第1章 开始。", 5),
    ],
)
def test_examples(text: str, words: int) -> None:
    assert count_words(text, text.encode()) == words


@given(st.text(st.sampled_from(f"aàếộZ9'’,?!\u00a0 \n\t«»{_MARKS}")))
def test_a_word_is_what_stands_between_spaces_and_is_more_than_a_dash(text: str) -> None:
    expected = sum(1 for part in text.split() if part.strip(_MARKS))
    assert count_words(text, text.encode()) == expected


@given(st.text())
def test_a_text_that_comes_encoded_is_prepared_the_same(text: str) -> None:
    assert prepare_body(text) == prepare_body(text, text.encode())
