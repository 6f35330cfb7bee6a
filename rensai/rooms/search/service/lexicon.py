"""Which stories have which words, asked of the shelf and remembered where many have one.

A word that stands in a hundred thousand titles takes tens of milliseconds to look up; one that
stands in twenty takes none. So what finds many is kept, and kept true by the journal.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from string import ascii_lowercase

from pyroaring import BitMap

from rensai.kit.db import Reads
from rensai.rooms.search.adapters.words import Place
from rensai.rooms.search.model import Shelf
from rensai.rooms.search.store import finding as store
from rensai.rooms.search.store import reading

_MANY = 1000
_KEPT = 512


def exactly(word: str) -> str:
    """A query for a word that stands somewhere, such as `=than`."""
    return f"'{word}'"


def beginning(word: str) -> str:
    """A query for all words that begin so."""
    return f"'{word}':*"


def in_a_row(words: Sequence[str]) -> str:
    """A query for words that follow one another."""
    return " <-> ".join(exactly(word) for word in words)


class Lexicon:
    """The words of one shelf, for one process."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._kept: OrderedDict[str, BitMap] = OrderedDict()
        self._changing: dict[str, BitMap] = {}
        self._changes = 0

    async def look_up(self, reads: Reads, queries: Iterable[str]) -> Mapping[str, BitMap]:
        """The stories that each query finds; not to be changed."""
        wanted = dict.fromkeys(queries)
        found: dict[str, BitMap] = {}
        for query in wanted:
            kept = self._kept.get(query)
            if kept is not None:
                self._kept.move_to_end(query)
                found[query] = kept
        missing = [query for query in wanted if query not in found]
        if missing:
            changes = self._changes
            for one in await store.matching(reads, self._shelf, missing):
                stories = found[one.query] = BitMap(one.story_ids)
                # What was asked before a change that has been applied since must not stay.
                if len(stories) > _MANY and " <-> " not in one.query and changes == self._changes:
                    self._keep(one.query, stories)
        return found

    async def warm(self, reads: Reads) -> None:
        """Look up what very many titles have before somebody who is typing waits for it."""
        for letter in ascii_lowercase:
            await self.look_up(reads, [beginning(Place.TITLE.value + letter)])

    async def changed(self, reads: Reads, story_ids: Sequence[int]) -> Mapping[int, frozenset[str]]:
        """The words that these stories have by now, for `apply`."""
        self._changes += 1
        self._changing = dict(self._kept)
        if not self._changing:
            return {}
        rows = await reading.words_of(reads, self._shelf, story_ids)
        return {row.story_id: frozenset(row.words) for row in rows}

    def apply(self, story_ids: Sequence[int], words: Mapping[int, frozenset[str]]) -> None:
        """Make what is kept true for these stories."""
        for query, stories in self._changing.items():
            word = query.removesuffix(":*")[1:-1]
            for story_id in story_ids:
                if _has(words.get(story_id, _NO_WORDS), word, begins=query.endswith(":*")):
                    stories.add(story_id)
                else:
                    stories.discard(story_id)

    def _keep(self, query: str, stories: BitMap) -> None:
        self._kept[query] = stories
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)


def _has(words: frozenset[str], word: str, *, begins: bool) -> bool:
    if begins:
        return any(one.startswith(word) for one in words)
    return word in words


_NO_WORDS: frozenset[str] = frozenset()
