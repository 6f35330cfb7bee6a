"""Which stories a text finds, best first, in tiers.

A tier is a set, and a story belongs to the first tier that has it: the title is just this, begins
with it, has the words in a row, has them all, an author has them all, and so on down to stories
that only tell of it in their summaries, and those that were meant if the text is misspelt.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

import msgspec
from pyroaring import BitMap

from rensai.kit.db import Reads
from rensai.rooms.search.adapters.asking import Asked, Field, Term
from rensai.rooms.search.adapters.folding import is_unspaced
from rensai.rooms.search.adapters.words import Place
from rensai.rooms.search.service.index import Standing
from rensai.rooms.search.service.lexicon import beginning, exactly, in_a_row
from rensai.rooms.search.service.misspelt import meant

_ENOUGH = 5
"""With fewer stories than this, what is like the text is looked for too."""

_NAMES = (Place.TITLE, Place.AUTHOR, Place.TAG)
_PLACES = {
    Field.ANYWHERE: (*_NAMES, Place.SUMMARY),
    Field.TITLE: (Place.TITLE,),
    Field.AUTHOR: (Place.AUTHOR,),
    Field.TAG: (Place.TAG,),
}


class Tier(IntEnum):
    """Why a story was found; the higher the better."""

    NEARLY = 1
    SIMILAR = 2
    SIMILAR_TITLE = 3
    SUMMARY = 4
    MIXED = 5
    NAMES = 6
    AUTHOR = 7
    TITLE = 8
    IN_A_ROW = 9
    BEGINS = 10
    WHOLE = 11


class Matches(msgspec.Struct, frozen=True):
    """What a text finds."""

    stories: BitMap
    tiers: list[tuple[Tier, BitMap]]
    """The best first; no story is in two."""

    words: list[str]
    """What to mark where it stands."""

    similar: list[str] = []
    """What to mark besides in stories that are not in `strictly`."""

    strictly: BitMap = BitMap()
    """The stories that have what was asked for as it was spelt."""

    corrected: str | None = None

    @property
    def in_names(self) -> BitMap:
        """The stories that have all of it in titles, authors and tags."""
        return BitMap.union(BitMap(), *(some for tier, some in self.tiers if tier >= Tier.NAMES))


async def match(reads: Reads, standing: Standing, asked: Asked) -> Matches:
    """The stories that a text finds."""
    found = await _Sets.of(reads, standing, asked)
    every = standing.picture.stories
    sets = [found.clause(clause) for clause in asked.clauses]
    forbidden = BitMap.union(*(found.anywhere(term) for term in asked.excluded), BitMap())
    tiers = _Tiers(every - forbidden)
    if not sets:
        tiers.add(Tier.SUMMARY, every if asked.excluded else BitMap())
        return Matches(tiers.stories, tiers.found, [])
    if asked.is_plain:
        tiers.add(Tier.WHOLE, found[exactly(_compact(asked))])
        tiers.add(Tier.BEGINS, found[beginning(_compact(asked))])
        if len(asked.words) > 1:
            tiers.add(Tier.IN_A_ROW, found[_row(Place.TITLE, asked.words)])
    tiers.add(Tier.TITLE, _every(one[Place.TITLE] for one in sets))
    tiers.add(Tier.AUTHOR, _every(one[Place.AUTHOR] for one in sets))
    named = [_any(one, _NAMES) for one in sets]
    told = [_any(one, Place) for one in sets]
    tiers.add(Tier.NAMES, _every(named))
    tiers.add(Tier.MIXED, _every(told) & BitMap.union(*named))
    tiers.add(Tier.SUMMARY, _every(told))
    if len(tiers.stories) >= _ENOUGH:
        return Matches(tiers.stories, tiers.found, asked.words, strictly=tiers.stories)
    return await _with_similar(reads, standing, asked, tiers, told)


async def _with_similar(
    reads: Reads, standing: Standing, asked: Asked, tiers: "_Tiers", told: Sequence[BitMap]
) -> Matches:
    """What may have been meant besides."""
    strictly = BitMap(tiers.stories)
    shortest = 5 if strictly else 3
    others = await meant(reads, standing.picture.shelf, _correctable(asked, shortest))
    last = asked.clauses[-1][-1].words[-1] if asked.clauses[-1][-1].words else ""
    queries = [
        place.value + word for words in others.values() for word in words for place in _NAMES
    ]
    completed = [beginning(place.value + last) for place in _NAMES] if len(last) > 1 else []
    sets = await standing.lexicon.look_up(reads, [*map(exactly, queries), *completed])

    own = await _Sets.of(reads, standing, asked)

    def like(clause: Sequence[Term], places: Iterable[Place]) -> BitMap:
        return BitMap.union(BitMap(), *(like_term(term, places) for term in clause))

    def like_term(term: Term, places: Iterable[Place]) -> BitMap:
        if term.in_a_row:  # who quotes means it
            return BitMap()
        allowed = [place for place in places if place in _PLACES[term.field]]
        return _every(
            BitMap.union(BitMap(), *(like_word(term, word, place) for place in allowed))
            for word in term.words
        )

    def like_word(term: Term, word: str, place: Place) -> BitMap:
        found = [sets[exactly(place.value + other)] for other in others.get(word, ())]
        if completed and word == last and term is asked.clauses[-1][-1]:
            found.append(sets[beginning(place.value + word)])
        if len(term.words) > 1:
            found.append(own[_word(term, place, word)])
        return BitMap.union(BitMap(), *found)

    titles = [
        own.clause(clause)[Place.TITLE] | like(clause, [Place.TITLE]) for clause in asked.clauses
    ]
    wide = [one | like(clause, _NAMES) for one, clause in zip(told, asked.clauses, strict=True)]
    tiers.add(Tier.SIMILAR_TITLE, _every(titles))
    tiers.add(Tier.SIMILAR, _every(wide))
    if len(tiers.stories) < _ENOUGH and len(wide) > 2:
        # One word too many, or misspelt beyond recognition.
        for left_out in range(len(wide)):
            tiers.add(Tier.NEARLY, _every(wide[:left_out] + wide[left_out + 1 :]))
    return Matches(
        tiers.stories,
        tiers.found,
        asked.words,
        similar=[word for words in others.values() for word in words],
        strictly=strictly,
        corrected=(
            _corrected(asked, others, {**own.all(), **sets}, tiers.found[0][1])
            if tiers.stories and not strictly
            else None
        ),
    )


class _Sets:
    """All that one text asks of the lexicon, asked at once."""

    def __init__(self, found: "dict[str, BitMap]") -> None:
        self._found = found

    @classmethod
    async def of(cls, reads: Reads, standing: Standing, asked: Asked) -> "_Sets":
        terms = [term for clause in asked.clauses for term in clause] + list(asked.excluded)
        queries = {query for term in terms for query in _queries(term)}
        if asked.is_plain:
            queries |= {exactly(_compact(asked)), beginning(_compact(asked))}
            if len(asked.words) > 1:
                queries.add(_row(Place.TITLE, asked.words))
        return cls(dict(await standing.lexicon.look_up(reads, sorted(queries))))

    def __getitem__(self, query: str) -> BitMap:
        return self._found[query]

    def all(self) -> Mapping[str, BitMap]:
        """What each query finds."""
        return self._found

    def term(self, term: Term, place: Place) -> BitMap:
        """The stories in which the term stands in that place."""
        if place not in _PLACES[term.field]:
            return BitMap()
        if term.in_a_row:
            return self[_row(place, term.words)]
        return _every(self[_word(term, place, word)] for word in term.words)

    def anywhere(self, term: Term) -> BitMap:
        return BitMap.union(*(self.term(term, place) for place in _PLACES[term.field]))

    def clause(self, clause: Sequence[Term]) -> dict[Place, BitMap]:
        """The stories that meet a clause, by the place in which they do."""
        return {
            place: BitMap.union(BitMap(), *(self.term(term, place) for term in clause))
            for place in _PLACES[Field.ANYWHERE]
        }


class _Tiers:
    """Stories sorted into the best tier that has them."""

    def __init__(self, allowed: BitMap) -> None:
        self.stories = BitMap()
        self.found: list[tuple[Tier, BitMap]] = []
        self._allowed = allowed

    def add(self, tier: Tier, stories: BitMap) -> None:
        new = (stories & self._allowed) - self.stories
        if new:
            self.found.append((tier, new))
            self.stories |= new


def _queries(term: Term) -> Iterable[str]:
    for place in _PLACES[term.field]:
        if term.in_a_row:
            yield _row(place, term.words)
        else:
            yield from (_word(term, place, word) for word in term.words)


def _word(term: Term, place: Place, word: str) -> str:
    return beginning(place.value + word) if term.begins else exactly(place.value + word)


def _row(place: Place, words: Sequence[str]) -> str:
    return in_a_row([place.value + word for word in words])


def _compact(asked: Asked) -> str:
    """The text as a whole title is kept: without what divides its words."""
    return Place.WHOLE.value + asked.compact


def _every(sets: Iterable[BitMap]) -> BitMap:
    return BitMap.intersection(*sets)


def _any(sets: "dict[Place, BitMap]", places: Iterable[Place]) -> BitMap:
    return BitMap.union(BitMap(), *(sets[place] for place in places if place in sets))


def _correctable(asked: Asked, shortest: int) -> list[str]:
    """Words that may be misspelt: plain ones of some length, in scripts with letters."""
    terms = [term for clause in asked.clauses for term in clause if not term.in_a_row]
    words = [word for term in terms for word in term.words]
    return [
        word for word in dict.fromkeys(words) if len(word) >= shortest and not is_unspaced(word)
    ]


def _corrected(
    asked: Asked,
    others: "dict[str, list[str]]",
    sets: Mapping[str, BitMap],
    best: BitMap,
) -> str | None:
    """Of each word, and of those like it, the first that the best of what was found has."""

    def is_there(word: str) -> bool:
        return any(sets.get(exactly(place.value + word), BitMap()) & best for place in Place)

    words = [
        next((one for one in (word, *others.get(word, ())) if is_there(one)), word)
        for word in asked.words
    ]
    return " ".join(words) if words != asked.words else None
