"""A chapter of a bulk request."""

import hashlib
from datetime import datetime
from decimal import Decimal

import msgspec
from msgspec import UNSET, UnsetType

from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.ingest.adapters import fields
from rensai.rooms.ingest.adapters.fields import Rejected, Text
from rensai.rooms.ingest.adapters.references import reference
from rensai.rooms.ingest.model import ChapterPayload, NewJob

MOST_BODY = 256 * 1024


class _Chapter(msgspec.Struct, frozen=True):
    """What was sent, before it is judged; fields that are not known are passed over."""

    source_story_id: Text = UNSET
    chapter_no: int | float | UnsetType | None = UNSET
    slug: Text = UNSET
    title: Text = UNSET
    content_raw: Text = UNSET
    updated_at_source: Text = UNSET
    source_chapter_id: Text = UNSET
    published_at: Text = UNSET
    is_published: bool | int | UnsetType | None = UNSET
    deleted: bool | None = False


_DECODER = msgspec.json.Decoder(_Chapter)
_ENCODER = msgspec.json.Encoder()


def chapter_job(item: msgspec.Raw, index: int, now: datetime) -> NewJob:
    """The job for a chapter, its body packed as it will be stored; or Rejected."""
    sent = _DECODER.decode(item)
    if sent.deleted:
        return _deletion(sent, index, now)
    payload = _chapter(sent, now)
    body = catalogue.prepare_body(*fields.body("content_raw", sent.content_raw, MOST_BODY))
    encoded = _ENCODER.encode(payload)
    return NewJob(
        external_ref=_reference(payload),
        item_index=index,
        updated_at_source=payload.updated_at_source,
        payload=encoded,
        payload_hash=hashlib.sha256(encoded + body.hash).digest(),
        body=body.raw,
        body_html=body.html,
        body_hash=body.hash,
        body_size=body.size,
        words=body.words,
        encoding=body.encoding,
    )


def _chapter(sent: _Chapter, now: datetime) -> ChapterPayload:
    return ChapterPayload(
        source_story_id=fields.identifier("source_story_id", sent.source_story_id),
        source_chapter_id=_chapter_id(sent),
        chapter_no=fields.number("chapter_no", sent.chapter_no),
        slug=fields.slug("slug", sent.slug),
        title=fields.line("title", sent.title, 255),
        updated_at_source=fields.moment("updated_at_source", sent.updated_at_source, now),
        published_at=fields.optional_moment("published_at", sent.published_at, now),
        is_published=_published(sent.is_published),
    )


def _deletion(sent: _Chapter, index: int, now: datetime) -> NewJob:
    """A deletion names the chapter by its id, or by its number where it has none."""
    chapter_id = _chapter_id(sent)
    named = chapter_id is not None and (sent.chapter_no is UNSET or sent.chapter_no is None)
    payload = ChapterPayload(
        source_story_id=fields.identifier("source_story_id", sent.source_story_id),
        source_chapter_id=chapter_id,
        chapter_no=None if named else fields.number("chapter_no", sent.chapter_no),
        updated_at_source=fields.moment("updated_at_source", sent.updated_at_source, now),
        deleted=True,
    )
    encoded = _ENCODER.encode(payload)
    return NewJob(
        external_ref=_reference(payload),
        item_index=index,
        updated_at_source=payload.updated_at_source,
        payload=encoded,
        payload_hash=hashlib.sha256(encoded).digest(),
    )


def _chapter_id(sent: _Chapter) -> str | None:
    """The sender's id of the chapter, if there is one; an empty one is none."""
    if not sent.source_chapter_id or sent.source_chapter_id is UNSET:
        return None
    return fields.identifier("source_chapter_id", sent.source_chapter_id)


def _published(value: bool | int | UnsetType | None) -> bool | UnsetType:  # noqa: FBT001 - as sent
    if value is UNSET or value is None:
        return UNSET
    if value not in {0, 1}:
        raise Rejected("is_published", "must be true or false")
    return bool(value)


def _reference(payload: ChapterPayload) -> str:
    """By id, or by number. A number is marked; an id that looks so marked is marked otherwise."""
    story, chapter = payload.source_story_id, payload.source_chapter_id
    if chapter is None:
        return reference(story, f"#{(payload.chapter_no or Decimal(0)).normalize():f}")
    return reference(story, "", chapter) if chapter.startswith("#") else reference(story, chapter)
