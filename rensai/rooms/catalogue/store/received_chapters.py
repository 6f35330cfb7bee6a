"""SQL of receiving chapters: one lookup, then a few statements for the whole batch."""

from datetime import datetime
from decimal import Decimal
from uuid import UUID

import msgspec

from rensai.kit.db import Command, Query, Tx
from rensai.rooms.catalogue.store.columns import columns


class StoryOfChapters(msgspec.Struct, frozen=True):
    """What a chapter takes from its story."""

    id: int
    source_story_id: str
    language: str


class KnownChapter(msgspec.Struct, frozen=True):
    """An ingested chapter as it stands."""

    id: int
    story_id: int
    source_chapter_id: str | None
    chapter_no: Decimal
    slug: str
    title: str
    is_published: bool
    published_at: datetime | None
    announced_at: datetime | None
    updated_at_source: datetime | None
    deleted_at: datetime | None
    word_count: int
    content_hash: bytes | None


class ChapterToWrite(msgspec.Struct, frozen=True):
    """What a chapter is to be; the order is that of the parameters."""

    source_chapter_id: str | None
    chapter_no: Decimal
    slug: str
    title: str
    is_published: bool
    word_count: int
    published_at: datetime | None
    announced_at: datetime | None
    updated_at_source: datetime
    deleted_at: datetime | None


class BodyToWrite(msgspec.Struct, frozen=True):
    """The stored form of a chapter's text; the order is that of the parameters."""

    chapter_id: int
    content_raw: bytes
    content_html: bytes | None
    content_hash: bytes
    content_size: int
    content_encoding: str


class Inserted(msgspec.Struct, frozen=True):
    """A row that was made, found again by the uid that it was given."""

    id: int
    uid: UUID


# Whoever writes to a chapter holds its story, so chapters need no locks of their own, and with
# stories always locked in the order of their ids nobody waits in a circle.
_STORIES = Query(
    """
    SELECT id, source_story_id, language FROM stories
    WHERE source = $1 AND source_story_id = ANY($2::text [])
    ORDER BY id
    FOR NO KEY UPDATE
    """,
    StoryOfChapters,
)
_FIND = Query(
    """
    WITH wanted AS MATERIALIZED (
        SELECT * FROM unnest($1::bigint [], $2::text [], $3::numeric [], $4::text [])
            AS wanted (story_id, source_chapter_id, chapter_no, slug)
    ), found AS (
        SELECT chapters.id FROM wanted JOIN chapters
            ON chapters.story_id = wanted.story_id
            AND chapters.source_chapter_id = wanted.source_chapter_id
        UNION
        SELECT chapters.id FROM wanted JOIN chapters
            ON chapters.story_id = wanted.story_id AND chapters.chapter_no = wanted.chapter_no
            AND chapters.uploader_id IS NULL AND chapters.deleted_at IS NULL
        UNION
        SELECT chapters.id FROM wanted JOIN chapters
            ON chapters.story_id = wanted.story_id AND chapters.chapter_no = wanted.chapter_no
            AND chapters.uploader_id IS NULL AND chapters.deleted_at IS NOT NULL
            AND chapters.source_chapter_id IS NULL
        UNION
        SELECT chapters.id FROM wanted JOIN chapters
            ON chapters.story_id = wanted.story_id AND chapters.slug = wanted.slug
            AND chapters.uploader_id IS NULL AND chapters.deleted_at IS NULL
    )
    SELECT
        chapters.id, story_id, source_chapter_id, chapter_no, slug, title, is_published,
        published_at, announced_at, updated_at_source, deleted_at, word_count, content_hash
    FROM found
    JOIN chapters ON chapters.id = found.id
    LEFT JOIN chapter_bodies ON chapter_bodies.chapter_id = chapters.id
    ORDER BY chapters.id
    """,
    KnownChapter,
)
_COLUMNS = """$2::text [], $3::numeric [], $4::text [], $5::text [], $6::boolean [],
        $7::integer [], $8::timestamptz [], $9::timestamptz [], $10::timestamptz [],
        $11::timestamptz []"""
_NAMES = """source_chapter_id, chapter_no, slug, title, is_published, word_count, published_at,
        announced_at, updated_at_source, deleted_at"""
