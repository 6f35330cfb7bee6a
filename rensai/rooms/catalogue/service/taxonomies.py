"""What stories are sorted by besides genres: fandoms, warnings, and what an operator defines."""

import re

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Reads, Tx
from rensai.kit.errors import Conflict, Invalid, NotFound
from rensai.kit.events import emit
from rensai.rooms.catalogue.events import TaxonomyChanged
from rensai.rooms.catalogue.model import Taxonomy
from rensai.rooms.catalogue.service.facts import story_ids_of_taxonomy
from rensai.rooms.catalogue.service.lines import one_line, shortened
from rensai.rooms.catalogue.service.steps import STEP, in_steps
from rensai.rooms.catalogue.service.telling import tell_changed
from rensai.rooms.catalogue.store import recounts, story_terms
from rensai.rooms.catalogue.store import taxonomies as store
from rensai.rooms.catalogue.store.taxonomies import KnownTaxonomy

LONGEST_NAME = 120

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_TAKEN = frozenset({"genre", "language", "age", "status", "kind", "source", "author", "tag"})
"""What stories are sorted by already, under these names."""


async def list_taxonomies(reads: Reads) -> list[Taxonomy]:
    """Every taxonomy, those that every instance has first."""
    return await store.every(reads)


async def define_taxonomy(
    tx: Tx, clock: Clock, slug: str, *, name: str, is_multiple: bool = True
) -> bool:
    """Make a taxonomy; False when there is exactly that one already."""
    if not _SLUG.fullmatch(slug):
        raise Invalid("The slug of a taxonomy has 1 to 40 of a-z, 0-9 and -, and no - in front.")
    if slug in _TAKEN:
        raise Invalid(f"Stories are sorted by {slug} already; choose another slug.")
    name = one_line("The name of a taxonomy", name, LONGEST_NAME)
    if await store.add(tx, slug, name, is_multiple=is_multiple, now=clock.now()):
        await emit(tx, TaxonomyChanged(taxonomy=slug))
        return True
    known = await store.keep(tx, slug)
    if known is None or (known.name, known.is_multiple) != (name, is_multiple):
        raise Conflict(f"There is another taxonomy with the slug {slug}.")
    return False


async def rename_taxonomy(tx: Tx, slug: str, name: str) -> bool:
    """Let a taxonomy be called otherwise; its slug stays. False when it is called that."""
    name = one_line("The name of a taxonomy", name, LONGEST_NAME)
    taxonomy = found(slug, await store.seize(tx, slug))
    if taxonomy.name == name:
        return False
    await store.rename(tx, taxonomy.id, name)
    await emit(tx, TaxonomyChanged(taxonomy=slug))
    return True


async def remove_taxonomy(db: Database, slug: str) -> int:
    """Take a taxonomy from every story, in steps, and remove it; how many stories those were."""
    removed, after = 0, 0

    async def step(tx: Tx) -> bool:
        nonlocal removed, after
        taxonomy = found(slug, await store.seize(tx, slug))
        if taxonomy.is_builtin:
            raise Conflict(
                f"Every instance has the taxonomy {slug}; only its terms can be removed."
            )
        ids = await story_ids_of_taxonomy(tx, slug, after=after, limit=STEP + 1)
        if after and len(ids) <= STEP:  # one behind us may have been given a term meanwhile
            ids = await story_ids_of_taxonomy(tx, slug, after=0, limit=STEP + 1)
        of_step = ids[:STEP]
        await recounts.lock_stories(tx, of_step)
        await story_terms.take_all(tx, of_step, taxonomy.id)
        await tell_changed(tx, of_step)
        if len(ids) <= STEP:
            await store.remove(tx, taxonomy.id)
            await emit(tx, TaxonomyChanged(taxonomy=slug))
        removed += len(of_step)
        after = of_step[-1] if of_step else after
        return len(ids) > STEP

    await in_steps(db, step)
    return removed


def found(slug: str, taxonomy: KnownTaxonomy | None) -> KnownTaxonomy:
    """The taxonomy, or an error that says which one there is not."""
    if taxonomy is None:
        raise NotFound(f"There is no taxonomy {shortened(slug)!r}.")
    return taxonomy
