"""What search knows of a story: the one function that makes an entry of the catalogue's facts."""

import hashlib
from collections.abc import Iterable

import msgspec

from rensai.rooms.catalogue.door import StoryFacts
from rensai.rooms.search.adapters.parameters import as_name
from rensai.rooms.search.adapters.words import as_vector, vocabulary, words_of
from rensai.rooms.search.model import (
    CUSTOM,
    LONGEST_INDEXED,
    LONGEST_SUMMARY,
    STATUSES,
    Card,
    Entry,
    FacetValue,
)

BUILT_IN = ("fandom", "warning")
"""Taxonomies of the catalogue whose facets have no prefix."""

_encode = msgspec.msgpack.Encoder().encode


def entry_of(story: StoryFacts) -> Entry:
    """The entry of one story."""
    facets = list(_facets(story))
    titles = [story.title, *([story.title_original] if story.title_original else [])]
    titles += story.aliases
    authors = [*story.authors, *story.artists]
    named = [*story.tags, *story.hidden_tags, *(genre.name for genre in story.genres)]
    named += [genre.slug for genre in story.genres]
    named += [term.name for term in story.terms]
    words = as_vector(
        titles=titles,
        authors=authors,
        tags=named,
        summary=story.summary,
        longest_summary=LONGEST_INDEXED,
    )
    card = _card(story)
    return Entry(
        card=card,
        title_length=min(len(words_of(story.title)), 255),
        facets=facets,
        words=words,
        vocabulary=list(dict.fromkeys(vocabulary(titles, authors))),
        digest=_digest(_encode((card, facets))),
        words_digest=_digest(words.encode()),
    )


def _facets(story: StoryFacts) -> Iterable[FacetValue]:
    yield FacetValue("language", story.language, story.language)
    yield FacetValue("status", STATUSES[story.status], STATUSES[story.status])
    yield FacetValue("kind", story.kind, story.kind)
    yield FacetValue("source", story.source, story.source)
    if story.age_rating is not None:
        yield FacetValue("age", story.age_rating, story.age_rating)
    for genre in story.genres:
        yield FacetValue("genre", genre.slug, genre.name)
    for term in story.terms:
        facet = term.taxonomy if term.taxonomy in BUILT_IN else CUSTOM + term.taxonomy
        yield FacetValue(facet, term.slug, term.name)
    yield from _named("author", story.authors)
    yield from _named("tag", story.tags)


def _named(facet: str, names: list[str]) -> Iterable[FacetValue]:
    seen: set[str] = set()
    for name in names:
        value = as_name(name)
        if value and value not in seen:
            seen.add(value)
            yield FacetValue(facet, value, name)


def _card(story: StoryFacts) -> Card:
    return Card(
        story_id=story.id,
        uid=story.uid,
        kind=story.kind,
        source=story.source,
        source_story_id=story.source_story_id,
        slug=story.slug,
        title=story.title,
        title_original=story.title_original,
        aliases=story.aliases,
        authors=story.authors,
        artists=story.artists,
        status=story.status,
        is_nsfw=story.is_nsfw,
        age_rating=story.age_rating,
        cover_url=story.cover_url,
        summary=story.summary[:LONGEST_SUMMARY],
        language=story.language,
        original_language=story.original_language,
        genre_slugs=[genre.slug for genre in story.genres],
        genre_names=[genre.name for genre in story.genres],
        tags=story.tags,
        translation_group=story.translation_group,
        translation_count=story.translation_count,
        chapter_count=story.chapter_count,
        word_count=story.word_count,
        last_chapter_no=story.last_chapter_no,
        popularity_score=story.popularity_score,
        rating_avg=story.rating_avg,
        rating_count=story.rating_count,
        follower_count=story.follower_count,
        published_at=story.published_at,
        created_at=story.created_at,
        updated_at=story.updated_at,
    )


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()
