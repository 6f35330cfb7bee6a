"""Which stories a text finds, best first, in tiers.

A tier is a set, and a story belongs to the first tier that has it: the title is just this, begins
with it, has the words in a row, has them all, an author has them all, and so on down to stories
that only tell of it in their summaries, and those that were meant if the text is misspelt.
"""

from collections.abc import Sequence
from enum import IntEnum

import msgspec
from pyroaring import BitMap

from rensai.kit.db import Reads
from rensai.rooms.search.adapters.asking import Asked
from rensai.rooms.search.adapters.words import Place
from rensai.rooms.search.service.index import Standing
from rensai.rooms.search.service.lexicon import beginning, exactly
from rensai.rooms.search.service.sets import (
    NAMES,
    Sets,
    any_of,
    every,
    whole,
    whole_names,
)
from rensai.rooms.search.service.similar import Similar

_ENOUGH = 5
"""With fewer stories than this, what is like the text is looked for too."""


class Tier(IntEnum):
    """Why a story was found; the higher the better."""

    NEARLY = 1
    SIMILAR = 2
    SIMILAR_NAME = 3
    SIMILAR_TITLE = 4
    SUMMARY = 5
    MIXED = 6
    ALMOST = 7
    NAMES = 8
    BEGUN = 9
    AUTHOR = 10
    TITLE = 11
    CALLED = 12
    IN_A_ROW = 13
    BEGINS = 14
    WHOLE = 15


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
    own = await Sets.of(reads, standing, asked)
    everything = standing.picture.stories
    forbidden = BitMap.union(BitMap(), *(own.anywhere(term) for term in asked.excluded))
    tiers = _Tiers(everything - forbidden)
    if not asked.clauses:
        tiers.add(Tier.SUMMARY, everything if asked.excluded else BitMap())
        return Matches(tiers.stories, tiers.found, [])
    _add_names(tiers, own, asked)
    told = [any_of(own.clause(clause), Place) for clause in asked.clauses]
    strictly = tiers.stories | (every(told) - forbidden)
    if len(strictly) >= _ENOUGH and (tiers.stories or len(asked.clauses) < 3):
        _add_told(tiers, own, asked, told)
        return Matches(tiers.stories, tiers.found, asked.words, strictly=strictly)
    similar = await Similar.of(reads, standing, asked, own, shortest=5 if strictly else 3)
    if not tiers.stories and len(asked.clauses) > 2:
        # A title that has all words but one is meant more likely than what summaries have.
        tiers.add(Tier.ALMOST, similar.but_for_one([Place.TITLE]))
    _add_told(tiers, own, asked, told)
    _add_similar(tiers, similar, told)
    return Matches(
        tiers.stories,
        tiers.found,
        asked.words,
        similar=similar.words,
        strictly=strictly,
        corrected=None if strictly or not tiers.found else similar.corrected(tiers.found[0][1]),
    )


def _add_names(tiers: "_Tiers", own: Sets, asked: Asked) -> None:
    """Titles, people and tags that have all of it."""
    sets = [own.clause(clause) for clause in asked.clauses]
    titles = every(one[Place.TITLE] for one in sets)
    begun = own[beginning(whole(asked))] if asked.is_plain else BitMap()
    if asked.is_plain:
        tiers.add(Tier.WHOLE, own[exactly(whole(asked))])
        tiers.add(Tier.BEGINS, begun & titles)
        if len(asked.words) > 1:
            tiers.add(Tier.IN_A_ROW, own.row(Place.TITLE, asked.words))
    for query in whole_names(asked):
        tiers.add(Tier.CALLED, own[query])
    tiers.add(Tier.TITLE, titles)
    tiers.add(Tier.AUTHOR, every(one[Place.AUTHOR] for one in sets))
    tiers.add(Tier.BEGUN, begun)  # in the middle of a word
    tiers.add(Tier.NAMES, every(any_of(one, NAMES) for one in sets))


def _add_told(tiers: "_Tiers", own: Sets, asked: Asked, told: Sequence[BitMap]) -> None:
    """Stories whose summaries have what their names have not."""
    named = [any_of(own.clause(clause), NAMES) for clause in asked.clauses]
    tiers.add(Tier.MIXED, every(told) & BitMap.union(*named))
    tiers.add(Tier.SUMMARY, every(told))


def _add_similar(tiers: "_Tiers", similar: Similar, told: Sequence[BitMap]) -> None:
    if len(tiers.stories) < _ENOUGH:
        tiers.add(Tier.SIMILAR_TITLE, similar.but_for_one([Place.TITLE]))
        tiers.add(Tier.SIMILAR_NAME, similar.but_for_one(NAMES))
    if len(tiers.stories) < _ENOUGH:
        wide = similar.all(told)
        tiers.add(Tier.SIMILAR, every(wide))
        if len(tiers.stories) < _ENOUGH and len(wide) > 2:
            # One word too many, or misspelt beyond recognition.
            for left_out in range(len(wide)):
                tiers.add(Tier.NEARLY, every(wide[:left_out] + wide[left_out + 1 :]))


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
