"""Everything that is known about stories, for rooms that keep a copy of it, such as search."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from rensai.kit.db import Reads
from rensai.rooms.catalogue.model import Genre, PlainFacts, StoryFacts, Term, TranslationOf
from rensai.rooms.catalogue.store import facts as store
from rensai.rooms.catalogue.store.facts import FactsRow

_PLAIN = len(PlainFacts.__struct_fields__)

_FEW = 2_000
"""So many are faster sorted than found one after another among the terms of all taxonomies."""


async def facts_of(reads: Reads, story_ids: Sequence[int]) -> list[StoryFacts]:
    """All about these stories at one moment, in the order of their ids.

    A story that is deleted or hidden is there, and says so; one that never was is missing.
    """
    if not story_ids:
        return []
    return [_facts(row) for row in await store.facts(reads, story_ids)]


async def visible_story_ids(reads: Reads, *, after: int, limit: int) -> list[int]:
    """The next stories that everybody may read, in the order of their ids."""
    return await store.visible_ids(reads, after=after, limit=limit)


async def versions_of(reads: Reads, story_ids: Sequence[int]) -> dict[int, int]:
    """The version of each of these stories that everybody may read: every write raises it."""
    return {one.id: one.cache_version for one in await store.versions(reads, story_ids)}


async def story_ids_of_source(reads: Reads, source: str, *, after: int, limit: int) -> list[int]:
    """The next stories of a source, hidden and deleted ones too, in the order of their ids."""
    return await store.ids_of_source(reads, source, after=after, limit=limit)


async def story_ids_of_taxonomy(
    reads: Reads, taxonomy: str, *, after: int, limit: int
) -> list[int]:
    """The next stories that have a term of a taxonomy, in the order of their ids."""
    few = await store.few_of_taxonomy(reads, taxonomy, after=after, limit=_FEW)
    if len(few) < _FEW:
        return sorted(set(few))[:limit]
    return await store.many_of_taxonomy(reads, taxonomy, after=after, limit=limit)


async def translations_of(reads: Reads, groups: Sequence[UUID]) -> list[TranslationOf]:
    """Every story of these groups of translations, whether it can be read or not."""
    return await store.translations(reads, groups) if groups else []


async def term_names(reads: Reads) -> list[Term]:
    """What every term is called, and every genre: those as terms of the taxonomy `genre`."""
    return await store.names(reads)


def _facts(row: FactsRow) -> StoryFacts:
    plain = msgspec.structs.astuple(row)[:_PLAIN]
    return StoryFacts(
        *plain,
        genres=[Genre(slug, name) for slug, name in row.genres],
        terms=[Term(taxonomy, slug, name) for taxonomy, slug, name in row.terms],
    )
