"""SQL of the other names and the genres of stories."""

from datetime import datetime

import msgspec

from rensai.kit.db import Command, Query, Tx
from rensai.rooms.catalogue.store.columns import columns


class Alias(msgspec.Struct, frozen=True):
    """Another name of a story."""

    story_id: int
    alias: str
    folded: str


class Genre(msgspec.Struct, frozen=True):
    """An entry of the dictionary."""

    id: int
    slug: str
    name: str


class OfGenre(msgspec.Struct, frozen=True):
    """That a story is of a genre."""

    story_id: int
    genre_id: int


_ALIASES = Query(
    """
    SELECT story_id, alias, folded FROM story_aliases
    WHERE story_id = ANY($1::bigint [])
    ORDER BY id
    """,
    Alias,
)
_CLEAR_ALIASES = Command("DELETE FROM story_aliases WHERE story_id = ANY($1::bigint [])")
_ADD_ALIASES = Command(
    """
    INSERT INTO story_aliases (story_id, alias, folded)
    SELECT story_id, alias, folded
    FROM unnest($1::bigint [], $2::text [], $3::text []) AS given (story_id, alias, folded)
    """
)
_FIND_GENRES = Query(
    "SELECT id, slug, name FROM genres WHERE slug = ANY($1::text []) OR name = ANY($2::text [])",
    Genre,
)
# In the order of the slugs: two who add the same genres wait for each other in one direction.
_ADD_GENRES = Command(
    """
    INSERT INTO genres (slug, name, created_at)
    SELECT slug, name, $3 FROM unnest($1::text [], $2::text []) AS given (slug, name)
    ORDER BY slug
    ON CONFLICT DO NOTHING
    """
)
_STORY_GENRES = Query(
    "SELECT story_id, genre_id FROM story_genres WHERE story_id = ANY($1::bigint [])", OfGenre
)
_CLEAR_GENRES = Command("DELETE FROM story_genres WHERE story_id = ANY($1::bigint [])")
_ADD_STORY_GENRES = Command(
    """
    INSERT INTO story_genres (story_id, genre_id)
    SELECT story_id, genre_id
    FROM unnest($1::bigint [], $2::bigint []) AS given (story_id, genre_id)
    """
)


async def aliases(tx: Tx, story_ids: list[int]) -> list[Alias]:
    return await tx.all(_ALIASES, story_ids)


async def replace_aliases(tx: Tx, story_ids: list[int], given: list[Alias]) -> None:
    """Let these stories have these aliases and no others."""
    await tx.run(_CLEAR_ALIASES, story_ids)
    if given:
        await tx.run(_ADD_ALIASES, *columns(given))


async def find_genres(tx: Tx, slugs: list[str], names: list[str]) -> list[Genre]:
    return await tx.all(_FIND_GENRES, slugs, names)


async def add_genres(tx: Tx, slugs: list[str], names: list[str], now: datetime) -> None:
    """Add what is missing to the dictionary; somebody else may do so at the same moment."""
    await tx.run(_ADD_GENRES, slugs, names, now)


async def story_genres(tx: Tx, story_ids: list[int]) -> list[OfGenre]:
    return await tx.all(_STORY_GENRES, story_ids)


async def replace_story_genres(tx: Tx, story_ids: list[int], given: list[OfGenre]) -> None:
    """Let these stories be of these genres and no others."""
    await tx.run(_CLEAR_GENRES, story_ids)
    if given:
        await tx.run(_ADD_STORY_GENRES, *columns(given))