_INSERT = Query(
    f"""
    INSERT INTO chapters (uid, story_id, language, {_NAMES}, created_at, updated_at)
    SELECT uid, story_id, language, {_NAMES}, $12, $12
    FROM unnest($1::uuid [], {_COLUMNS}, $13::bigint [], $14::text [])
        AS incoming (uid, {_NAMES}, story_id, language)
    ON CONFLICT DO NOTHING
    RETURNING id, uid
    """,
    Inserted,
)
_UPDATE = Command(
    f"""
    UPDATE chapters SET
        source_chapter_id = incoming.source_chapter_id,
        chapter_no = incoming.chapter_no,
        slug = incoming.slug,
        title = incoming.title,
        is_published = incoming.is_published,
        word_count = incoming.word_count,
        published_at = incoming.published_at,
        announced_at = incoming.announced_at,
        updated_at_source = incoming.updated_at_source,
        deleted_at = incoming.deleted_at,
        updated_at = $12
    FROM unnest($1::bigint [], {_COLUMNS}) AS incoming (id, {_NAMES})
    WHERE chapters.id = incoming.id
    """
)
_PARK = Command("UPDATE chapters SET deleted_at = $2 WHERE id = ANY($1::bigint [])")
_CONFIRM = Query(
    """
    UPDATE chapters SET updated_at_source = seen.at
    FROM unnest($1::bigint [], $2::timestamptz []) AS seen (id, at)
    WHERE chapters.id = seen.id
    RETURNING chapters.story_id
    """,
    int,
)
_BODIES = Command(
    """
    INSERT INTO chapter_bodies (
        chapter_id, content_raw, content_html, content_hash, content_size, content_encoding,
        created_at, updated_at
    )
    SELECT incoming.*, $7, $7
    FROM unnest(
        $1::bigint [], $2::bytea [], $3::bytea [], $4::bytea [], $5::integer [], $6::text []
    ) AS incoming
    ON CONFLICT (chapter_id) DO UPDATE SET
        content_raw = excluded.content_raw,
        content_html = excluded.content_html,
        content_hash = excluded.content_hash,
        content_size = excluded.content_size,
        content_encoding = excluded.content_encoding,
        updated_at = excluded.updated_at
    """
)
_CHANGED_STORIES = Command(
    """
    UPDATE stories SET cache_version = cache_version + 1, updated_at = $2
    WHERE id = ANY($1::bigint [])
    """
)


async def stories(tx: Tx, source: str, ids: list[str]) -> list[StoryOfChapters]:
    """The stories with these ids, held until the transaction ends."""
    return await tx.all(_STORIES, source, ids)


async def find(
    tx: Tx,
    story_ids: list[int],
    source_ids: list[str | None],
    numbers: list[Decimal | None],
    slugs: list[str],
) -> list[KnownChapter]:
    """Every chapter that has one of these ids, numbers or slugs."""
    return await tx.all(_FIND, story_ids, source_ids, numbers, slugs)


async def insert(
    tx: Tx,
    uids: list[UUID],
    stories: list[StoryOfChapters],
    chapters: list[ChapterToWrite],
    now: datetime,
) -> dict[UUID, int]:
    """Make these chapters; one that is not in the answer was refused by a unique index."""
    made = await tx.all(
        _INSERT,
        uids,
        *columns(chapters),
        now,
        [story.id for story in stories],
        [story.language for story in stories],
    )
    return {row.uid: row.id for row in made}


async def update(
    tx: Tx, chapter_ids: list[int], chapters: list[ChapterToWrite], now: datetime
) -> None:
    await tx.run(_UPDATE, chapter_ids, *columns(chapters), now)


async def park(tx: Tx, chapter_ids: list[int], now: datetime) -> None:
    """Free the numbers and slugs of rows that get others in this transaction."""
    await tx.run(_PARK, chapter_ids, now)


async def confirm(tx: Tx, seen: dict[int, datetime]) -> set[int]:
    """Note that a source has said the same again, later; the stories of those chapters."""
    return set(await tx.all(_CONFIRM, list(seen), list(seen.values())))


async def write_bodies(tx: Tx, bodies: list[BodyToWrite], now: datetime) -> None:
    await tx.run(_BODIES, *columns(bodies), now)


async def changed_stories(tx: Tx, story_ids: list[int], now: datetime) -> None:
    """Note that chapters of these stories have changed."""
    await tx.run(_CHANGED_STORIES, story_ids, now)
