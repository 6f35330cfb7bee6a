"""What readers type into a search box, understood.

Words are looked for together. "Quotes" ask for words in a row, a minus for what must not be
there, OR for either of two, and `author:`, `tag:` and `title:` say where a word stands. Nothing
that can be typed is an error: a quote that is not closed ends with the text, and an OR that joins
nothing is ignored.
"""

import re
from enum import Enum

import msgspec

from rensai.kit.errors import InvalidFilter
from rensai.rooms.search.adapters.folding import fold, is_unspaced, runs
from rensai.rooms.search.adapters.words import LONGEST_WORD, compact, pairs

LONGEST = 300
MOST_WORDS = 24

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


def understand(text: str) -> Asked:
    """What a text asks for."""
    if len(text) > LONGEST:
        raise InvalidFilter(f"A search may have {LONGEST} characters at most.")
    clauses: list[list[Term]] = []
    excluded: list[Term] = []
    joins = False
    count = 0
    for match in _PIECE.finditer(text):
        if match["word"] in {"OR", "|", "||"} and not match["minus"] and not match["field"]:
            joins = bool(clauses)
            continue
        for term in _terms(match):
            count += len(term.words)
            if match["minus"]:
                excluded.append(term)
            elif joins:
                clauses[-1].append(term)
            else:
                clauses.append([term])
            joins = False
    if count > MOST_WORDS:
        raise InvalidFilter(f"A search may have {MOST_WORDS} words at most.")
    return Asked(tuple(map(tuple, clauses)), tuple(excluded), compact(text))


def _terms(match: re.Match[str]) -> list[Term]:
    field = Field((match["field"] or "").lower())
    if match["phrase"] is not None:
        words = tuple(word for run in runs(fold(match["phrase"])) for word in _cut(run))
        return [Term(words, field, in_a_row=len(words) > 1)] if words else []
    parts = runs(fold(match["word"]))
    if match["minus"] and len(parts) > 1:
        # -spin-off is one thing that must not be there, not three.
        return [Term(tuple(word for run in parts for word in _cut(run)), field, in_a_row=True)]
    return [Term(_cut(run), field, begins=is_unspaced(run) and len(run) == 1) for run in parts]


def _cut(run: str) -> tuple[str, ...]:
    if not is_unspaced(run):
        return (run[:LONGEST_WORD],)
    return tuple(pairs(run)[:-1]) if len(run) > 1 else (run,)
