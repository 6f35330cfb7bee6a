"""What a reader takes along of opinions: lines that another server understands.

Every field has bounds, because what is taken in was written by anybody. While nobody may read a
story, its names are null: they would tell of it, but what a reader wrote is the reader's own.
"""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from rensai.rooms.shelf.model.lists import (
    LONGEST_DESCRIPTION,
    LONGEST_NOTE,
    LONGEST_SLUG,
    LONGEST_TITLE,
)
from rensai.rooms.shelf.model.ratings import HIGHEST, LONGEST_REVIEW, LOWEST

Moment = Annotated[datetime, Meta(tz=True)]
Name = Annotated[str, Meta(min_length=1, max_length=191, pattern=r"^[^\x00-\x1f]+$")]
Slug = Annotated[str, Meta(min_length=1, max_length=LONGEST_SLUG)]


class RatingLine(Struct, frozen=True):
    """What somebody thinks of a story."""

    source: Name | None
    slug: Name | None
    score: Annotated[int, Meta(ge=LOWEST, le=HIGHEST)]
    created_at: Moment
    updated_at: Moment
    title: Annotated[str, Meta(max_length=1000)] | None = None
    review_text: Annotated[str, Meta(max_length=LONGEST_REVIEW)] | None = None


class ListLine(Struct, frozen=True, tag_field="kind", tag="list"):
    """A reading list; the lines of what is on it follow."""

    list: Slug
    title: Annotated[str, Meta(max_length=LONGEST_TITLE)]
    created_at: Moment
    updated_at: Moment
    description: Annotated[str, Meta(max_length=LONGEST_DESCRIPTION)] = ""
    is_public: bool = False


class EntryLine(Struct, frozen=True, tag_field="kind", tag="entry"):
    """What is on the list of that slug, in its order."""

    list: Slug
    source: Name | None
    slug: Name | None
    added_at: Moment
    title: Annotated[str, Meta(max_length=1000)] | None = None
    note: Annotated[str, Meta(max_length=LONGEST_NOTE)] = ""
