"""The stories of a large library: what a reader could search for, the same for the same seed."""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from random import Random
from uuid import UUID

from bench.search_texts import LANGUAGES, WORDS, Deck, Tongue

SEED = 20_260_401
HIDDEN_SOURCE = "source-19"
"""Not open to everybody: nothing of it may be found."""

_NOW = datetime(2026, 4, 1, tzinfo=UTC)
_SOURCES = ["local", *(f"source-{number}" for number in range(1, 20))]
_SHARES = (35, 25, 15, 13, 12)
_AUTHORS = {"vi": 28_000, "en": 26_000, "zh": 22_000, "ja": 11_000, "ko": 18_000}
_TAGS = 20_000
_ORIGINALS = {
    "vi": (("zh", 0.6), ("ko", 0.1), ("ja", 0.08), ("en", 0.05)),
    "en": (("zh", 0.2), ("ko", 0.15), ("ja", 0.12)),
    "zh": (("ja", 0.04), ("ko", 0.04)),
    "ja": (("zh", 0.03),),
    "ko": (("ja", 0.04), ("zh", 0.04)),
}
_WARNINGS = ("Violence", "Character death", "Gore", "Abuse", "Self harm", "Body horror")
_UNIVERSES = ("Canon", "Alternate universe", "Crossover", "Fusion", "Future")
PAIRING, UNIVERSE = "pairing", "universe"


@dataclass(frozen=True)
class Word:
    """A genre or a term: what is written in an address, and what a reader sees."""

    slug: str
    name: str


@dataclass
class Story:
    """One of them, with names instead of the ids of other tables."""

    number: int
    uid: UUID
    kind: str
    source: str
    language: str
    original_language: str | None
    title: str
    title_original: str | None
    aliases: list[str]
    authors: list[str]
    summary: str
    tags: list[str]
    hidden_tags: list[str]
    status: int
    age_rating: str | None
    genres: list[str]
    terms: dict[str, list[str]]
    translation_group: UUID | None
    chapters: int
    words: int
    followers: int
    popularity: float
    rating: float | None
    ratings: int
    views: int
    published_at: datetime | None
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None
    slug: str = field(default="")

    def __post_init__(self) -> None:
        self.slug = self.slug or f"story-{self.number}"


