"""What people write is kept as it was sent, or refused with the reason."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.kit.errors import Invalid
from rensai.kit.texts import one_line, several_lines

_CLEAN = st.text(st.characters(exclude_categories=["Cc", "Cs"]))


def test_line_ends_become_newlines_and_the_ends_are_trimmed() -> None:
    assert several_lines("text", " \r\na\r\nb\rc\n\td \n", 20) == "a\nb\nc\n\td"
    assert several_lines("text", " \n ", 20) == ""
    assert one_line("name", "  Thần Đạo ", 20) == "Thần Đạo"


@pytest.mark.parametrize("sign", ["\x00", "\x07", "\x1b", "\x7f", "\x85", "\ud800"])
def test_control_characters_are_refused(sign: str) -> None:
    for check in (several_lines, one_line):
        with pytest.raises(Invalid):
            check("text", f"a{sign}b", 20)


@pytest.mark.parametrize("sign", ["\n", "\t", "\u2028", "\u202e", "\u2066"])
def test_a_line_is_one_line_that_turns_nothing_around(sign: str) -> None:
    with pytest.raises(Invalid):
        one_line("name", f"a{sign}b", 20)


def test_lengths_count_characters_as_they_are_kept() -> None:
    grows = "\u0344" * 5  # is kept as two characters
    assert len(unicodedata.normalize("NFC", grows)) == 10
    for check in (several_lines, one_line):
        assert len(check("text", f"  {grows} ", 10)) == 10
        with pytest.raises(Invalid) as refused:
            check("text", grows, 9)
        assert "9 characters" in refused.value.message
    with pytest.raises(Invalid):
        one_line("name", "   ", 10)


@given(_CLEAN)
def test_what_was_kept_is_kept_again_as_it_is(text: str) -> None:
    kept = several_lines("text", text, 1000)
    assert several_lines("text", kept, 1000) == kept
    assert unicodedata.normalize("NFC", kept) == kept
