"""What search answers over `/api/v1`."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from rensai.rooms.search.model import STATUSES, CountedFacet, Found, Hit, Suggestion


class Named(Struct, frozen=True):
    """Something by its slug and its name."""

    slug: str
    name: str


class FoundSeries(Struct, frozen=True, rename="camel"):
    """A story that was found: everything that a card shows."""

    id: UUID
    slug: str
    title: str
    original_title: str | None
    alternative_titles: list[str]
    content_type: str
    status: str
    source: str
    language: str
    original_language: str | None
    authors: list[str]
    artists: list[str]
    genres: list[Named]
    tags: list[str]
    age: str | None
    is_nsfw: bool
    warnings: list[Named]
    description: str
    cover_url: str | None
    chapter_count: int
    word_count: int
    last_chapter: float | None
    view_count: int
    follower_count: int
    rating: float | None
    rating_count: int
    translation_group: UUID | None
    translation_count: int
    created_at: datetime
    updated_at: datetime
    highlights: dict[str, str]


class FacetCount(Struct, frozen=True, rename="camel"):
    """A value of a facet, and how many stories there are with it."""

    value: str
    label: str
    count: int
    selected: bool


class FacetCounts(Struct, frozen=True, rename="camel"):
    """A facet with its most frequent values; `more` says how many others there are."""

    label: str
    multiple: bool
    values: list[FacetCount]
    more: int


class SearchPage(Struct, frozen=True, rename="camel"):
    """What was found: a page of it, and counts over all of it."""

    items: list[FoundSeries]
    next_cursor: str | None
    has_more: bool
    total: int
    sort: str
    corrected: str | None
    facets: dict[str, FacetCounts]


class FacetsPage(Struct, frozen=True, rename="camel"):
    """Every facet with counts over everything that can be read here."""

    total: int
    facets: dict[str, FacetCounts]


class Suggested(Struct, frozen=True, rename="camel"):
    """Something that a reader who is typing may mean."""

    kind: str
    text: str
    slug: str
    highlighted: str


class Suggestions(Struct, frozen=True):
    """What to offer below a search box."""

    items: list[Suggested]


def found_series(hit: Hit) -> FoundSeries:
    """A hit as it is answered."""
    card = hit.card
    return FoundSeries(
        id=card.uid,
        slug=card.public_slug,
        title=card.title,
        original_title=card.title_original,
        alternative_titles=card.aliases,
        content_type=card.kind,
        status=STATUSES[card.status],
        source=card.source,
        language=card.language,
        original_language=card.original_language,
        authors=card.authors,
        artists=card.artists,
        genres=list(map(Named, card.genre_slugs, card.genre_names)),
        tags=card.tags,
        age=card.age_rating,
        is_nsfw=card.is_nsfw,
        warnings=[Named(one.value, one.label) for one in hit.warnings],
        description=card.summary,
        cover_url=card.cover_url,
        chapter_count=card.chapter_count,
        word_count=card.word_count,
        last_chapter=None if card.last_chapter_no is None else float(card.last_chapter_no),
        view_count=hit.view_count,
        follower_count=card.follower_count,
        rating=None if card.rating_avg is None else float(card.rating_avg),
        rating_count=card.rating_count,
        translation_group=card.translation_group,
        translation_count=card.translation_count,
        created_at=card.created_at,
        updated_at=card.updated_at,
        highlights=hit.highlights,
    )


def facet_counts(facets: dict[str, CountedFacet]) -> dict[str, FacetCounts]:
    """Counted facets as they are answered."""
    return {
        name: FacetCounts(
            facet.label,
            facet.is_multiple,
            [FacetCount(one.value, one.label, one.count, one.selected) for one in facet.values],
            facet.more,
        )
        for name, facet in facets.items()
    }


def search_page(found: Found, next_cursor: str | None) -> SearchPage:
    """An answer to a question as it is sent."""
    return SearchPage(
        items=[found_series(hit) for hit in found.hits],
        next_cursor=next_cursor,
        has_more=found.has_more,
        total=found.total,
        sort=found.sort.value,
        corrected=found.corrected,
        facets=facet_counts(found.facets),
    )


def suggested(one: Suggestion) -> Suggested:
    """A suggestion as it is answered."""
    return Suggested(one.kind, one.text, one.slug, one.highlighted)
