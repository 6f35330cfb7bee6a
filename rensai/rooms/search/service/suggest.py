"""What somebody who is typing may mean: stories, people and tags."""

from collections.abc import Sequence

from pyroaring import BitMap

from rensai.kit.db import Reads
from rensai.rooms.search.adapters.asking import understand
from rensai.rooms.search.adapters.folding import is_unspaced
from rensai.rooms.search.adapters.marking import marked_beginnings
from rensai.rooms.search.adapters.words import Place
from rensai.rooms.search.model import NOTHING, LeftOut, Sort, Suggestion
from rensai.rooms.search.service.index import Index, Standing
from rensai.rooms.search.service.lexicon import beginning, exactly
from rensai.rooms.search.service.mutes import stories_left_out
from rensai.rooms.search.service.ordering import Placed, page
from rensai.rooms.search.service.picture import Picture
from rensai.rooms.search.store import reading as store

_PEOPLE_AND_TAGS = 3


async def suggest(
    reads: Reads, index: Index, text: str, limit: int, what: LeftOut = NOTHING
) -> list[Suggestion]:
    """At most `limit` suggestions, titles first; the last word may be unfinished.

    Nothing is told of what is left out.
    """
    asked = understand(text)
    standing = await index.standing(reads)
    words = asked.words
    if not words:
        return []
    found = await _stories(reads, standing, asked.compact, words)
    without = stories_left_out(standing.picture, what)
    most = min(_PEOPLE_AND_TAGS, limit)
    named = _people_and_tags(standing, text, words, most, without)
    places = _best(standing.picture, [stories - without for stories in found], limit - len(named))
    shelf = standing.picture.shelf
    cards = await store.cards(reads, shelf, [place.story_id for place in places])
    titles = [
        Suggestion("series", card.title, card.public_slug, marked_beginnings(card.title, words))
        for place in places
        if (card := cards.get(place.story_id)) is not None
    ]
    return titles + named


def _best(picture: Picture, found: Sequence[BitMap], limit: int) -> list[Placed]:
    """The most popular of the first set, then of the next, without repeating any."""
    best: list[Placed] = []
    for stories in found:
        if len(best) < limit:
            rest = stories - BitMap([place.story_id for place in best])
            best += page(picture, rest, Sort.POPULAR, tiers=[], after=None, limit=limit - len(best))
    return best


async def _stories(
    reads: Reads, standing: Standing, compact: str, words: list[str]
) -> list[BitMap]:
    """Titles that begin so first, then those that have the words somewhere."""
    *whole, last = [Place.TITLE.value + word for word in words]
    begun = exactly(last) if _is_whole(words[-1]) else beginning(last)
    queries = [beginning(Place.WHOLE.value + compact), *map(exactly, whole), begun]
    found = await standing.lexicon.look_up(reads, queries)
    inside = BitMap.intersection(*(found[query] for query in queries[1:]))
    return [found[queries[0]], inside]


def _is_whole(word: str) -> bool:
    """A pair of characters is looked for as it is; a single one begins pairs."""
    return is_unspaced(word) and len(word) > 1


def _people_and_tags(
    standing: Standing, text: str, words: list[str], limit: int, without: BitMap
) -> list[Suggestion]:
    return [
        Suggestion(facet, value.label, value.value, marked_beginnings(value.label, words))
        for facet in ("author", "tag")
        for value in standing.names(facet).beginning(text, limit, without)
    ][:limit]
