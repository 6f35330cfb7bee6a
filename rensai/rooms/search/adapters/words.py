"""The words by which stories are found, as PostgreSQL keeps them.

A word carries where it stands: `=` in a title, `@` in the name of an author, `#` in what a story
is sorted by, `~` in its summary. `!` begins a whole title,
`!@` and `!#` a whole name of a person or tag. Chinese, Japanese and Korean are cut
into overlapping pairs, so that two characters are enough to find anything that has them.
"""

from collections.abc import Iterable, Iterator
from enum import Enum

from rensai.rooms.search.adapters.folding import fold, is_unspaced, runs

LONGEST_WORD = 60
"""Longer ones are cut: nobody types them, and an index entry may not be without bound."""

_LONGEST_KEPT = 30
_MOST_KEPT = 1 << 16

_GAP = 8
"""Between two titles, so that no phrase runs from one into the other."""


class Place(Enum):
    """Where a word stands."""

    TITLE = "="
    AUTHOR = "@"
    TAG = "#"
    SUMMARY = "~"
    WHOLE = "!"


_known: dict[str, tuple[str, ...]] = {}


def words_of(text: str) -> list[str]:
    """The words of a text, folded, in order; unspaced scripts as overlapping pairs."""
    found: list[str] = []
    for piece in text.split():
        # The same pieces come again and again, and folding them takes most of the time.
        words = _known.get(piece)
        found.extend(_cut(piece) if words is None else words)
    return found


def _cut(piece: str) -> tuple[str, ...]:
    found: list[str] = []
    for run in runs(fold(piece)):
        if is_unspaced(run):
            found += pairs(run)
        else:
            found.append(run[:LONGEST_WORD])
    words = tuple(found)
    if len(piece) <= _LONGEST_KEPT:  # a longer one is a sentence without spaces
        if len(_known) >= _MOST_KEPT:
            _known.clear()
        _known[piece] = words
    return words


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
    parts = [
        *_placed(Place.TITLE, titles),
        *_placed(Place.AUTHOR, authors),
        *_placed(Place.TAG, tags),
        *_placed(Place.SUMMARY, [summary[:longest_summary]]),
        *_whole("", titles),
        *_whole(Place.AUTHOR.value, authors),
        *_whole(Place.TAG.value, tags),
    ]
    return " ".join(parts)


def _whole(mark: str, names: Iterable[str]) -> list[str]:
    return [f"'{Place.WHOLE.value}{mark}{name}'" for name in {compact(name) for name in names}]


def vocabulary(titles: Iterable[str], authors: Iterable[str]) -> Iterator[str]:
    """The words that a misspelt one is compared with."""
    for text in (*titles, *authors):
        for run in runs(fold(text)):
            if not is_unspaced(run) and 3 <= len(run) <= LONGEST_WORD and not run.isdigit():
                yield run


def _placed(place: Place, texts: Iterable[str]) -> list[str]:
    """Each word with where it stands; PostgreSQL ignores what goes beyond its limits."""
    positions: dict[str, str] = {}
    at = 0
    for text in texts:
        for word in words_of(text):
            at += 1
            earlier = positions.get(word)
            positions[word] = str(at) if earlier is None else f"{earlier},{at}"
        at += _GAP
    mark = f"'{place.value}"
    return [f"{mark}{word}':{found}" for word, found in positions.items()]
