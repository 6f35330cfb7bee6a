"""A whole question out of an address, and one spelling of it to be kept."""

from collections.abc import Mapping, Sequence
from unicodedata import category
from urllib.parse import parse_qsl, quote, urlencode

from rensai.kit.errors import InvalidFilter
from rensai.rooms.search.adapters.asking import understand
from rensai.rooms.search.adapters.parameters import NAMES, PLAIN, SORTS, Parameters, as_name
from rensai.rooms.search.model import LONGEST_SAVED, Question, Sort

DEFAULT_VALUES = 30
MOST_VALUES_COUNTED = 200

_OF_A_PAGE = ("limit", "cursor")
"""What says where in an answer somebody is, and not what was asked."""

_UNSAID = {"type": "series", "match": "any", "counts": "true", "values": str(DEFAULT_VALUES)}
"""What a parameter means that is not there."""


def question_of(parameters: Parameters, *, page: int, largest: int) -> Question:
    """What is asked; a page has so many items unless it says otherwise."""
    text = parameters.one("q") or ""
    sort = parameters.word("sort", SORTS)
    if sort == Sort.RELEVANCE.value and not text.strip():
        raise InvalidFilter("Only a search for text can be sorted by relevance.")
    return Question(
        text=text,
        filters=parameters.filters(),
        sort=None if sort is None else Sort(sort),
        limit=parameters.number("limit", page, 1, largest),
        counts=parameters.flag("counts", default=True),
        values=parameters.number("values", DEFAULT_VALUES, 1, MOST_VALUES_COUNTED),
    )


def one_spelling(query: str) -> tuple[str, Question]:
    """What stands behind the question mark of a search, spelt in the one way in which it is kept.

    Whatever search would refuse is refused here, so that what was saved can be asked. Where in its
    answer somebody was is left out.
    """
    try:
        pairs = parse_qsl(
            query.removeprefix("?"), keep_blank_values=True, errors="strict", max_num_fields=1000
        )
    except ValueError:
        raise InvalidFilter("The query cannot be read.") from None
    if any(category(sign) == "Cc" for pair in pairs for text in pair for sign in text):
        raise InvalidFilter("A query must not contain control characters.")
    parameters = Parameters(pairs)
    parameters.refuse_unknown(facets=True)
    question = question_of(parameters, page=20, largest=100)
    understand(question.text)
    spelt = urlencode(_in_order(pairs), quote_via=quote)
    if len(spelt) > LONGEST_SAVED:
        raise InvalidFilter(f"A query has {LONGEST_SAVED:,} characters at most.")
    return spelt, question


def _in_order(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    given: dict[str, dict[str, str]] = {}
    for name, value in pairs:
        # Of two spellings of one name, the first is kept to be shown.
        same = as_name(value) if name.removeprefix("exclude_") in NAMES else value
        given.setdefault(name, {}).setdefault(same, value)
    return [*_plain(given), *_facets(given)]


def _plain(given: Mapping[str, Mapping[str, str]]) -> list[tuple[str, str]]:
    said = ((name, value) for name in PLAIN for value in given.get(name, {}).values())
    return [
        (name, value.strip())
        for name, value in said
        if name not in _OF_A_PAGE and value.strip() and value != _UNSAID.get(name)
    ]


def _facets(given: Mapping[str, Mapping[str, str]]) -> list[tuple[str, str]]:
    names = sorted(name for name in given if name not in PLAIN)
    return [(name, given[name][same]) for name in names for same in sorted(given[name])]
