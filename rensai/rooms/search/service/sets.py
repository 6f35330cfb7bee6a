"""What a text asks of the lexicon, and the sets of stories that it gets for that."""

from collections.abc import Iterable, Mapping, Sequence

from pyroaring import BitMap

from rensai.kit.db import Reads
from rensai.kit.errors import InvalidFilter
from rensai.rooms.search.adapters.asking import Asked, Field, Term
from rensai.rooms.search.adapters.words import Place
from rensai.rooms.search.service.index import Standing
from rensai.rooms.search.service.lexicon import beginning, exactly, in_a_row

_MOST_LOOKED_INTO = 20_000
"""Whether words follow one another is not in the index: so many stories can be looked into."""

_FEW = 3_000
"""Of more titles with the same words it does not matter which have them in a row."""

NAMES = (Place.TITLE, Place.AUTHOR, Place.TAG)
PLACES = {
    Field.ANYWHERE: (*NAMES, Place.SUMMARY),
    Field.TITLE: (Place.TITLE,),
    Field.AUTHOR: (Place.AUTHOR,),
    Field.TAG: (Place.TAG,),
}


class Sets:
    """All that one text asks of the lexicon, asked at once."""

    def __init__(self, found: "dict[str, BitMap]") -> None:
        self._found = found

    @classmethod
    async def of(cls, reads: Reads, standing: Standing, asked: Asked) -> "Sets":
        terms = [term for clause in asked.clauses for term in clause] + list(asked.excluded)
        queries = {query for term in terms for query in _queries(term)}
        queries |= set(whole_names(asked))
        if asked.is_plain:
            queries |= {exactly(whole(asked)), beginning(whole(asked))}
        sets = cls(dict(await standing.lexicon.look_up(reads, sorted(queries))))
        rows = [
            (place, term.words) for term in terms if term.in_a_row for place in PLACES[term.field]
        ]
        if any(sets.candidates(place, words) > _MOST_LOOKED_INTO for place, words in rows):
            raise InvalidFilter("These words are too frequent to be looked for in a row.")
        titled = sets.candidates(Place.TITLE, asked.words) if asked.is_plain else 0
        if len(asked.words) > 1 and 0 < titled <= _FEW:
            rows.append((Place.TITLE, tuple(asked.words)))
        wanted = [row_in(place, words) for place, words in rows]
        if wanted:
            sets.learn(await standing.lexicon.look_up(reads, wanted))
        return sets

    def candidates(self, place: Place, words: Sequence[str]) -> int:
        """How many stories have all of the words in that place, in a row or not."""
        found = [self._found.get(exactly(place.value + word)) for word in words]
        known = [stories for stories in found if stories is not None]
        return len(every(known)) if known else 0

    def learn(self, found: Mapping[str, BitMap]) -> None:
        """Have what was asked later too."""
        self._found.update(found)

    def row(self, place: Place, words: Sequence[str]) -> BitMap:
        """Stories with the words in a row, if they were looked for."""
        return self._found.get(row_in(place, words), _NONE)

    def __getitem__(self, query: str) -> BitMap:
        return self._found[query]

    def all(self) -> Mapping[str, BitMap]:
        """What each query finds."""
        return self._found

    def term(self, term: Term, place: Place) -> BitMap:
        """The stories in which the term stands in that place."""
        if place not in PLACES[term.field]:
            return BitMap()
        if term.in_a_row:
            return self[row_in(place, term.words)]
        return every(self[word_in(term, place, word)] for word in term.words)

    def anywhere(self, term: Term) -> BitMap:
        return BitMap.union(*(self.term(term, place) for place in PLACES[term.field]))

    def clause(self, clause: Sequence[Term]) -> dict[Place, BitMap]:
        """The stories that meet a clause, by the place in which they do."""
        return {
            place: BitMap.union(BitMap(), *(self.term(term, place) for term in clause))
            for place in PLACES[Field.ANYWHERE]
        }


def _queries(term: Term) -> Iterable[str]:
    """Each word; those of a row too, which tell in how many stories it is worth looking."""
    for place in PLACES[term.field]:
        yield from (word_in(term, place, word) for word in term.words)


def word_in(term: Term, place: Place, word: str) -> str:
    return beginning(place.value + word) if term.begins else exactly(place.value + word)


def row_in(place: Place, words: Sequence[str]) -> str:
    return in_a_row([place.value + word for word in words])


def whole(asked: Asked) -> str:
    """The text as a whole title is kept: without what divides its words."""
    return Place.WHOLE.value + asked.compact


def whole_names(asked: Asked) -> list[str]:
    """Queries for people and tags that are called just what was asked for."""
    single = len(asked.clauses) == 1 and len(asked.clauses[0]) == 1
    if not (single or asked.is_plain):
        return []
    allowed = PLACES[asked.clauses[0][0].field]
    places = [place for place in (Place.AUTHOR, Place.TAG) if place in allowed]
    return [exactly(Place.WHOLE.value + place.value + asked.compact) for place in places]


def every(sets: Iterable[BitMap]) -> BitMap:
    return BitMap.intersection(*sets)


def any_of(sets: "dict[Place, BitMap]", places: Iterable[Place]) -> BitMap:
    return BitMap.union(BitMap(), *(sets[place] for place in places if place in sets))


_NONE = BitMap()
