"""Rating stories and reviewing them."""

from datetime import timedelta
from uuid import UUID

from msgspec import UNSET, UnsetType

from rensai.kit import texts
from rensai.kit.clock import Clock
from rensai.kit.db import Reads, Tx
from rensai.kit.errors import NotFound
from rensai.kit.ids import new_uid
from rensai.kit.limits import Rule
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.readers import door as readers
from rensai.rooms.shelf.errors import RatingNotFound
from rensai.rooms.shelf.model import Key
from rensai.rooms.shelf.model.ratings import (
    LONGEST_REVIEW,
    NO_RATINGS,
    RatedStory,
    Rating,
    RatingKey,
    RatingSort,
    SignedRating,
    Summary,
)
from rensai.rooms.shelf.service.pages import shown
from rensai.rooms.shelf.store import figures
from rensai.rooms.shelf.store import ratings as store

RATING = Rule("rating", 60, timedelta(minutes=1))
"""How often one account may give or take back a rating."""


async def rate(
    tx: Tx,
    clock: Clock,
    user_id: int,
    story_id: int,
    *,
    score: int,
    review: str | UnsetType | None = UNSET,
) -> Rating:
    """Give a story the one rating that a reader has for it; its figures follow with the next count.

    A review stays when nothing is said of it, and goes when it is None or empty.
    """
    text = texts.prose("review", review, most=LONGEST_REVIEW) if isinstance(review, str) else None
    rating = await store.rate(
        tx,
        new_uid(),
        user_id,
        story_id,
        score=score,
        review_text=text or None,
        keep_review=review is UNSET,
        now=clock.now(),
    )
    if rating is None:
        raise NotFound
    await catalogue.touch_recount(tx, clock, story_id)
    return rating


async def take_back(tx: Tx, clock: Clock, user_id: int, story_id: int) -> None:
    """Remove a reader's rating of a story, also of one that cannot be read any more."""
    if not await store.remove(tx, user_id, story_id):
        raise RatingNotFound
    await catalogue.touch_recount(tx, clock, story_id)


async def strike(tx: Tx, clock: Clock, uid: UUID) -> None:
    """Remove anybody's rating, for whoever keeps order here."""
    story_id = await store.remove_by_uid(tx, uid)
    if story_id is None:
        raise NotFound
    await catalogue.touch_recount(tx, clock, story_id)


async def own_rating(reads: Reads, user_id: int, story_id: int) -> Rating:
    """What a reader thinks of a story."""
    found = await store.own(reads, user_id, story_id)
    if found is None:
        raise RatingNotFound
    return found


async def own_ratings(
    reads: Reads, user_id: int, *, after: Key | None, limit: int
) -> list[RatedStory]:
    """All that a reader has rated and can read, the newest first, and one more than `limit`."""

    found = await shown(
        lambda key, count: store.own_list(reads, user_id, key, count),
        lambda rating: (rating.created_at, rating.id),
        lambda rating: rating.story_id,
        lambda ids: catalogue.story_cards(reads, ids),
        after=after,
        limit=limit,
    )
    return [RatedStory(rating, story) for rating, story in found]


async def list_ratings(
    reads: Reads,
    story_id: int,
    sort: RatingSort,
    *,
    after: RatingKey | None = None,
    limit: int,
) -> list[SignedRating]:
    """The ratings of a story that was seen a moment ago, and one more than `limit`."""
    ratings = await store.of_story(reads, story_id, sort, after=after, limit=limit + 1)
    authors = await readers.people_of(reads, {one.user_id for one in ratings})
    return [SignedRating(one, authors.get(one.user_id)) for one in ratings]


async def summary_of(reads: Reads, story_id: int) -> Summary:
    """What readers think of a story all together, as of its last count."""
    spread = await figures.summary(reads, story_id)
    return Summary(spread) if spread else NO_RATINGS
