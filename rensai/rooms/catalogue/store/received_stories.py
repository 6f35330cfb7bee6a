"""SQL of receiving stories: one lookup, then a few statements for the whole batch."""

from datetime import datetime
from uuid import UUID

import msgspec

from rensai.kit.db import Command, Query, Tx
from rensai.rooms.catalogue.store.columns import columns


class KnownStory(msgspec.Struct, frozen=True):
    """A story of a source as it stands."""

    id: int
    source_story_id: str
    slug: str
    title: str
    title_original: str | None
    author_name: str | None
    status: int
    cover_url: str | None
    summary: str
    language: str
    updated_at_source: datetime | None
    deleted_at: datetime | None


class StoryToWrite(msgspec.Struct, frozen=True):
    """What a story is to be; the order is that of the parameters."""

    slug: str
    title: str
    title_original: str | None
    author_name: str | None
    status: int
    cover_url: str | None
    summary: str
    language: str
    updated_at_source: datetime
    deleted_at: datetime | None


class Held(msgspec.Struct, frozen=True):
    """A slug that is taken."""

    id: int
    slug: str


class Inserted(msgspec.Struct, frozen=True):
    """A row that was made, found again by the uid that it was given."""

    id: int
    uid: UUID


# Everybody who writes stories of one source does so one after another: new rows cannot be locked
# before they are there, and two batches could wait for each other's slugs.
_LOCK_SOURCE = Query(
    "SELECT pg_advisory_xact_lock(hashtextextended($1, 7310576410911003))::text AS locked", str
)
_FIND = Query(
    """
    SELECT
        id, source_story_id, slug, title, title_original, author_name, status, cover_url, summary,
        language, updated_at_source, deleted_at
    FROM stories
    WHERE source = $1 AND source_story_id = ANY($2::text [])
    ORDER BY id
    FOR NO KEY UPDATE
    """,
    KnownStory,
)
_HELD = Query(
    """
    SELECT id, slug FROM stories
    WHERE source = $1 AND slug = ANY($2::text []) AND deleted_at IS NULL
    """,
    Held,
)
_COLUMNS = """$3::text [], $4::text [], $5::text [], $6::text [], $7::smallint [], $8::text [],
        $9::text [], $10::text [], $11::timestamptz [], $12::timestamptz []"""
_NAMES = """slug, title, title_original, author_name, status, cover_url, summary, language,
        updated_at_source, deleted_at"""
_INSERT = Query(
    f"""
    INSERT INTO stories (
        uid, kind, source, source_story_id, slug, title, title_original, authors, status,
        cover_url, summary, language, updated_at_source, deleted_at, cache_version,
        created_at, updated_at, is_public
    )
    SELECT
        uid, 'novel', $13, source_story_id, slug, title, title_original,
        CASE WHEN author_name IS NULL THEN '{{}}' ELSE ARRAY[author_name] END, status,
        cover_url, summary, language, updated_at_source, deleted_at, 1, $14, $14,
        coalesce((SELECT is_public FROM source_policies WHERE source = $13), true)
    FROM unnest($1::uuid [], $2::text [], {_COLUMNS})
        AS incoming (uid, source_story_id, {_NAMES})
    ORDER BY source_story_id
    ON CONFLICT DO NOTHING
    RETURNING id, uid
    """,
    Inserted,
)
_UPDATE = Command(
    f"""
    UPDATE stories SET
        slug = incoming.slug,
        title = incoming.title,
        title_original = incoming.title_original,
        authors = CASE
            WHEN incoming.author_name IS NOT DISTINCT FROM stories.author_name THEN stories.authors
            WHEN incoming.author_name IS NULL THEN '{{}}'
            ELSE ARRAY[incoming.author_name]
        END,
        status = incoming.status,
        cover_url = incoming.cover_url,
        summary = incoming.summary,
        language = incoming.language,
        updated_at_source = incoming.updated_at_source,
        deleted_at = incoming.deleted_at,
        cache_version = stories.cache_version + 1,
        updated_at = $2
    FROM unnest($1::bigint [], {_COLUMNS}) AS incoming (id, {_NAMES})
    WHERE stories.id = incoming.id
    """
)
_PARK = Command("UPDATE stories SET deleted_at = $2 WHERE id = ANY($1::bigint [])")
_CONFIRM = Command(
    """
    UPDATE stories SET updated_at_source = seen.at, cache_version = cache_version + 1
    FROM unnest($1::bigint [], $2::timestamptz []) AS seen (id, at)
    WHERE stories.id = seen.id
    """
)

_RELABEL_CHAPTERS = Command(
    """
    UPDATE chapters SET language = stories.language, updated_at = $2
    FROM stories
    WHERE stories.id = ANY($1::bigint []) AND chapters.story_id = stories.id
        AND chapters.uploader_id IS NULL AND chapters.language <> stories.language
    """
)


async def lock_source(tx: Tx, source: str) -> None:
    """Be the only one who writes stories of this source until the transaction ends."""
    await tx.first(_LOCK_SOURCE, source)


async def find(tx: Tx, source: str, ids: list[str]) -> list[KnownStory]:
    """The stories with these ids, held until the transaction ends."""
    return await tx.all(_FIND, source, ids)


async def held_slugs(tx: Tx, source: str, slugs: list[str]) -> list[Held]:
    return await tx.all(_HELD, source, slugs)


async def insert(
    tx: Tx,
    source: str,
    stories: dict[UUID, tuple[str, StoryToWrite]],
    *,
    now: datetime,
) -> dict[UUID, int]:
    """Make these stories, each with its uid and its id at the source, as open as the source is.

    One that is not in the answer was refused by a unique index.
    """
    ids, written = zip(*stories.values(), strict=True)
    made = await tx.all(_INSERT, list(stories), ids, *columns(written), source, now)
    return {row.uid: row.id for row in made}


async def update(tx: Tx, story_ids: list[int], stories: list[StoryToWrite], now: datetime) -> None:
    await tx.run(_UPDATE, story_ids, now, *columns(stories))


async def relabel_chapters(tx: Tx, story_ids: list[int], now: datetime) -> None:
    """Let the ingested chapters of these stories be in the language of their story."""
    await tx.run(_RELABEL_CHAPTERS, story_ids, now)


async def park(tx: Tx, story_ids: list[int], now: datetime) -> None:
    """Free the slugs of rows that get others in this transaction."""
    await tx.run(_PARK, story_ids, now)


async def confirm(tx: Tx, seen: dict[int, datetime]) -> None:
    """Note that a source has said the same again, later."""
    await tx.run(_CONFIRM, list(seen), list(seen.values()))
