"""Answering a question: what is found, in order, with counts."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from pyroaring import BitMap

from rensai.kit.db import Reads
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.search.adapters.asking import understand
from rensai.rooms.search.adapters.marking import excerpt, marked
from rensai.rooms.search.model import Card, FacetValue, Found, Hit, Question, Sort
from rensai.rooms.search.service.counting import count_facets
from rensai.rooms.search.service.filtering import Narrowed, check, updated_after
from rensai.rooms.search.service.index import Index
from rensai.rooms.search.service.matching import Matches, match
from rensai.rooms.search.service.mutes import stories_left_out
from rensai.rooms.search.service.ordering import Placed, page
from rensai.rooms.search.service.picture import Picture
from rensai.rooms.search.store import reading as store


async def find(reads: Reads, index: Index, question: Question) -> Found:
    """The stories that everybody may read and that meet the question."""
    result = await _result(reads, index, question)
    # From here to the cards nothing is waited for, so that the picture stays as it is.
    picture, matches, narrowed = result.picture, result.matches, result.narrowed
    places = result.places(question)
    facets = (
        count_facets(picture, narrowed, question.filters, question.values)
        if question.counts
        else {}
    )
    total = len(narrowed.stories)
    shown = places[: question.limit]
    ids = [place.story_id for place in shown]
    warnings = _warnings(picture, ids)
    cards = await store.cards(reads, picture.shelf, ids)
    views = await catalogue.views_of(reads, ids)
    return Found(
        hits=[
            Hit(
                card,
                place.key,
                _highlights(card, matches),
                warnings[place.story_id],
                views.get(place.story_id, 0),
            )
            for place in shown
            if (card := cards.get(place.story_id)) is not None
        ],
        has_more=len(places) > question.limit,
        following=((shown[-1].key, shown[-1].story_id) if len(places) > question.limit else None),
        total=total,
        sort=result.sort(question),
        facets=facets,
        corrected=matches.corrected if matches else None,
    )


async def find_places(reads: Reads, index: Index, question: Question) -> list[Placed]:
    """Where the stories stand that meet the question; one more than asked for if there is one."""
    return (await _result(reads, index, question)).places(question)


class _Result(NamedTuple):
    """All stories that meet a question, in no order yet."""

    picture: Picture
    matches: Matches | None
    narrowed: Narrowed

    def sort(self, question: Question) -> Sort:
        return question.sort or (Sort.RELEVANCE if self.matches else Sort.UPDATED)

    def places(self, question: Question) -> list[Placed]:
        return page(
            self.picture,
            self.narrowed.stories,
            self.sort(question),
            tiers=self.matches.tiers if self.matches else [],
            after=question.after,
            limit=question.limit + 1,
        )


async def _result(reads: Reads, index: Index, question: Question) -> _Result:
    asked = understand(question.text)
    standing = await index.standing(reads)
    picture = standing.picture
    check(picture, question.filters)
    matches = None
    if asked.clauses or asked.excluded:
        matches = await match(reads, standing, asked)
    elif question.text.strip():
        matches = Matches(BitMap(), [], [])
    base = picture.stories
    if matches is not None:
        base = (matches.in_names if question.in_names else None) or matches.stories
    if question.filters.updated_after is not None:
        base = updated_after(picture, base, question.filters.updated_after)
    if question.left_out:
        base = base - stories_left_out(picture, question.left_out)
    return _Result(picture, matches, Narrowed(picture, base, question.filters))


def _warnings(picture: Picture, story_ids: Sequence[int]) -> dict[int, list[FacetValue]]:
    """What each of these stories warns of."""
    found: dict[int, list[FacetValue]] = {story_id: [] for story_id in story_ids}
    shown = BitMap(story_ids)
    for value_id in picture.value_ids("warning"):
        members = picture.members.get(value_id)
        for story_id in () if members is None else members & shown:
            value = picture.values[value_id]
            found[story_id].append(FacetValue("warning", value.value, value.label))
    return found


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
