"""What readers ask of a large library, said once for every contender."""

import asyncio
from dataclasses import dataclass, field
from random import Random
from urllib.parse import urlencode

from bench.library import Library
from bench.search_stories import SEED, Stories, Word
from rensai.kit.db_driver import connect

PAGE = 20

Values = dict[str, tuple[str, ...]]

_VISIBLE = "deleted_at IS NULL AND is_public AND status > 0"
_NAMES = f"""
SELECT title, coalesce(author_name, title), tags [1], language FROM stories
WHERE id = ANY($1::bigint []) AND {_VISIBLE} ORDER BY id
"""
_FREQUENT = f"""
SELECT tags [1] FROM stories WHERE {_VISIBLE} AND tags <> '{{}}' GROUP BY tags [1]
ORDER BY count(*) DESC, tags [1] LIMIT 50
"""


@dataclass(frozen=True)
class Query:
    """Some facets to have, some not to have, and perhaps a text."""

    kind: str
    have: Values = field(default_factory=dict[str, tuple[str, ...]])
    lack: Values = field(default_factory=dict[str, tuple[str, ...]])
    match_all: bool = False
    text: str = ""

    def path(self, *, turn: int = 0, counts: bool = True) -> str:
        """The request of our own API; each turn is another one, which nothing kept can answer."""
        pairs = [("q", self.text)] if self.text else []
        pairs += [(facet, value) for facet, values in self.have.items() for value in values]
        pairs += [
            (f"exclude_{facet}", value) for facet, values in self.lack.items() for value in values
        ]
        if self.match_all:
            pairs.append(("match", "all"))
        pairs += [("limit", str(PAGE)), ("counts", str(counts).lower()), ("values", str(30 + turn))]
        return f"/api/v1/search?{urlencode(pairs)}"


@dataclass(frozen=True)
class Found:
    """How many stories there are, and the first of them."""

    total: int
    first: list[int]


class Names:
    """Titles, authors and tags of some stories of a library, and its most frequent tags."""

    def __init__(self, place: Library, stories: int, number: int = 400) -> None:
        self._chance = Random(SEED + 1)  # noqa: S311 - not a secret
        chosen = self._chance.sample(range(1, stories + 1), min(number, stories))
        rows, tags = asyncio.run(_read(place, chosen))
        self.stories = [tuple("" if each is None else str(each) for each in row) for row in rows]
        self._chance.shuffle(self.stories)
        self.tags = [str(tag) for (tag,) in tags]


async def _read(place: Library, chosen: list[int]) -> tuple[list[tuple[object, ...]], ...]:
    connection = await connect(place.url, seconds=10)
    try:
        return await connection.fetch(_NAMES, chosen), await connection.fetch(_FREQUENT)
    finally:
        await connection.close()


