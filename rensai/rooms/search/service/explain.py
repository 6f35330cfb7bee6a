"""Why a text finds what it finds."""

import time
from collections.abc import Sequence

import msgspec

from rensai.kit.db import Reads
from rensai.rooms.search.adapters.asking import Asked, Term, understand
from rensai.rooms.search.model import Sort
from rensai.rooms.search.service.index import Index
from rensai.rooms.search.service.matching import match
from rensai.rooms.search.service.ordering import page
from rensai.rooms.search.store import reading as store

_FIRST = 10


class TierSize(msgspec.Struct, frozen=True):
    """How many stories were found for one reason."""

    name: str
    stories: int


class Explanation(msgspec.Struct, frozen=True):
    """One of the first stories, and the reason why it is there."""

    story_id: int
    title: str
    tier: str


class Explained(msgspec.Struct, frozen=True):
    """How a text was understood and what came of it."""

    understood: list[str]
    tiers: list[TierSize]
    total: int
    first: list[Explanation]
    corrected: str | None
    indexed: int
    milliseconds: float


async def explain(reads: Reads, text: str) -> Explained:
    """Ask the index of this process, once to warm it and once with a watch."""
    asked = understand(text)
    index = Index()
    standing = await index.standing(reads)
    await match(reads, standing, asked)
    began = time.perf_counter()
    matches = await match(reads, standing, asked)
    places = page(
        standing.picture,
        matches.stories,
        Sort.RELEVANCE,
        tiers=matches.tiers,
        after=None,
        limit=_FIRST,
    )
    took = time.perf_counter() - began
    ids = [place.story_id for place in places]
    cards = await store.cards(reads, standing.picture.shelf, ids)
    return Explained(
        understood=list(_understood(asked)),
        tiers=[TierSize(tier.name, len(stories)) for tier, stories in matches.tiers],
        total=len(matches.stories),
        first=[
            Explanation(
                id_,
                cards[id_].title,
                next(tier.name for tier, some in matches.tiers if id_ in some),
            )
            for id_ in ids
            if id_ in cards
        ],
        corrected=matches.corrected,
        indexed=len(standing.picture.stories),
        milliseconds=took * 1000,
    )


def _understood(asked: Asked) -> Sequence[str]:
    wanted = [" or ".join(map(_spelt, clause)) for clause in asked.clauses]
    return [*wanted, *(f"not {_spelt(term)}" for term in asked.excluded)]


def _spelt(term: Term) -> str:
    where = f" in {term.field.value}" if term.field.value else ""
    words = " ".join(term.words) + ("…" if term.begins else "")
    return (f'"{words}"' if term.in_a_row else words) + where
