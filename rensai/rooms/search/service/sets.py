"""What a text asks of the lexicon, and the sets of stories that it gets for that."""

from collections.abc import Iterable, Mapping, Sequence

from pyroaring import BitMap

from rensai.kit.db import Reads
from rensai.rooms.search.adapters.asking import Asked, Field, Term
from rensai.rooms.search.adapters.words import Place
from rensai.rooms.search.service.index import Standing
from rensai.rooms.search.service.lexicon import beginning, exactly, in_a_row

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
            if len(asked.words) > 1:
                queries.add(row_in(Place.TITLE, asked.words))
        return cls(dict(await standing.lexicon.look_up(reads, sorted(queries))))

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
    for place in PLACES[term.field]:
        if term.in_a_row:
            yield row_in(place, term.words)
        else:
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
