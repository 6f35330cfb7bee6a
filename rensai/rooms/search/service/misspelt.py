"""What a misspelt word may have been meant to be.

Short words are tried with one letter changed in every way, since they share no trigrams with what
they were meant to be; longer ones are compared with the words that share trigrams with them.
"""

from collections.abc import Sequence
from string import ascii_lowercase

from rapidfuzz.distance import OSA

from rensai.kit.db import Reads
from rensai.rooms.search.model import Shelf
from rensai.rooms.search.store import finding as store

_SHORT = 5
_MOST = 8


async def meant(reads: Reads, shelf: Shelf, words: Sequence[str]) -> dict[str, list[str]]:
    """For each word the words of titles and names that are like it, the likeliest first."""
    return {word: await _like(reads, shelf, word) for word in words}


async def _like(reads: Reads, shelf: Shelf, word: str) -> list[str]:
    if len(word) <= _SHORT:
        found = await store.in_vocabulary(reads, shelf, sorted(one_off(word)))
    else:
        found = await store.similar(reads, shelf, word)
    allowed = 1 if len(word) <= _SHORT else 2
    measured = [(OSA.distance(word, other), other) for other in found if other != word]
    near = sorted((far, other[0] != word[0], other) for far, other in measured if far <= allowed)
    return [other for _, _, other in near[:_MOST]]


def one_off(word: str) -> set[str]:
    """Every word that one letter more, less, other or swapped with the next makes of this one."""
    parts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    letters = ascii_lowercase
    found = {left + right[1:] for left, right in parts if right}
    found |= {left + right[1] + right[0] + right[2:] for left, right in parts if len(right) > 1}
    found |= {left + letter + right[1:] for left, right in parts if right for letter in letters}
    found |= {left + letter + right for left, right in parts for letter in letters}
    return found - {word}
