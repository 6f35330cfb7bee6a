"""The words of ratings."""

from collections.abc import Sequence
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum
from uuid import UUID

import msgspec

from rensai.rooms.catalogue.door import ListedStory
from rensai.rooms.readers.door import Person

LOWEST, HIGHEST = 1, 10
LONGEST_REVIEW = 2000


class RatingSort(Enum):
    """The orders in which the ratings of a story are listed; the newest first of equal ones."""

    NEWEST = "newest"
    HIGHEST = "highest"
    LOWEST = "lowest"

    @property
    def key_types(self) -> tuple[type, ...]:
        """The types in a `RatingKey` of this order."""
        return (datetime, int) if self is RatingSort.NEWEST else (int, datetime, int)


RatingKey = tuple[object, ...]
"""Where a rating stands in its list: what it is sorted by, and the id that breaks ties."""


class Rating(msgspec.Struct, frozen=True):
    """What one reader thinks of one story."""

    id: int
    uid: UUID
    user_id: int
    story_id: int
    score: int
    review_text: str | None
    created_at: datetime
    updated_at: datetime

    def key(self, sort: RatingSort) -> RatingKey:
        """Where it stands in a list of that order."""
        if sort is RatingSort.NEWEST:
            return self.created_at, self.id
        # Every list is read from its end, so the lowest score is the largest key.
        score = self.score if sort is RatingSort.HIGHEST else -self.score
        return score, self.created_at, self.id


class SignedRating(msgspec.Struct, frozen=True):
    """A rating as others see it."""

    rating: Rating
    author: Person | None
    """None when the account is closed."""


class RatedStory(msgspec.Struct, frozen=True):
    """A rating as its author sees it."""

    rating: Rating
    story: ListedStory


class Summary(msgspec.Struct, frozen=True):
    """What readers think of a story all together, as of the last count."""

    distribution: Sequence[int]
    """How many ratings there are of each score, from the lowest."""

    @property
    def count(self) -> int:
        return sum(self.distribution)

    @property
    def average(self) -> Decimal | None:
        """With two decimals; None when nobody has rated."""
        if not self.count:
            return None
        total = sum(score * count for score, count in enumerate(self.distribution, LOWEST))
        return (Decimal(total) / self.count).quantize(Decimal("0.01"), ROUND_HALF_UP)


NO_RATINGS = Summary((0,) * HIGHEST)
