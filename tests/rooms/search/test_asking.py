"""What people type into a search box is understood, whatever it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.kit.errors import InvalidFilter
from rensai.rooms.search.adapters.asking import LONGEST, Asked, Field, Term, understand
from rensai.rooms.search.adapters.folding import is_unspaced


def spelt(asked: Asked) -> str:
    """As `than dao | "a b" -title:x`; what may go on ends with an asterisk."""
    wanted = [" | ".join(map(_spelt, clause)) for clause in asked.clauses]
    return " & ".join([*wanted, *(f"-{_spelt(term)}" for term in asked.excluded)])


def _spelt(term: Term) -> str:
    words = "+".join(term.words) + ("*" if term.begins else "")
    where = f"{term.field.value}:" if term.field is not Field.ANYWHERE else ""
    return where + (f'"{words}"' if term.in_a_row else words)


UNDERSTOOD = {
    "Thần Đạo": "than & dao",
    "  Thần\tĐạo\n": "than & dao",
    '"Thần Đạo"': '"than+dao"',
    "“Thần Đạo” «a b» „c d“": '"than+dao" & "a+b" & "c+d"',
    '"Thần"': "than",
    '""': "",
    '"': "",
    '"Thần Đạo': '"than+dao"',
    'than "dao': "than & dao",
    'a"b c"d': "a & b & c & d",
    "than -dao": "than & -dao",
    'than -"dao x"': 'than & -"dao+x"',
    "than -spin-off": 'than & -"spin+off"',
    "spin-off": "spin & off",
    "than - dao": "than & dao",
    "than --dao": "than & -dao",
    "-": "",
    "-dao": "-dao",
    "-author:ann": "-author:ann",
    "than OR dao": "than | dao",
    "than | dao || x": "than | dao | x",
    "than or dao": "than & or & dao",
    "OR than": "than",
    "than OR": "than",
    "than OR OR dao": "than | dao",
    "OR": "",
    "| OR ||": "",
    "than OR -dao x": "than & x & -dao",
    'than OR "dao x" y': 'than | "dao+x" & y',
    "than OR spin-off": "than | spin+off",
    "spin-off OR than": "spin+off | than",
    "than OR !!! dao": "than | dao",
    "than OR author:spin-off": "than | author:spin+off",
    "author:ann": "author:ann",
    "AUTHOR:Ann title:Sky tag:slow": "author:ann & title:sky & tag:slow",
    'author:"Ann Lee"': 'author:"ann+lee"',
    'author:"Ann': "author:ann",
    "author:Ann-Lee": "author:ann & author:lee",
    "author:": "author",
    "author:-": "",
    "genre:x": "genre & x",
    "author:tag:x": "author:tag & author:x",
    "-tag:": "-tag",
    "斗破苍穹": "斗破+破苍+苍穹",
    "斗破 苍穹": "斗破 & 苍穹",
    '"斗破苍穹"': '"斗破+破苍+苍穹"',
    '"斗破 苍穹 x"': '"斗破+破+苍穹+穹+x"',
    "-斗破-苍穹": '-"斗破+破+苍穹"',
    "龙": "龙*",
    '"龙"': "龙",
    "나 혼자만": "나* & 혼자+자만",
    "第3章": "第* & 3 & 章*",
    "ソード・アート": "そー+ーど & あー+ーと",
    "🐉 龙 🔥": "龙*",
    "🐉": "",
    "c++": "c",
    "& | ! <-> :* \\ ' ( )": "",
    "a:*b": "a & b",
    "'a' <-> 'b'": "a & b",
    "dragon's": "dragon",
    "\0a\0b\ud800": "a & b",
    "": "",
}


@pytest.mark.parametrize("text", UNDERSTOOD)
def test_a_text_is_understood(text: str) -> None:
    assert spelt(understand(text)) == UNDERSTOOD[text]


@given(st.text(max_size=LONGEST + 5) | st.text('ab "-:|OR龙“\0\ud800author:', max_size=60))
def test_any_text_is_understood_or_refused(text: str) -> None:
    try:
        asked = understand(text)
    except InvalidFilter:
        return
    for term in [*asked.excluded, *(term for clause in asked.clauses for term in clause)]:
        assert term.words
        assert all(word and not set("'\\ \0\ud800") & set(word) for word in term.words)
    assert all(asked.clauses)
    assert bool(asked.compact) == bool(asked.words)


def test_a_text_has_bounds() -> None:
    with pytest.raises(InvalidFilter, match="300 characters"):
        understand("x" * 301)
    assert spelt(understand("x" * 300)) == "x" * 60
    with pytest.raises(InvalidFilter, match="24 words"):
        understand("a " * 25)
    with pytest.raises(InvalidFilter, match="24 words"):
        understand("a-" * 25)
    with pytest.raises(InvalidFilter, match="24 words"):
        understand("-a " * 25)
    assert len(understand("a " * 24).clauses) == 24


TITLE = "転生したらスライムだった件についての長い長いお話を誰かがここに書いてみた第一巻"


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("text", [TITLE, TITLE * 7])
def test_a_long_title_without_spaces_can_be_looked_for(text: str, quote: str) -> None:
    (clause,) = understand(quote + text + quote).clauses
    (term,) = clause
    assert all(map(is_unspaced, term.words))
    assert {word[0] for word in term.words} <= set("".join(term.words))
    assert len(term.words) <= 40


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Thần-Đạo", "thandao"),
        ("than dao -spin", "thandao"),
        ('than "dao"', "thandao"),
        ("斗破苍穹", "斗破苍穹"),
        ("author:ann sky", "annsky"),
    ],
)
def test_what_is_wanted_is_known_as_one_word(text: str, title: str) -> None:
    assert understand(text).compact == title


def test_only_plain_words_may_be_a_title() -> None:
    for text in ("than dao", "斗破苍穹", "than -dao", "spin-off"):
        assert understand(text).is_plain
    for text in ('"than dao"', "author:ann", "than OR dao", "-dao", ""):
        assert not understand(text).is_plain
