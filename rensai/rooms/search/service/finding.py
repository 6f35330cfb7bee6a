"""Answering a question: what is found, in order, with counts."""

import msgspec
from pyroaring import BitMap

from rensai.kit.db import Reads
from rensai.rooms.search.adapters.asking import understand
from rensai.rooms.search.adapters.marking import excerpt, marked
from rensai.rooms.search.model import Card, Found, Hit, Question, Sort
from rensai.rooms.search.service.counting import count_facets
from rensai.rooms.search.service.filtering import Narrowed, check, updated_after
from rensai.rooms.search.service.index import Index
from rensai.rooms.search.service.matching import Matches, match
from rensai.rooms.search.service.ordering import page
from rensai.rooms.search.store import reading as store


async def find(reads: Reads, index: Index, question: Question) -> Found:
    """The stories that everybody may read and that meet the question."""
    asked = understand(question.text)
    standing = await index.standing(reads)
    picture = standing.picture
    check(picture, question.filters)
    matches = None
    if asked.clauses or asked.excluded:
        matches = await match(reads, standing, asked)
    elif question.text.strip():
        matches = Matches(BitMap(), [], [])
    # From here to the cards nothing is waited for, so that the picture stays as it is.
    base = picture.stories
    if matches is not None:
        base = (matches.in_names if question.in_names else None) or matches.stories
    if question.filters.updated_after is not None:
        base = updated_after(picture, base, question.filters.updated_after)
    narrowed = Narrowed(picture, base, question.filters)
    sort = question.sort or (Sort.RELEVANCE if matches else Sort.UPDATED)
    places = page(
        picture,
        narrowed.stories,
        sort,
        tiers=matches.tiers if matches else [],
        after=question.after,
        limit=question.limit + 1,
    )
    total = len(narrowed.stories)
    facets = (
        count_facets(picture, narrowed, question.filters, question.values)
        if question.counts
        else {}
    )
    shown = places[: question.limit]
    cards = await store.cards(reads, picture.shelf, [place.story_id for place in shown])
    return Found(
        hits=[
            Hit(card, place.key, _highlights(card, matches))
            for place in shown
            if (card := cards.get(place.story_id)) is not None
        ],
        has_more=len(places) > question.limit,
        following=((shown[-1].key, shown[-1].story_id) if len(places) > question.limit else None),
        total=total,
        sort=sort,
        facets=facets,
        corrected=matches.corrected if matches else None,
    )


def following(question: Question, after: tuple[int, int]) -> Question:
    """The same question from after that place in its order."""
    return msgspec.structs.replace(question, after=after)


def _highlights(card: Card, matches: Matches | None) -> dict[str, str]:
    """What of a card the words stand in that were looked for."""
    if matches is None:
        return {}
    words = matches.words
    if card.story_id not in matches.strictly:
        words = [*words, *matches.similar]
    found = {
        "title": marked(card.title, words),
        "title_original": marked(card.title_original or "", words),
        "alias": next((hit for alias in card.aliases if (hit := marked(alias, words))), None),
        "author": next(
            (hit for one in (*card.authors, *card.artists) if (hit := marked(one, words))), None
        ),
        "tag": next((hit for tag in card.tags if (hit := marked(tag, words))), None),
        "summary": excerpt(card.summary, words),
    }
    return {field: hit for field, hit in found.items() if hit is not None}
