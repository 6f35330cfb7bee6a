"""SQL of stories as other rooms show them beside what is theirs: only those that can be read."""

from collections.abc import Mapping, Sequence
from uuid import UUID

import msgspec

from rensai.kit.db import Query, Reads
from rensai.rooms.catalogue.model import ListedStory
from rensai.rooms.catalogue.store.visible import visible


class _AtAddress(msgspec.Struct, frozen=True):
    id: int
    source: str
    slug: str


class _OfUid(msgspec.Struct, frozen=True):
    id: int
    uid: UUID


CARDS = Query(
    f"""
    SELECT id, uid, kind, source, source_story_id, slug, title, title_original, author_name,
        authors, status, is_nsfw, cover_url, language, original_language, chapter_count,
        word_count, last_chapter_no, view_count, follower_count, rating_avg, rating_count,
        popularity_score, published_at, updated_at_source, created_at, updated_at
    FROM stories
    WHERE id = ANY($1::bigint []) AND {visible()}
    """,
    ListedStory,
)
VISIBLE = Query(
    f"SELECT id FROM stories WHERE id = ANY($1::bigint []) AND {visible()}",
    int,
)
AT_ADDRESSES = Query(
    f"""
    SELECT id, source, slug
    FROM unnest($1::text [], $2::text []) AS wanted (source, slug)
    JOIN stories USING (source, slug)
    WHERE {visible()}
    """,
    _AtAddress,
)
OF_UIDS = Query(
    f"SELECT id, uid FROM stories WHERE uid = ANY($1::uuid []) AND {visible()}",
    _OfUid,
)


async def cards(reads: Reads, story_ids: Sequence[int]) -> list[ListedStory]:
    return await reads.all(CARDS, list(story_ids))


async def visible_among(reads: Reads, story_ids: Sequence[int]) -> list[int]:
    return await reads.all(VISIBLE, list(story_ids))


async def at_addresses(
    reads: Reads, addresses: Sequence[tuple[str, str]]
) -> Mapping[tuple[str, str], int]:
    """By source and slug."""
    sources, slugs = [source for source, _ in addresses], [slug for _, slug in addresses]
    rows = await reads.all(AT_ADDRESSES, sources, slugs)
    return {(row.source, row.slug): row.id for row in rows}


async def of_uids(reads: Reads, uids: list[UUID]) -> Mapping[UUID, int]:
    rows = await reads.all(OF_UIDS, uids)
    return {row.uid: row.id for row in rows}
