"""SQL of taxonomies and their terms."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.catalogue.model import Taxonomy, TermInUse


class KnownTaxonomy(msgspec.Struct, frozen=True):
    """A taxonomy as it stands."""

    id: int
    slug: str
    name: str
    is_multiple: bool
    is_builtin: bool


class KnownTerm(msgspec.Struct, frozen=True):
    """A term as it stands."""

    id: int
    slug: str
    name: str


_LIST = Query(
    """
    SELECT slug, name, is_multiple, is_builtin FROM taxonomies
    ORDER BY NOT is_builtin, name, slug
    """,
    Taxonomy,
)
_COLUMNS = "id, slug, name, is_multiple, is_builtin"
_FIND = Query(f"SELECT {_COLUMNS} FROM taxonomies WHERE slug = $1", KnownTaxonomy)
# Whoever gives terms to stories keeps the taxonomy, whoever takes terms away has it alone; both
# do so before they hold stories.
_KEEP = Query(f"{_FIND.text} FOR KEY SHARE", KnownTaxonomy)
_SEIZE = Query(f"{_FIND.text} FOR UPDATE", KnownTaxonomy)
_ADD = Query(
    """
    INSERT INTO taxonomies (slug, name, is_multiple, created_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING
    RETURNING id
    """,
    int,
)
_RENAME = Command("UPDATE taxonomies SET name = $2 WHERE id = $1")
_REMOVE = Command("DELETE FROM taxonomies WHERE id = $1")

_TERMS = Query(
    """
    SELECT
        terms.slug, terms.name,
        (SELECT count(*) FROM story_terms WHERE story_terms.term_id = terms.id) AS stories
    FROM terms JOIN taxonomies ON taxonomies.id = terms.taxonomy_id
    WHERE taxonomies.slug = $1
    ORDER BY terms.slug
    """,
    TermInUse,
)
_FIND_TERMS = Query(
    """
    SELECT id, slug, name FROM terms
    WHERE taxonomy_id = $1 AND (slug = ANY($2::text []) OR name = ANY($3::text []))
    ORDER BY id
    """,
    KnownTerm,
)
# In the order of the slugs: two who add the same terms wait for each other in one direction.
_ADD_TERMS = Query(
    """
    INSERT INTO terms (taxonomy_id, slug, name, created_at)
    SELECT $1, slug, name, $4 FROM unnest($2::text [], $3::text []) AS given (slug, name)
    ORDER BY slug
    ON CONFLICT DO NOTHING
    RETURNING id
    """,
    int,
)
_RENAME_TERM = Command("UPDATE terms SET name = $2 WHERE id = $1")
_REMOVE_TERM = Command("DELETE FROM terms WHERE id = $1")


async def every(reads: Reads) -> list[Taxonomy]:
    return await reads.all(_LIST)


async def find(reads: Reads, slug: str) -> KnownTaxonomy | None:
    return await reads.first(_FIND, slug)


async def keep(tx: Tx, slug: str) -> KnownTaxonomy | None:
    """Let nobody take anything from this taxonomy until the transaction ends."""
    return await tx.first(_KEEP, slug)


async def seize(tx: Tx, slug: str) -> KnownTaxonomy | None:
    """Be the only one who does anything with this taxonomy until the transaction ends."""
    return await tx.first(_SEIZE, slug)


async def add(tx: Tx, slug: str, name: str, *, is_multiple: bool, now: datetime) -> bool:
    """Make a taxonomy; False when there is one of that slug."""
    return await tx.first(_ADD, slug, name, is_multiple, now) is not None


async def rename(tx: Tx, taxonomy_id: int, name: str) -> None:
    await tx.run(_RENAME, taxonomy_id, name)


async def remove(tx: Tx, taxonomy_id: int) -> None:
    """Remove a taxonomy with its terms, which no story has any more."""
    await tx.run(_REMOVE, taxonomy_id)


async def terms(reads: Reads, taxonomy: str) -> list[TermInUse]:
    return await reads.all(_TERMS, taxonomy)


async def find_terms(
    reads: Reads, taxonomy_id: int, slugs: Sequence[str], names: Sequence[str] = ()
) -> list[KnownTerm]:
    """Every term that has one of these slugs or names."""
    return await reads.all(_FIND_TERMS, taxonomy_id, slugs, names)


async def add_terms(
    tx: Tx, taxonomy_id: int, slugs: Sequence[str], names: Sequence[str], now: datetime
) -> list[int]:
    """Add what is missing; somebody else may do so at the same moment."""
    return await tx.all(_ADD_TERMS, taxonomy_id, slugs, names, now)


async def rename_term(tx: Tx, term_id: int, name: str) -> None:
    await tx.run(_RENAME_TERM, term_id, name)


async def remove_term(tx: Tx, term_id: int) -> None:
    """Remove a term, which no story has any more."""
    await tx.run(_REMOVE_TERM, term_id)
