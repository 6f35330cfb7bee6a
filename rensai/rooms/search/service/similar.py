"""What a text may have been meant to be: one of its words misspelt, or unfinished, or more.

That one word was misspelt is likelier than that several were, so that is tried first: every
other word of a short text is like some other.
"""

from collections.abc import Iterable, Mapping, Sequence

from pyroaring import BitMap

from rensai.kit.db import Reads
from rensai.rooms.search.adapters.asking import Asked, Term
from rensai.rooms.search.adapters.folding import is_unspaced
from rensai.rooms.search.adapters.words import Place
from rensai.rooms.search.service.index import Standing
from rensai.rooms.search.service.lexicon import beginning, exactly
from rensai.rooms.search.service.misspelt import meant
from rensai.rooms.search.service.sets import NAMES, PLACES, Sets, any_of, every, word_in


class Similar:
    """The stories that have something like the words of one text."""

    def __init__(
        self,
        asked: Asked,
        own: Sets,
        others: Mapping[str, Sequence[str]],
        found: Mapping[str, BitMap],
    ) -> None:
        self._asked = asked
        self._own = own
        self._others = others
        self._found = found

    @classmethod
    async def of(
        cls, reads: Reads, standing: Standing, asked: Asked, own: Sets, *, shortest: int
    ) -> "Similar":
        """`shortest` is how long a word must be to be taken for misspelt."""
        others = await meant(reads, standing.picture.shelf, _correctable(asked, shortest))
        queries = [
            exactly(place.value + word)
            for words in others.values()
            for word in words
            for place in NAMES
        ]
        last = _last(asked)
        if len(last) > 1:
            queries += [beginning(place.value + last) for place in NAMES]
        found = await standing.lexicon.look_up(reads, queries)
        return cls(asked, own, others, found)

    @property
    def words(self) -> list[str]:
        """The words that were looked for besides."""
        return [word for words in self._others.values() for word in words]

    def but_for_one(self, places: Sequence[Place]) -> BitMap:
        """Stories that have all words there as they are spelt, but for one that is like it."""
        strict = [any_of(self._own.clause(clause), places) for clause in self._asked.clauses]
        like = [self._like(clause, places) for clause in self._asked.clauses]
        return BitMap.union(
            BitMap(),
            *(every([*strict[:at], one, *strict[at + 1 :]]) for at, one in enumerate(like)),
        )

    def all(self, told: Sequence[BitMap]) -> list[BitMap]:
        """For each clause the stories that meet it, as `told` says, or have something like it."""
        return [
            one | self._like(clause, NAMES)
            for one, clause in zip(told, self._asked.clauses, strict=True)
        ]

    def corrected(self, best: BitMap) -> str | None:
        """Of each word, and of those like it, the first that the best of what was found has."""
        words = [
            next(
                (one for one in (word, *self._others.get(word, ())) if self._stands_in(one, best)),
                word,
            )
            for word in self._asked.words
        ]
        return " ".join(words) if words != self._asked.words else None

    def _stands_in(self, word: str, stories: BitMap) -> bool:
        sets = {**self._own.all(), **self._found}
        return any(sets.get(exactly(place.value + word), _NONE) & stories for place in Place)

    def _like(self, clause: Sequence[Term], places: Iterable[Place]) -> BitMap:
        return BitMap.union(BitMap(), *(self._like_term(term, places) for term in clause))

    def _like_term(self, term: Term, places: Iterable[Place]) -> BitMap:
        if term.in_a_row:  # who quotes means it
            return BitMap()
        allowed = [place for place in places if place in PLACES[term.field]]
        return every(
            BitMap.union(BitMap(), *(self._like_word(term, word, place) for place in allowed))
            for word in term.words
        )

    def _like_word(self, term: Term, word: str, place: Place) -> BitMap:
        found = [self._found[exactly(place.value + other)] for other in self._others.get(word, ())]
        if term is self._asked.clauses[-1][-1] and word == _last(self._asked):
            found.append(self._found.get(beginning(place.value + word), _NONE))
        if len(term.words) > 1:
            found.append(self._own[word_in(term, place, word)])
        return BitMap.union(BitMap(), *found)


def _last(asked: Asked) -> str:
    """The word that may be unfinished."""
    words = asked.clauses[-1][-1].words
    return words[-1] if words else ""


def _correctable(asked: Asked, shortest: int) -> list[str]:
    """Words that may be misspelt: plain ones of some length, in scripts with letters."""
    terms = [term for clause in asked.clauses for term in clause if not term.in_a_row]
    words = [word for term in terms for word in term.words]
    return [
        word for word in dict.fromkeys(words) if len(word) >= shortest and not is_unspaced(word)
    ]


_NONE = BitMap()
