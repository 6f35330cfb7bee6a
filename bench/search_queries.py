"""What readers ask of a large library, as it can be said to every contender."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

PAGE = 20
MULTIPLE = frozenset({"genre", "fandom", "tag", "custom:pairing"})
"""Facets of which a story can have several values, so that all of them can be asked for."""

Values = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Query:
    """Some facets to have, some not to have, and perhaps a text."""

    name: str
    have: Values = field(default_factory=dict[str, tuple[str, ...]])
    lack: Values = field(default_factory=dict[str, tuple[str, ...]])
    match_all: bool = False
    text: str = ""

    def path(self, *, counts: bool) -> str:
        """The request of our own API."""
        pairs = [("q", self.text)] if self.text else []
        pairs += [(facet, value) for facet, values in self.have.items() for value in values]
        pairs += [
            (f"exclude_{facet}", value) for facet, values in self.lack.items() for value in values
        ]
        if self.match_all:
            pairs.append(("match", "all"))
        pairs += [("limit", str(PAGE)), ("counts", str(counts).lower())]
        return f"/api/v1/search?{urlencode(pairs)}"


@dataclass(frozen=True)
class Found:
    """How many stories there are, and the first of them."""

    total: int
    first: list[int]
