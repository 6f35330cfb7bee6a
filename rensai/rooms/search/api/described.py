"""The parameters of search for the description of the API, since no signature lists them."""

from dataclasses import dataclass

from litestar.openapi.spec import OpenAPIType, Operation, Parameter, Schema

from rensai.kit.web.paging import DEFAULT_LIMIT, MAX_LIMIT
from rensai.rooms.search.adapters.asking import LONGEST
from rensai.rooms.search.adapters.parameters import (
    EXCLUDE,
    FACETS,
    LONGEST_VALUE,
    MOST_VALUES,
    NAMES,
    SORTS,
    TYPES,
)
from rensai.rooms.search.model import AGES, KINDS, STATUSES

_ONE_OF = {"status": STATUSES[1:], "kind": KINDS, "age": AGES}


def _parameter(name: str, schema: Schema, description: str) -> Parameter:
    return Parameter(name=name, param_in="query", schema=schema, description=description)


def _number(default: int, most: int) -> Schema:
    return Schema(type=OpenAPIType.INTEGER, minimum=1, maximum=most, default=default)


def _words(*allowed: str, default: str | None = None) -> Schema:
    return Schema(type=OpenAPIType.STRING, enum=list(allowed), default=default)


def _values(facet: str) -> Schema:
    allowed = _ONE_OF.get(facet)
    text = Schema(
        type=OpenAPIType.STRING,
        min_length=1,
        max_length=LONGEST_VALUE,
        pattern=r"\S" if facet in NAMES else None,
    )
    each = _words(*allowed) if allowed else text
    return Schema(type=OpenAPIType.ARRAY, items=each, max_items=MOST_VALUES)


_TEXT = Schema(type=OpenAPIType.STRING, max_length=LONGEST)
_SEARCH = [
    _parameter("q", _TEXT, "What to look for."),
    _parameter("type", _words(*TYPES, default=TYPES[0]), "Only series of this kind."),
    *(_parameter(name, _values(name), f"Only series with this {name}.") for name in FACETS),
    *(_parameter(EXCLUDE + name, _values(name), f"No series with this {name}.") for name in FACETS),
    _parameter(
        "match",
        _words("any", "all", default="any"),
        "Whether a series must have any or all of the values of a facet.",
    ),
    _parameter("sort", _words(*SORTS), "By relevance when there is a text, else by update."),
    _parameter("limit", _number(DEFAULT_LIMIT, MAX_LIMIT), "How many items to return at most."),
    _parameter(
        "cursor",
        Schema(type=OpenAPIType.STRING, min_length=1, max_length=1024),
        "The `nextCursor` of the page before, to go on from there.",
    ),
    _parameter("counts", _words("true", "false", default="true"), "Whether facets are counted."),
    _parameter("values", _number(30, 200), "How many values of a facet are counted out."),
]
_SUGGEST = [
    _parameter("q", _TEXT, "What has been typed so far."),
    _parameter("limit", _number(8, 20), "How many to suggest at most."),
]


@dataclass
class SearchOperation(Operation):
    """What a search may be asked. The facets of operators are `custom:` and their names."""

    def __post_init__(self) -> None:
        self.parameters = [*(self.parameters or []), *_SEARCH]


@dataclass
class SuggestOperation(Operation):
    """What a suggestion may be asked."""

    def __post_init__(self) -> None:
        self.parameters = [*(self.parameters or []), *_SUGGEST]
