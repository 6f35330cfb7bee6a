"""A question as it stands in an address, and the names that may stand there.

The facets of operators are only known at run time, so the parameters are read here and not by
the framework; whatever is not known is refused with what would be.
"""

from collections.abc import Iterable, Mapping, Sequence

from rensai.kit.errors import InvalidFilter
from rensai.rooms.search.model import CUSTOM, KINDS, Filters, Sort

EXCLUDE = "exclude_"
MOST_VALUES = 50
"""So many values of one facet may be asked for at once."""

LONGEST_VALUE = 300
PLAIN = ("q", "type", "match", "sort", "limit", "cursor", "counts", "values")
FACETS = (
    *("language", "age", "fandom", "warning", "genre"),
    *("status", "kind", "source", "author", "tag"),
)
NAMES = ("author", "tag")
"""Facets whose values are names as people write them, and not slugs."""

EVERYTHING = "series"
TYPES = (EVERYTHING, *KINDS)
SORTS = tuple(sort.value for sort in Sort)


class Parameters:
    """The parameters of one address, each read once and checked."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._given: dict[str, list[str]] = {}
        for name, value in pairs:
            self._given.setdefault(name, []).append(value)

    def refuse_unknown(self, *, facets: bool, plain: Sequence[str] = PLAIN) -> None:
        """Raise InvalidFilter for a name that means nothing here."""
        for name in self._given:
            facet = name.removeprefix(EXCLUDE)
            if name in plain or (facets and (facet in FACETS or facet.startswith(CUSTOM))):
                continue
            allowed = [*plain, *(FACETS if facets else ())]
            if facets:
                allowed += [f"{EXCLUDE}{facet}" for facet in FACETS]
                allowed += [f"{CUSTOM}taxonomy", f"{EXCLUDE}{CUSTOM}taxonomy"]
            raise InvalidFilter(
                f"There is no filter called {name[:80]!r}.", details={"allowed": allowed}
            )

    def one(self, name: str) -> str | None:
        """A parameter that may be given once."""
        values = self._given.get(name)
        if values is None:
            return None
        if len(values) > 1:
            raise InvalidFilter(f"{name} may be given once.")
        return values[0]

    def word(self, name: str, allowed: Sequence[str], default: str | None = None) -> str | None:
        """A parameter that takes one of a few words."""
        value = self.one(name)
        if value is None:
            return default
        if value not in allowed:
            raise InvalidFilter(
                f"{value[:80]!r} is no value of {name}.", details={"allowed": list(allowed)}
            )
        return value

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """A parameter that takes a whole number."""
        value = self.one(name)
        if value is None:
            return default
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise InvalidFilter(f"{name} takes a number from {least} to {most}.")
        if not least <= int(value) <= most:
            raise InvalidFilter(f"{name} takes a number from {least} to {most}.")
        return int(value)

    def flag(self, name: str, *, default: bool) -> bool:
        return self.word(name, ("true", "false"), "true" if default else "false") == "true"

    def filters(self) -> Filters:
        """The facets that are wanted and those that are not."""
        include: dict[str, tuple[str, ...]] = {}
        exclude: dict[str, tuple[str, ...]] = {}
        for name, values in self._given.items():
            facet = name.removeprefix(EXCLUDE)
            if facet in FACETS or facet.startswith(CUSTOM):
                _check(name, values)
                wanted = include if facet == name else exclude
                wanted[facet] = tuple(
                    dict.fromkeys(as_name(value) if facet in NAMES else value for value in values)
                )
        kind = self.word("type", TYPES, EVERYTHING)
        if kind is not None and kind != EVERYTHING:
            # Who asks for both gets what is both, which may be nothing.
            include["kind"] = (kind,) if kind in include.get("kind", (kind,)) else ()
        match = self.word("match", ("any", "all"), "any")
        return Filters(include, exclude, match_all=match == "all")


def described(filters: Filters) -> Mapping[str, object]:
    """Filters as plain data in one order, for a key that stands for them."""
    return {
        "include": sorted((name, sorted(values)) for name, values in filters.include.items()),
        "exclude": sorted((name, sorted(values)) for name, values in filters.exclude.items()),
        "all": filters.match_all,
        "after": filters.updated_after,
    }


def _check(name: str, values: Sequence[str]) -> None:
    if len(values) > MOST_VALUES:
        raise InvalidFilter(f"{name[:80]} may be given {MOST_VALUES} times at most.")
    for value in values:
        if not value or len(value) > LONGEST_VALUE:
            raise InvalidFilter(f"A value of {name[:80]} has 1 to {LONGEST_VALUE} characters.")


def as_name(text: str) -> str:
    """A name of somebody or of a tag as a facet value: how it is spelt matters, its case not."""
    return " ".join(text.casefold().split())