class Mix:
    """Combinations of facets, from the broadest to the narrowest."""

    def __init__(self, names: Names) -> None:
        self._chance = Random(SEED + 2)  # noqa: S311 - not a secret
        self._names = names
        made = Stories()
        self._words: dict[str, list[Word]] = {
            "genre": made.genres,
            "fandom": made.terms["fandom"],
            "warning": made.terms["warning"],
            "custom:pairing": made.terms["pairing"],
            "custom:universe": made.terms["universe"],
        }

    def facets(self, each: int) -> list[Query]:
        """As the two tables can be asked too: facets that they have."""
        queries = [Query("nothing asked for")]
        for _ in range(each):
            queries += [
                Query("one broad", self._one_broad()),
                Query("one narrow", self._one_narrow()),
                Query("two", self._some("genre", "language")),
                Query("three", self._some("genre", "language", "status")),
                Query("four", self._some("genre", "language", "status", "age")),
                Query("with exclusions", self._some("genre", "language"), self._unwanted()),
                Query("only exclusions", {}, self._unwanted()),
                Query("any of several", self._several("genre", 3) | self._several("age", 2)),
                Query("all of several", self._several("genre", 2), match_all=True),
                Query("own taxonomies", self._some("custom:universe", "genre")),
                Query("own taxonomies", self._some("custom:pairing", "language")),
            ]
        return queries

    def more_facets(self, each: int) -> list[Query]:
        """With what only we have as facets: tags, authors, sources, kinds."""
        chance, queries = self._chance, list[Query]()
        for _ in range(each):
            _, author, tag, _ = chance.choice(self._names.stories)
            frequent = chance.choice(self._names.tags)
            queries += [
                Query("tags, authors, sources", {"tag": (frequent,)} | self._some("genre")),
                Query("tags, authors, sources", {"tag": (tag or frequent,)}),
                Query("tags, authors, sources", {"author": (author,)}),
                Query(
                    "tags, authors, sources",
                    {"source": (f"source-{chance.randint(1, 8)}",), "kind": ("novel",)}
                    | self._some("status"),
                ),
                Query(
                    "tags, authors, sources",
                    {"tag": tuple(dict.fromkeys((frequent, self._names.tags[0])))},
                    {"kind": ("manga",)},
                    match_all=True,
                ),
            ]
        return queries

    def texts(self, number: int) -> list[Query]:
        """Words of titles and authors with a facet or two, some of them misspelt."""
        chance, queries = self._chance, list[Query]()
        stories = self._names.stories
        for turn in range(number):
            title, author, _, language = stories[turn % len(stories)]
            if turn % 4 == 3:
                kind, text = "text: an author", author
            elif turn % 4 == 2:
                kind, text = "text: misspelt", _misspelt(_part(title, 3), chance)
            else:
                kind, text = "text: words of a title", _part(title, 1 + turn % 2)
            have = ({}, {"language": (language,)}, self._some("genre"))[turn % 3]
            queries.append(Query(kind, have, text=text))
        return queries

    def typed(self, number: int) -> list[str]:
        """What has been typed when suggestions are asked for."""
        begun: list[str] = []
        for turn in range(number):
            title, author, *_ = self._names.stories[turn % len(self._names.stories)]
            text = author if turn % 4 == 3 else title
            begun.append(text[: 1 + turn % 10].strip() or text[:2])
        return begun

    def _one_broad(self) -> Values:
        facet = self._chance.choice(("genre", "genre", "language", "status", "age", "warning"))
        return self._some(facet)

    def _one_narrow(self) -> Values:
        facet = self._chance.choice(("genre", "fandom", "custom:pairing"))
        words = self._words[facet]
        return {facet: (words[self._chance.randrange(len(words) // 3, len(words))].slug,)}

    def _unwanted(self) -> Values:
        return self._several("warning", self._chance.choice((1, 2)))

    def _some(self, *facets: str) -> Values:
        return {facet: self._several(facet, 1)[facet] for facet in facets}

    def _several(self, facet: str, number: int) -> dict[str, tuple[str, ...]]:
        """Different values, frequent ones more often."""
        known = {
            "language": ["vi", "en", "zh", "ja", "ko"],
            "status": ["ongoing", "completed", "hiatus", "dropped"],
            "age": ["everyone", "teen", "mature", "explicit"],
        }
        values = known.get(facet) or [word.slug for word in self._words[facet]]
        found: dict[str, None] = {}
        while len(found) < number:
            found[values[int(min(30, len(values)) * self._chance.random() ** 2)]] = None
        return {facet: tuple(found)}


def _part(title: str, words: int) -> str:
    """A few words of a title, or as many pairs of characters where there are no spaces."""
    return " ".join(title.split()[:words]) if " " in title else title[: 2 * words]


def _misspelt(text: str, chance: Random) -> str:
    """With two neighbours changed over, or one missing."""
    if len(text) < 4:
        return text
    place = chance.randrange(1, len(text) - 2)
    if chance.random() < 0.5:
        return text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    return text[:place] + text[place + 1 :]
