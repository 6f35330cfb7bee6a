"""Ratings over `/api/v1`."""

from datetime import datetime
from typing import Annotated, cast
from uuid import UUID

from litestar import Response, delete, get, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody
from litestar.status_codes import HTTP_204_NO_CONTENT
from msgspec import UNSET, Meta, Struct, UnsetType

from rensai.kit.errors import Gone
from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.bodies import Body
from rensai.kit.web.filters import known_filters
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, Page, page_of
from rensai.kit.web.personal import personal
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import SeriesNotFound
from rensai.rooms.readers.door import (
    EmailUnverified,
    HouseRules,
    Role,
    User,
    require_role,
    require_writer,
)
from rensai.rooms.shelf.api.held import HeldSeries
from rensai.rooms.shelf.api.shapes import (
    MODERATE,
    READ,
    WRITE,
    Someone,
    require_uid,
)
from rensai.rooms.shelf.errors import RatingNotFound
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
from rensai.rooms.shelf.service import ratings as service

_GONE = {"errors": (SeriesNotFound, Gone)}
_OWN = {"errors": (SeriesNotFound, RatingNotFound, Gone)}


class Rate(Body, frozen=True):
    """A score from 1 to 10, which are half a star to five; and what to say of it, if anything.

    Without `reviewText` the review stays as it was; null or nothing removes it.
    """

    score: Annotated[int, Meta(ge=LOWEST, le=HIGHEST)]
    review_text: Annotated[str, Meta(max_length=LONGEST_REVIEW)] | UnsetType | None = UNSET


class OwnRating(Struct, frozen=True, rename="camel"):
    """What the reader thinks of a series."""

    id: UUID
    score: int
    review_text: str | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, one: Rating) -> "OwnRating":
        return cls(one.uid, one.score, one.review_text, one.created_at, one.updated_at)


class RatedSeries(Struct, frozen=True, rename="camel"):
    """A rating of the reader's own, with its series."""

    id: UUID
    series: HeldSeries
    score: int
    review_text: str | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, rated: RatedStory) -> "RatedSeries":
        one, series = rated.rating, HeldSeries.of(rated.story)
        return cls(one.uid, series, one.score, one.review_text, one.created_at, one.updated_at)


class SeriesRating(Struct, frozen=True, rename="camel"):
    """A rating as everybody sees it; `user` is null when the account is closed."""

    id: UUID
    user: Someone | None
    score: int
    review_text: str | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, signed: SignedRating) -> "SeriesRating":
        one, rater = signed.rating, Someone.of(signed.author)
        return cls(one.uid, rater, one.score, one.review_text, one.created_at, one.updated_at)


class RatingSummary(Struct, frozen=True, rename="camel"):
    """All ratings of the series together, as of its last count."""

    average: float | None
    count: int
    distribution: dict[str, int]

    @classmethod
    def of(cls, summary: Summary) -> "RatingSummary":
        average = None if summary.average is None else float(summary.average)
        spread = {str(score): count for score, count in enumerate(summary.distribution, LOWEST)}
        return cls(average, summary.count, spread)


class SeriesRatings(Page[SeriesRating], frozen=True, rename="camel"):
    """A page of ratings, and what all of them come to."""

    summary: RatingSummary


@get(
    "/api/v1/series/{slug:str}/ratings",
    tags=["ratings"],
    summary="The ratings of a series",
    before_request=known_filters,
    opt=_GONE,
)
async def list_series_ratings(
    services: NamedDependency[Services],
    slug: FromPath[str],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    sort: FromQuery[RatingSort] = RatingSort.NEWEST,
) -> SeriesRatings:
    """What readers think of a series, and what all of it comes to.

    Among equal scores the newest rating comes first. `summary` counts what there was about a
    minute ago.
    """
    reads, secret = services.db.replica, services.config.session_secret
    seen = await catalogue.see_series(services.lookups, reads, slug)
    listing = cursors.kind("series-ratings", seen.id, sort.value)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, sort.key_types)
    rows = await service.list_ratings(reads, seen.id, sort, after=after, limit=limit)
    page = page_of(rows, limit, lambda last: cursors.encode(secret, listing, last.rating.key(sort)))
    summary = await service.summary_of(reads, seen.id)
    items = [SeriesRating.of(row) for row in page.items]
    return SeriesRatings(items, page.next_cursor, page.has_more, RatingSummary.of(summary))


