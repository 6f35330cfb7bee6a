"""What readers type into a search box, understood.

Words are looked for together. "Quotes" ask for words in a row, a minus for what must not be
there, OR for either of two, and `author:`, `tag:` and `title:` say where a word stands. Nothing
that can be typed is an error: a quote that is not closed ends with the text, and an OR that joins
nothing is ignored.
"""

import re
from enum import Enum
from typing import NamedTuple

import msgspec

from rensai.kit.errors import InvalidFilter
from rensai.rooms.search.adapters.folding import fold, is_unspaced, runs
from rensai.rooms.search.adapters.words import LONGEST_WORD, compact, pairs

LONGEST = 300
MOST_WORDS = 24

_PAIRS_OF_A_WORD = 8
"""A title without spaces is cut into many pairs of which few are looked up in vain."""

_LONGEST_ROW = 40
"""So much of a text without spaces is enough to find it by."""

_PIECE = re.compile(
    r"""
    (?P<minus>-)?
    (?:(?P<field>author|tag|title):)?
    (?:["“”„«»](?P<phrase>[^"“”«»]*)["“”«»]? | (?P<word>\S+))
    """,
    re.VERBOSE | re.IGNORECASE,
)


class Field(Enum):
    """Where a word must stand."""

    ANYWHERE = ""
    TITLE = "title"
    AUTHOR = "author"
    TAG = "tag"


class Term(msgspec.Struct, frozen=True):
    """One thing that is looked for."""

    words: tuple[str, ...]
    """Folded; those of a phrase in a row, else all of them in one place."""

    field: Field = Field.ANYWHERE
    in_a_row: bool = False

    begins: bool = False
    """Whether the last word may go on."""


class Asked(msgspec.Struct, frozen=True):
    """A text as it was understood."""

    clauses: tuple[tuple[Term, ...], ...] = ()
    """Every clause must be met, by any of its terms."""

    excluded: tuple[Term, ...] = ()

    compact: str = ""
    """Everything that is looked for, without what divides the words."""

    @property
    def is_plain(self) -> bool:
        """Whether it is just words, as of a title."""
        return bool(self.clauses) and all(
            len(clause) == 1 and clause[0].field is Field.ANYWHERE and not clause[0].in_a_row
            for clause in self.clauses
        )

    @property
    def words(self) -> list[str]:
        """All words that are looked for, in order."""
        return [word for clause in self.clauses for term in clause for word in term.words]


class _Piece(NamedTuple):
    """What stands between two spaces, or in quotes."""

    runs: list[str]
    field: Field
    is_phrase: bool


def understand(text: str) -> Asked:
    """What a text asks for."""
    if len(text) > LONGEST:
        raise InvalidFilter(f"A search may have {LONGEST} characters at most.")
    groups: list[list[_Piece]] = []
    excluded: list[Term] = []
    joins = False
    for match in _PIECE.finditer(text):
        if match["word"] in {"OR", "|", "||"} and not match["minus"] and not match["field"]:
            joins = bool(groups)
            continue
        piece = _piece(match)
        if not piece.runs:
            continue
        if match["minus"]:
            excluded.append(_unwanted(piece))
        elif joins:
            groups[-1].append(piece)
        else:
            groups.append([piece])
        joins = False
    clauses = [clause for group in groups for clause in _clauses(group)]
    _check([term for clause in clauses for term in clause] + excluded)
    wanted = "".join(run for group in groups for piece in group for run in piece.runs)
    return Asked(tuple(clauses), tuple(excluded), compact(wanted))


def _piece(match: re.Match[str]) -> _Piece:
    phrase = match["phrase"]
    found = runs(fold(match["word"] if phrase is None else phrase))
    return _Piece(found, Field((match["field"] or "").lower()), phrase is not None)


def _clauses(group: list[_Piece]) -> list[tuple[Term, ...]]:
    if len(group) > 1:  # each of them is one thing of which another may stand in place
        return [tuple(_whole(piece) for piece in group)]
    (piece,) = group
    if piece.is_phrase:
        return [(_row(piece),)]
    return [(_word(run, piece.field),) for run in piece.runs]


def _whole(piece: _Piece) -> Term:
    if piece.is_phrase:
        return _row(piece)
    if len(piece.runs) == 1:
        return _word(piece.runs[0], piece.field)
    return Term(tuple(word for run in piece.runs for word in _cut(run)), piece.field)


def _unwanted(piece: _Piece) -> Term:
    # -spin-off is one thing that must not be there, not three.
    one_word = len(piece.runs) == 1 and not piece.is_phrase
    return _word(piece.runs[0], piece.field) if one_word else _row(piece)


def _word(run: str, field: Field) -> Term:
    return Term(_cut(run), field, begins=is_unspaced(run) and len(run) == 1)


def _row(piece: _Piece) -> Term:
    *before, last = piece.runs
    # A title has the last character of each run alone too, which stands between two of them.
    words = [word for run in before for word in (pairs(run) if is_unspaced(run) else _cut(run))]
    row = (*words, *_cut(last))[:_LONGEST_ROW]
    return Term(row, piece.field, in_a_row=len(row) > 1)


def _cut(run: str) -> tuple[str, ...]:
    if not is_unspaced(run):
        return (run[:LONGEST_WORD],)
    return tuple(pairs(run)[:-1][:_LONGEST_ROW]) if len(run) > 1 else (run,)


def _check(terms: list[Term]) -> None:
    words = [word for term in terms for word in term.words]
    unspaced = sum(map(is_unspaced, words))
    if len(words) - unspaced + unspaced / _PAIRS_OF_A_WORD > MOST_WORDS:
        raise InvalidFilter(f"A search may have {MOST_WORDS} words at most.")
