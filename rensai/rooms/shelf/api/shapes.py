"""What `/api/v1` tells beside what a reader thinks of a series."""

from uuid import UUID

from msgspec import Struct

from rensai.kit.errors import NotFound
from rensai.rooms.catalogue.door import STATUSES, ListedStory
from rensai.rooms.readers.door import Person

PRIVATE = {"Cache-Control": "private, no-store"}
"""The headers of an answer that is for one reader alone."""

READ = {"scope": "library:read"}
WRITE = {"scope": "library:write"}
MODERATE = {"scope": "moderate:write"}
"""The rights that a token needs."""


class Someone(Struct, frozen=True, rename="camel"):
    """Somebody who has written something."""

    id: UUID
    username: str
    display_name: str

    @classmethod
    def of(cls, person: Person | None) -> "Someone | None":
        return None if person is None else cls(person.uid, person.username, person.display_name)


class SeriesCard(Struct, frozen=True, rename="camel"):
    """A series beside what a reader has of it."""

    id: UUID
    slug: str
    title: str
    content_type: str
    status: str
    language: str
    authors: list[str]
    cover_url: str | None
    is_nsfw: bool
    chapter_count: int
    last_chapter: float | None
    rating: float | None
    rating_count: int
    follower_count: int

    @classmethod
    def of(cls, story: ListedStory) -> "SeriesCard":
        return cls(
            id=story.uid,
            slug=story.public_slug,
            title=story.title,
            content_type=story.kind,
            status=STATUSES[story.status],
            language=story.language,
            authors=story.authors,
            cover_url=story.cover_url,
            is_nsfw=story.is_nsfw,
            chapter_count=story.chapter_count,
            last_chapter=None if story.last_chapter_no is None else float(story.last_chapter_no),
            rating=None if story.rating_avg is None else float(story.rating_avg),
            rating_count=story.rating_count,
            follower_count=story.follower_count,
        )


def require_uid(text: str, missing: type[NotFound] = NotFound) -> UUID:
    """A public id; what is no id at all is told like one that nobody has."""
    try:
        return UUID(text)
    except ValueError:
        raise missing from None