@get(
    "/api/v1/series/{slug:str}/ratings/me",
    tags=["ratings"],
    summary="One's own rating",
    security=SIGNED_IN,
    opt=_OWN | READ,
)
async def my_rating(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    slug: FromPath[str],
) -> Response[OwnRating]:
    """What the reader thinks of a series."""
    reader = require_role(user, Role.USER)
    seen = await catalogue.see_series(services.lookups, services.db.replica, slug)
    rating = await service.own_rating(services.db.primary, reader.id, seen.id)
    return personal(OwnRating.of(rating))


@put(
    "/api/v1/series/{slug:str}/ratings/me",
    tags=["ratings"],
    summary="Rate a series",
    security=SIGNED_IN,
    opt={"errors": (*_GONE["errors"], EmailUnverified)} | WRITE,
)
async def rate_series(
    data: JSONBody[Rate],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    rules: NamedDependency[HouseRules],
    slug: FromPath[str],
) -> Response[OwnRating]:
    """Give the one rating that a reader has for a series, or change it.

    The figures of the series follow within about a minute.
    """
    reader = require_writer(user, rules) if data.review_text else require_role(user, Role.USER)
    await services.limits.check(service.RATING, str(reader.id))
    seen = await catalogue.see_series(services.lookups, services.db.replica, slug)
    async with services.db.transaction() as tx:
        rating = await service.rate(
            tx, services.clock, reader.id, seen.id, score=data.score, review=data.review_text
        )
    return personal(OwnRating.of(rating))


@delete(
    "/api/v1/series/{slug:str}/ratings/me",
    status_code=HTTP_204_NO_CONTENT,
    tags=["ratings"],
    summary="Take a rating back",
    security=SIGNED_IN,
    opt=_OWN | WRITE,
)
async def take_my_rating_back(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    slug: FromPath[str],
) -> None:
    """Remove the reader's rating with its review."""
    reader = require_role(user, Role.USER)
    await services.limits.check(service.RATING, str(reader.id))
    seen = await catalogue.see_series(services.lookups, services.db.replica, slug)
    async with services.db.transaction() as tx:
        await service.take_back(tx, services.clock, reader.id, seen.id)


@get(
    "/api/v1/ratings",
    tags=["ratings"],
    summary="One's own ratings",
    before_request=known_filters,
    security=SIGNED_IN,
    opt=READ,
)
async def list_my_ratings(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response[Page[RatedSeries]]:
    """Everything that the reader has rated, the first ratings last."""
    reader = require_role(user, Role.USER)
    secret, newest = services.config.session_secret, RatingSort.NEWEST
    listing = cursors.kind("own-ratings", reader.id)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, newest.key_types)
    rows = await service.own_ratings(
        services.db.primary, reader.id, after=cast("Key | None", after), limit=limit
    )
    page = page_of(
        rows, limit, lambda last: cursors.encode(secret, listing, last.rating.key(newest))
    )
    items = [RatedSeries.of(row) for row in page.items]
    return personal(Page(items, page.next_cursor, page.has_more))


@delete(
    "/api/v1/ratings/{rating_id:str}",
    status_code=HTTP_204_NO_CONTENT,
    tags=["ratings"],
    summary="Strike a rating",
    security=SIGNED_IN,
    opt=MODERATE,
)
async def strike_rating(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    rating_id: FromPath[str],
) -> None:
    """Remove anybody's rating with its review. For moderators."""
    require_role(user, Role.MODERATOR)
    async with services.db.transaction() as tx:
        await service.strike(tx, services.clock, require_uid(rating_id))


routes = [
    list_series_ratings,
    my_rating,
    rate_series,
    take_my_rating_back,
    list_my_ratings,
    strike_rating,
]
