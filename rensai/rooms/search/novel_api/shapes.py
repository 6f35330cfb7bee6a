"""What the list of stories over the novel API tells of each."""

from datetime import datetime
from decimal import Decimal
from uuid import UUID

from msgspec import Struct

from rensai.rooms.catalogue.door import ListedStory
from rensai.rooms.search.model import Card, Hit


class NovelListedWarning(Struct, frozen=True):
    """What readers are warned of."""

    slug: str
    name: str


class NovelListedStory(Struct, frozen=True):
    """A story as a row of a list."""

    id: int
    uid: UUID
    kind: str
    source: str
    source_story_id: str
    slug: str
    title: str
    title_original: str | None
    author_name: str | None
    authors: list[str]
    status: int
    cover_url: str | None
    language: str
    original_language: str | None
    is_nsfw: bool
    age_rating: str | None
    warnings: list[NovelListedWarning]
    chapter_count: int
    word_count: int
    last_chapter_no: float | None
    popularity_score: float
    rating_avg: float | None
    rating_count: int
    view_count: int
    follower_count: int
    published_at: datetime | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, story: ListedStory) -> "NovelListedStory":
        warnings = [NovelListedWarning(slug, name) for slug, name in story.warnings]
        return _row(story, story.id, story.view_count, warnings)

    @classmethod
    def of_hit(cls, hit: Hit) -> "NovelListedStory":
        warnings = [NovelListedWarning(one.value, one.label) for one in hit.warnings]
        return _row(hit.card, hit.card.story_id, hit.view_count, warnings)


def _row(
    story: ListedStory | Card, id_: int, view_count: int, warnings: list[NovelListedWarning]
) -> NovelListedStory:
    return NovelListedStory(
        id=id_,
        view_count=view_count,
        warnings=warnings,
        uid=story.uid,
        kind=story.kind,
        source=story.source,
        source_story_id=story.source_story_id,
        slug=story.slug,
        title=story.title,
        title_original=story.title_original,
        author_name=story.authors[0] if story.authors else None,
        authors=story.authors,
        status=story.status,
        cover_url=story.cover_url,
        language=story.language,
        original_language=story.original_language,
        is_nsfw=story.is_nsfw,
        age_rating=story.age_rating,
        chapter_count=story.chapter_count,
        word_count=story.word_count,
        last_chapter_no=_float(story.last_chapter_no),
        popularity_score=float(story.popularity_score),
        rating_avg=_float(story.rating_avg),
        rating_count=story.rating_count,
        follower_count=story.follower_count,
        published_at=story.published_at,
        created_at=story.created_at,
        updated_at=story.updated_at,
    )


def _float(number: Decimal | None) -> float | None:
    return None if number is None else float(number)
