"""Ratings over the novel API."""

from datetime import datetime
from typing import Annotated, cast

from litestar import Response, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT
from msgspec import UNSET, Meta, Struct, UnsetType

from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.filters import known_filters
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, NovelPage, page_of
from rensai.kit.web.personal import personal
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.readers.door import (
    EmailUnverified,
    HouseRules,
    Role,
    User,
    require_role,
    require_writer,
)
from rensai.rooms.shelf.model import Key
from rensai.rooms.shelf.model.ratings import (
    HIGHEST,
    LONGEST_REVIEW,
    LOWEST,
    RatedStory,
    Rating,
    RatingSort,
    SignedRating,
    Summary,
)
from rensai.rooms.shelf.novel_api.shapes import READ, WRITE, NovelHeldStory, StoryId
from rensai.rooms.shelf.service import ratings as service

RatingLimit = Annotated[
    int, QueryParameter(ge=1, le=50, description="How many ratings to return at most.")
]


class NovelRate(Struct, frozen=True, forbid_unknown_fields=True):
    """A score from 1 to 10, which are half a star to five; and what to say of it, if anything.

    Without `review_text` the review stays as it was; null or nothing removes it.
    """

    score: Annotated[int, Meta(ge=LOWEST, le=HIGHEST)]
    review_text: Annotated[str, Meta(max_length=LONGEST_REVIEW)] | UnsetType | None = UNSET


class NovelOwnRating(Struct, frozen=True):
    """What the reader thinks of a story."""

    story_id: int
    score: int
    review_text: str | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, one: Rating) -> "NovelOwnRating":
        return cls(one.story_id, one.score, one.review_text, one.created_at, one.updated_at)


class NovelOwnRatings(Struct, frozen=True):
    """A rating of the reader's own, with its story."""

    story: NovelHeldStory
    score: int
    review_text: str | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, rated: RatedStory) -> "NovelOwnRatings":
        one, told = rated.rating, NovelHeldStory.of(rated.story)
        return cls(told, one.score, one.review_text, one.created_at, one.updated_at)


class NovelRater(Struct, frozen=True):
    """Who has rated."""

    id: int
    username: str
    display_name: str


class NovelRating(Struct, frozen=True):
    """A rating as everybody sees it; `user` is null when the account is closed."""

    id: int
    user: NovelRater | None
    score: int
    review_text: str | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, signed: SignedRating) -> "NovelRating":
        one, author = signed.rating, signed.author
        rater = author and NovelRater(author.id, author.username, author.display_name)
        return cls(one.id, rater, one.score, one.review_text, one.created_at, one.updated_at)


class NovelSummary(Struct, frozen=True):
    """All ratings of the story together, as of its last count."""

    avg: float | None
    count: int
    distribution: dict[str, int]

    @classmethod
    def of(cls, summary: Summary) -> "NovelSummary":
        average = None if summary.average is None else float(summary.average)
        spread = {str(score): count for score, count in enumerate(summary.distribution, LOWEST)}
        return cls(average, summary.count, spread)


class NovelRatings(NovelPage[NovelRating], frozen=True):
    """A page of ratings, and what all of them come to."""

    summary: NovelSummary


@post(
    "/wp-json/novel/v1/me/ratings/{story_id:int}",
    status_code=HTTP_200_OK,
    tags=["ratings"],
    summary="Rate a story",
    security=SIGNED_IN,
    opt={"errors": (EmailUnverified,)} | WRITE,
)
async def rate_story(
    data: JSONBody[NovelRate],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    rules: NamedDependency[HouseRules],
    story_id: StoryId,
) -> Response[NovelOwnRating]:
    """Give the one rating that a reader has for a story, or change it.

    The figures of the story follow within about a minute.
    """
    reader = require_writer(user, rules) if data.review_text else require_role(user, Role.USER)
    await services.limits.check(service.RATING, str(reader.id))
    await catalogue.see_story(services.lookups, story_id)
    async with services.db.transaction() as tx:
        rating = await service.rate(
            tx, services.clock, reader.id, story_id, score=data.score, review=data.review_text
        )
    return personal(NovelOwnRating.of(rating))


@delete(
    "/wp-json/novel/v1/me/ratings/{story_id:int}",
    status_code=HTTP_204_NO_CONTENT,
    tags=["ratings"],
    summary="Take a rating back",
    security=SIGNED_IN,
    opt=WRITE,
)
async def take_rating_back(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    story_id: StoryId,
) -> None:
    """Remove the reader's rating with its review."""
    reader = require_role(user, Role.USER)
    await services.limits.check(service.RATING, str(reader.id))
    async with services.db.transaction() as tx:
        await service.take_back(tx, services.clock, reader.id, story_id)


@get(
    "/wp-json/novel/v1/me/ratings/{story_id:int}",
    tags=["ratings"],
    summary="One's own rating",
    security=SIGNED_IN,
    opt=READ,
)
async def own_rating(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    story_id: StoryId,
) -> Response[NovelOwnRating]:
    """What the reader thinks of a story."""
    reader = require_role(user, Role.USER)
    await catalogue.see_story(services.lookups, story_id)
    rating = await service.own_rating(services.db.primary, reader.id, story_id)
    return personal(NovelOwnRating.of(rating))


@get(
    "/wp-json/novel/v1/me/ratings",
    tags=["ratings"],
    summary="One's own ratings",
    before_request=known_filters,
    security=SIGNED_IN,
    opt=READ,
)
async def list_own_ratings(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response[NovelPage[NovelOwnRatings]]:
    """Everything that the reader has rated, the first ratings last."""
    reader = require_role(user, Role.USER)
    secret = services.config.session_secret
    listing = cursors.kind("novel-own-ratings", reader.id)
    types = RatingSort.NEWEST.key_types
    after = None if cursor is None else cursors.decode(secret, listing, cursor, types)
    rows = await service.own_ratings(
        services.db.primary, reader.id, after=cast("Key | None", after), limit=limit
    )
    page = page_of(
        rows,
        limit,
        lambda last: cursors.encode(secret, listing, last.rating.key(RatingSort.NEWEST)),
    )
    items = [NovelOwnRatings.of(row) for row in page.items]
    return personal(NovelPage(items, page.next_cursor, page.has_more))


@get(
    "/wp-json/novel/v1/stories/{source:str}/{slug:str}/ratings",
    tags=["ratings"],
    summary="The ratings of a story",
    before_request=known_filters,
)
async def list_story_ratings(
    services: NamedDependency[Services],
    source: FromPath[str],
    slug: FromPath[str],
    *,
    limit: RatingLimit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    sort: FromQuery[RatingSort] = RatingSort.NEWEST,
) -> NovelRatings:
    """What readers think of a story, and what all of it comes to.

    Among equal scores the newest rating comes first. `summary` counts what there was about a
    minute ago.
    """
    reads, secret = services.db.replica, services.config.session_secret
    seen = await catalogue.see_story_at(services.lookups, source, slug)
    listing = cursors.kind("novel-ratings", seen.id, sort.value)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, sort.key_types)
    rows = await service.list_ratings(reads, seen.id, sort, after=after, limit=limit)
    page = page_of(rows, limit, lambda last: cursors.encode(secret, listing, last.rating.key(sort)))
    summary = await service.summary_of(reads, seen.id)
    items = [NovelRating.of(row) for row in page.items]
    return NovelRatings(items, page.next_cursor, page.has_more, NovelSummary.of(summary))


routes = [rate_story, take_rating_back, own_rating, list_own_ratings, list_story_ratings]
