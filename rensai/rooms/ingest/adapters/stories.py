"""A story of a bulk request."""

import hashlib
from datetime import datetime

import msgspec
from msgspec import UNSET, UnsetType

from rensai.rooms.ingest.adapters import fields
from rensai.rooms.ingest.adapters.fields import Rejected, Text
from rensai.rooms.ingest.adapters.references import reference
from rensai.rooms.ingest.model import NewJob, StoryPayload

MOST_SUMMARY = 200_000
MOST_ALIASES = 100
MOST_GENRES = 50

Names = list[str] | None | UnsetType


class _Story(msgspec.Struct, frozen=True):
    """What was sent, before it is judged; fields that are not known are passed over."""

    source_story_id: Text = UNSET
    slug: Text = UNSET
    title: Text = UNSET
    updated_at_source: Text = UNSET
    title_original: Text = UNSET
    author_name: Text = UNSET
    status: int | UnsetType | None = UNSET
    cover_url: Text = UNSET
    summary: Text = UNSET
    language: Text = UNSET
    aliases: Names = UNSET
    genres: Names = UNSET
    deleted: bool | None = False


_DECODER = msgspec.json.Decoder(_Story)
_ENCODER = msgspec.json.Encoder()


def story_job(item: msgspec.Raw, index: int, now: datetime) -> NewJob:
    """The job for a story, or Rejected."""
    sent = _DECODER.decode(item)
    payload = _deletion(sent, now) if sent.deleted else _story(sent, now)
    encoded = _ENCODER.encode(payload)
    return NewJob(
        external_ref=reference(payload.source_story_id),
        item_index=index,
        updated_at_source=payload.updated_at_source,
        payload=encoded,
        payload_hash=hashlib.sha256(encoded).digest(),
    )


def _deletion(sent: _Story, now: datetime) -> StoryPayload:
    return StoryPayload(
        source_story_id=fields.identifier("source_story_id", sent.source_story_id),
        updated_at_source=fields.moment("updated_at_source", sent.updated_at_source, now),
        deleted=True,
    )


def _story(sent: _Story, now: datetime) -> StoryPayload:
    return StoryPayload(
        source_story_id=fields.identifier("source_story_id", sent.source_story_id),
        slug=fields.slug("slug", sent.slug),
        title=fields.line("title", sent.title, 255),
        updated_at_source=fields.moment("updated_at_source", sent.updated_at_source, now),
        title_original=fields.optional_line("title_original", sent.title_original, 255),
        author_name=fields.optional_line("author_name", sent.author_name, 191),
        status=_status(sent.status),
        cover_url=fields.address("cover_url", sent.cover_url, 1024),
        summary=fields.prose("summary", sent.summary, MOST_SUMMARY),
        language=fields.language("language", sent.language),
        aliases=fields.several("aliases", sent.aliases, MOST_ALIASES, 255),
        genres=fields.several("genres", sent.genres, MOST_GENRES, 120),
    )


def _status(value: int | UnsetType | None) -> int | UnsetType:
    if value is UNSET or value is None:
        return UNSET
    if not 0 <= value <= 4:
        raise Rejected("status", "must be a whole number from 0 to 4")
    return value
