"""Stories for tests: a few by hand, or many at once."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from rensai.kit.db import Command, Database
from rensai.kit.ids import new_uid

MORNING = datetime(2026, 5, 4, 8, tzinfo=UTC)

_ADD = Command(
    """
    INSERT INTO stories (
        uid, kind, source, source_story_id, slug, title, language, status, is_nsfw, authors,
        popularity_score, published_at, created_at, updated_at, deleted_at, chapter_count
    ) VALUES ($1, $2, $3, $4, $4, $5, 'vi', $6, false, $7, $8, $9, $10, $11, $12, $13)
    """
)
_ADD_MANY = Command(
    """
    INSERT INTO stories (
        uid, kind, source, source_story_id, slug, title, language, status, authors,
        popularity_score, published_at, created_at, updated_at, deleted_at
    )
    SELECT
        gen_random_uuid(), 'novel', CASE WHEN n % 10 = 0 THEN 'local' ELSE 'truyen' END,
        'story-' || n, 'story-' || n, 'Story ' || n, 'vi', n % 5, ARRAY['Author ' || n % 500],
        n % 997, CASE WHEN n % 3 > 0 THEN $2::timestamptz - n * interval '1 hour' END,
        $2::timestamptz, $2::timestamptz - (n * 7919 % 1000003) * interval '1 second',
        CASE WHEN n % 20 = 0 THEN $2::timestamptz END
    FROM generate_series(1, $1::int) AS n
    """
)
_ANALYSE = Command("ANALYZE stories")


async def add_story(
    database: Database,
    slug: str,
    *,
    source: str = "local",
    kind: str = "novel",
    title: str | None = None,
    status: int = 1,
    authors: Sequence[str] = (),
    popularity: int = 0,
    published_at: datetime | None = None,
    created_at: datetime = MORNING,
    updated_at: datetime = MORNING,
    deleted: bool = False,
    chapters: int = 0,
) -> None:
    """Add one story as it stands after a recount."""
    async with database.transaction() as tx:
        await tx.run(
            _ADD,
            new_uid(),
            kind,
            source,
            slug,
            title or slug.replace("-", " ").title(),
            status,
            list(authors),
            popularity,
            published_at,
            created_at,
            updated_at,
            MORNING if deleted else None,
            chapters,
        )


async def fill(database: Database, count: int) -> None:
    """Add many stories, of two sources and every status, with many equal sort keys."""
    async with database.transaction(timedelta(minutes=2)) as tx:
        await tx.run(_ADD_MANY, count, MORNING)
    async with database.transaction() as tx:
        await tx.run(_ANALYSE)