class Stories:
    """Makes them one after another."""

    def __init__(self, seed: int = SEED) -> None:
        self._chance = Random(seed)  # noqa: S311 - not a secret
        self._tongues = {each: Tongue(each, self._chance) for each in LANGUAGES}
        self._authors = {each: self._author_deck(each) for each in LANGUAGES}
        self._tag_deck = Deck(self._chance, self._tags())
        self._genre_deck = self._deck(self.genres, 0.7)
        self._fandom_deck = self._deck(self.terms["fandom"], 1.0)
        self._warning_deck = self._deck(self.terms["warning"], 1.0)
        self._pairing_deck = self._deck(self.terms[PAIRING], 0.9)
        self._universe_deck = self._deck(self.terms[UNIVERSE], 0.8)
        self._group: tuple[UUID, str | None, list[str], int] | None = None

    @cached_property
    def genres(self) -> list[Word]:
        """All of them, the most frequent first."""
        said: dict[str, str] = json.loads((WORDS / "genres.json").read_text())
        return [Word(slug, name) for slug, name in said.items()]

    @cached_property
    def terms(self) -> dict[str, list[Word]]:
        """The terms of every taxonomy, the most frequent first."""
        english = self._tongues["en"]
        fandoms: dict[str, str] = {}
        while len(fandoms) < 2_000:
            name = english.title()
            fandoms.setdefault(_slug(name), name)
        pairings: dict[str, str] = {}
        while len(pairings) < 5_000:
            one, other = (english.author().split()[0] for _ in range(2))
            name = f"{one}/{other}" if self._chance.random() < 0.2 else self._pair()
            pairings.setdefault(_slug(name), name)
        return {
            "fandom": [Word(*each) for each in fandoms.items()],
            "warning": [Word(_slug(name), name) for name in _WARNINGS],
            PAIRING: [Word(*each) for each in pairings.items()],
            UNIVERSE: [Word(_slug(name), name) for name in _UNIVERSES],
        }

    def make(self, number: int) -> Iterator[Story]:
        """So many, numbered from 1."""
        return (self._story(each) for each in range(1, number + 1))

    def _story(self, number: int) -> Story:
        chance = self._chance
        (language,) = chance.choices(LANGUAGES, weights=_SHARES)
        tongue = self._tongues[language]
        original = self._original(language)
        group, title_original, authors = self._translation(original, language)
        created = _NOW - timedelta(days=1_400 * chance.random() ** 0.8, seconds=number % 60)
        updated = created + (_NOW - created) * chance.random() ** 0.7
        (status,) = chance.choices(range(5), weights=(2, 50, 33, 9, 6))
        chapters = 0 if status == 0 else min(6_000, int(math.exp(chance.gauss(4.2, 1.3))))
        popularity = min(9_000_000.0, chance.paretovariate(0.7))
        return Story(
            number=number,
            uid=_uid(created, chance),
            kind=chance.choices(("novel", "manga", "manhwa", "manhua"), (70, 12, 8, 10))[0],
            source=_SOURCES[min(19, int(20 * chance.random() ** 1.6))],
            language=language,
            original_language=original,
            title=tongue.title(),
            title_original=title_original,
            aliases=self._aliases(),
            authors=authors,
            summary=tongue.summary(),
            tags=self._tag_deck.some(chance.choices(range(9), (6, 12, 18, 20, 16, 12, 8, 5, 3))[0]),
            hidden_tags=self._tag_deck.some(1) if chance.random() < 0.05 else [],
            status=status,
            age_rating=chance.choices(
                (None, "everyone", "teen", "mature", "explicit"), (15, 25, 35, 17, 8)
            )[0],
            genres=self._genre_deck.some(chance.choices(range(1, 6), (15, 30, 30, 17, 8))[0]),
            terms=self._story_terms(),
            translation_group=group,
            chapters=chapters,
            words=chapters * chance.randint(900, 3_500),
            followers=int(popularity * chance.random()),
            popularity=popularity,
            rating=round(min(10.0, max(1.0, chance.gauss(7.6, 1.3))), 2)
            if chance.random() < 0.8
            else None,
            ratings=int(popularity * 0.3),
            views=int(popularity * chance.uniform(20, 300)),
            published_at=created if chance.random() < 0.8 else None,
            created_at=created,
            updated_at=updated,
            deleted_at=updated if chance.random() < 0.01 else None,
        )

    def _original(self, language: str) -> str | None:
        drawn = self._chance.random()
        for original, share in _ORIGINALS[language]:
            drawn -= share
            if drawn < 0:
                return original
        return language if drawn < 0.2 else None

    def _translation(
        self, original: str | None, language: str
    ) -> tuple[UUID | None, str | None, list[str]]:
        """One story in twelve tells the same as the one before it."""
        chance = self._chance
        if self._group is not None:
            group, title, authors, left = self._group
            self._group = (group, title, authors, left - 1) if left > 1 else None
            return group, title, authors
        writes_in = original or language
        foreign = original is not None and original != language
        title = self._tongues[writes_in].title() if foreign else None
        number = 2 if chance.random() < 0.06 else 1
        authors = list(dict.fromkeys(self._authors[writes_in].draw(number)))
        if chance.random() > 0.045:
            return None, title, authors
        group = UUID(int=chance.getrandbits(128), version=4)
        self._group = (group, title, authors, chance.choice((1, 1, 2, 3)))
        return group, title, authors

    def _aliases(self) -> list[str]:
        (number,) = self._chance.choices(range(4), (45, 30, 15, 10))
        found = [self._tongues[self._chance.choice(LANGUAGES)].title() for _ in range(number)]
        return list({alias.casefold(): alias for alias in found}.values())

    def _story_terms(self) -> dict[str, list[str]]:
        chance = self._chance
        found: dict[str, list[str]] = {}
        if chance.random() < 0.35:
            found["fandom"] = self._fandom_deck.some(chance.choice((1, 1, 1, 2, 3)))
            found[PAIRING] = self._pairing_deck.some(chance.choice((0, 1, 1, 2, 3)))
        if chance.random() < 0.4:
            found["warning"] = self._warning_deck.some(chance.choice((1, 1, 2, 3)))
        if chance.random() < 0.6:
            found[UNIVERSE] = self._universe_deck.some(1)
        return found

    def _author_deck(self, language: str) -> Deck:
        names: dict[str, None] = {}
        for _ in range(30 * _AUTHORS[language]):
            if len(names) == _AUTHORS[language]:
                break
            names[self._tongues[language].author()] = None
        return Deck(self._chance, list(names), 0.6)

    def _tags(self) -> list[str]:
        words = [word for tongue in self._tongues.values() for word in tongue.content]
        self._chance.shuffle(words)
        found = dict.fromkeys(words)
        while len(found) < _TAGS:
            tongue = self._tongues[self._chance.choice(LANGUAGES)]
            found[" ".join(self._chance.choices(tongue.content, k=2))] = None
        return list(found)

    def _deck(self, words: Sequence[Word], power: float) -> Deck:
        return Deck(self._chance, [word.slug for word in words], power)

    def _pair(self) -> str:
        one, other = (self._tongues["en"].author().split() for _ in range(2))
        return f"{one[0]} {one[-1]}/{other[0]} {other[-1]}"


def _uid(at: datetime, chance: Random) -> UUID:
    """As UUIDv7 are: the time first."""
    stamp = int(at.timestamp() * 1_000) << 80
    return UUID(int=(stamp | chance.getrandbits(80)) & ~(0xF << 76) | (0x7 << 76))


def _slug(name: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
