"""What people write is kept as it was sent, or refused with the reason."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.kit.errors import Invalid
from rensai.kit.texts import line, prose

_CLEAN = st.text(st.characters(exclude_categories=["Cc", "Cs"]))


def test_line_ends_become_newlines_and_the_ends_are_trimmed() -> None:
    assert prose("text", " \r\na\r\nb\rc\n\td \n", most=20) == "a\nb\nc\n\td"
    assert prose("text", " \n ", most=20) == ""
    assert line("name", "  Thần Đạo ", most=20) == "Thần Đạo"


@pytest.mark.parametrize("sign", ["\x00", "\x07", "\x1b", "\x7f", "\x85", "\ud800"])
def test_control_characters_are_refused(sign: str) -> None:
    for check in (prose, line):
        with pytest.raises(Invalid):
            check("text", f"a{sign}b", most=20)


@pytest.mark.parametrize("sign", ["\n", "\t", "\u2028", "\u202e", "\u2066"])
def test_a_line_is_one_line_that_turns_nothing_around(sign: str) -> None:
    with pytest.raises(Invalid):
        line("name", f"a{sign}b", most=20)


def test_lengths_count_characters_as_they_are_kept() -> None:
    grows = "\u0344" * 5  # is kept as two characters
    assert len(unicodedata.normalize("NFC", grows)) == 10
    for check in (prose, line):
        assert len(check("text", f"  {grows} ", most=10)) == 10
        with pytest.raises(Invalid) as refused:
            check("text", grows, most=9)
        assert "9 characters" in str(refused.value.details)
    with pytest.raises(Invalid):
        line("name", "   ", most=10)


@given(_CLEAN)
def test_what_was_kept_is_kept_again_as_it_is(text: str) -> None:
    kept = prose("text", text, most=1000)
    assert prose("text", kept, most=1000) == kept
    assert unicodedata.normalize("NFC", kept) == kept
