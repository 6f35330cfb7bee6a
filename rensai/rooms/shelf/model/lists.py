"""The words of reading lists."""

import re
import unicodedata
from collections.abc import Collection
from datetime import datetime
from uuid import UUID

import msgspec

from rensai.rooms.catalogue.door import ListedStory
from rensai.rooms.readers.door import Person

MOST_LISTS = 100
MOST_ENTRIES = 1000
LONGEST_TITLE = 100
LONGEST_DESCRIPTION = 2000
LONGEST_NOTE = 1000
LONGEST_SLUG = 100
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

GAP = 2**32
"""How far apart entries are placed at first, so that many fit between two of them."""

LIST_KEY_TYPES = (datetime, int)
"""The types of what `ReadingList.key` gives."""

ENTRY_KEY_TYPES = (int, int)
"""The types of what `Entry.key` gives."""

_NOT_IN_SLUGS = re.compile(r"[^a-z0-9]+")
# Letters that do not fall apart into a plain one and an accent.
_LETTERS = str.maketrans(
    {"đ": "d", "ð": "d", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "ß": "ss", "þ": "th", "ı": "i"}
)


class ReadingList(msgspec.Struct, frozen=True):
    """A list of stories that somebody keeps, for everybody or for nobody else."""

    id: int
    uid: UUID
    user_id: int
    slug: str
    title: str
    description: str
    is_public: bool
    entry_count: int
    """How many entries it has, those of hidden stories included."""

    created_at: datetime
    updated_at: datetime

    @property
    def key(self) -> tuple[datetime, int]:
        """Where it stands among the lists of its owner."""
        return self.updated_at, self.id


class ShownList(msgspec.Struct, frozen=True):
    """A reading list as somebody sees it."""

    list: ReadingList
    owner: Person
    entries: int
    """How many of its entries can be read."""


class Entry(msgspec.Struct, frozen=True):
    """A story on a reading list."""

    story_id: int
    position: int
    note: str
    added_at: datetime

    @property
    def key(self) -> tuple[int, int]:
        """Where it stands on its list."""
        return self.position, self.story_id


class ShownEntry(msgspec.Struct, frozen=True):
    """An entry with its story."""

    entry: Entry
    story: ListedStory


def slug_for(title: str, taken: Collection[str]) -> str:
    """An address for a list of that title that its owner has not used yet."""
    plain = unicodedata.normalize("NFKD", title.casefold()).translate(_LETTERS)
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    slug = _NOT_IN_SLUGS.sub("-", plain)[: LONGEST_SLUG - 4].strip("-") or "list"
    if slug not in taken:
        return slug
    return next(
        numbered
        for number in range(2, len(taken) + 3)
        if (numbered := f"{slug}-{number}") not in taken
    )
