"""The words by which stories are found, as PostgreSQL keeps them.

A word carries where it stands: `=` in a title, `@` in the name of an author, `#` in what a story
is sorted by, `~` in its summary. `!` begins a whole title. Chinese, Japanese and Korean are cut
into overlapping pairs, so that two characters are enough to find anything that has them.
"""

from collections.abc import Iterable, Iterator
from enum import Enum
from functools import lru_cache

from rensai.rooms.search.adapters.folding import fold, is_unspaced, runs

LONGEST_WORD = 60
"""Longer ones are cut: nobody types them, and an index entry may not be without bound."""

_LONGEST_KEPT = 30

_GAP = 8
"""Between two titles, so that no phrase runs from one into the other."""

_LAST_POSITION = 16_000


class Place(Enum):
    """Where a word stands."""

    TITLE = "="
    AUTHOR = "@"
    TAG = "#"
    SUMMARY = "~"
    WHOLE = "!"


def words_of(text: str) -> list[str]:
    """The words of a text, folded, in order; unspaced scripts as overlapping pairs."""
    found: list[str] = []
    for piece in text.split():
        # The same words come again and again; a piece that is long is a sentence without spaces.
        found += _words_of_piece(piece) if len(piece) <= _LONGEST_KEPT else _cut(piece)
    return found


def _cut(piece: str) -> tuple[str, ...]:
    found: list[str] = []
    for run in runs(fold(piece)):
        if is_unspaced(run):
            found += pairs(run)
        else:
            found.append(run[:LONGEST_WORD])
    return tuple(found)


_words_of_piece = lru_cache(maxsize=1 << 16)(_cut)


def pairs(run: str) -> list[str]:
    """Overlapping pairs, and the last character alone, so that each one begins something."""
    return [run[start : start + 2] for start in range(len(run))]


def compact(text: str) -> str:
    """A title as one word, to find it by its beginning and however its words were divided."""
    return "".join(runs(fold(text)))[:LONGEST_WORD]


def as_vector(
    *,
    titles: Iterable[str],
    authors: Iterable[str],
    tags: Iterable[str],
    summary: str,
    longest_summary: int,
) -> str:
    """Everything that a story is found by, as the text of a tsvector."""
    positions: dict[str, list[int]] = {}
    _place(positions, Place.TITLE, titles)
    _place(positions, Place.AUTHOR, authors)
    _place(positions, Place.TAG, tags)
    _place(positions, Place.SUMMARY, [summary[:longest_summary]])
    for title in titles:
        positions.setdefault(Place.WHOLE.value + compact(title), [])
    return " ".join(
        f"'{word}':{','.join(map(str, at[:100]))}" if at else f"'{word}'"
        for word, at in positions.items()
    )


def vocabulary(titles: Iterable[str], authors: Iterable[str]) -> Iterator[str]:
    """The words that a misspelt one is compared with."""
    for text in (*titles, *authors):
        for run in runs(fold(text)):
            if not is_unspaced(run) and 3 <= len(run) <= LONGEST_WORD and not run.isdigit():
                yield run


def _place(positions: dict[str, list[int]], place: Place, texts: Iterable[str]) -> None:
    at = 0
    for text in texts:
        for word in words_of(text):
            at = min(at + 1, _LAST_POSITION)
            positions.setdefault(place.value + word, []).append(at)
        at += _GAP
