"""Lists in pages: the shape of the answer, and how many items may be asked for."""

from collections.abc import Callable, Sequence
from typing import Annotated, Generic, TypeVar

from litestar.params import QueryParameter
from msgspec import Struct

T = TypeVar("T")

DEFAULT_LIMIT = 20
MAX_LIMIT = 100

Limit = Annotated[
    int,
    QueryParameter(ge=1, le=MAX_LIMIT, description="How many items to return at most."),
]
"""The type of a handler's `limit: Limit = DEFAULT_LIMIT`."""

Cursor = Annotated[
    str | None,
    QueryParameter(
        min_length=1,
        max_length=1024,
        description="The `nextCursor` of the page before, to go on from there.",
    ),
]
"""The type of a handler's `cursor: Cursor = None`."""


class Page(Struct, Generic[T], frozen=True, rename="camel"):
    """One page of a list, and where to go on."""

    items: list[T]
    next_cursor: str | None
    has_more: bool


class NovelPage(Struct, Generic[T], frozen=True):
    """The same, as the novel API spells it."""

    items: list[T]
    next_cursor: str | None
    has_more: bool


def page_of(rows: Sequence[T], limit: int, cursor_after: Callable[[T], str]) -> Page[T]:
    """A page from `limit + 1` rows: the extra row only tells that there is more."""
    items = list(rows[:limit])
    has_more = len(rows) > limit
    following = cursor_after(items[-1]) if has_more and items else None
    return Page(items, following, has_more)
