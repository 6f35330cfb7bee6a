"""The terms of taxonomies: added, renamed, removed."""

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Reads, Tx
from rensai.kit.errors import Conflict, Invalid, NotFound
from rensai.kit.events import emit
from rensai.rooms.catalogue.events import TaxonomyChanged
from rensai.rooms.catalogue.model import Term, TermInUse
from rensai.rooms.catalogue.service.lines import one_line, shortened
from rensai.rooms.catalogue.service.names import SLUG, genre_slug
from rensai.rooms.catalogue.service.steps import STEP, in_steps
from rensai.rooms.catalogue.service.taxonomies import LONGEST_NAME, found
from rensai.rooms.catalogue.service.telling import tell_changed
from rensai.rooms.catalogue.store import recounts, story_terms
from rensai.rooms.catalogue.store import taxonomies as store
from rensai.rooms.catalogue.store.taxonomies import KnownTaxonomy, KnownTerm


async def list_terms(reads: Reads, taxonomy: str) -> list[TermInUse]:
    """The terms of a taxonomy by slug, and how many stories have each."""
    found(taxonomy, await store.find(reads, taxonomy))
    return await store.terms(reads, taxonomy)


async def add_term(
    tx: Tx, clock: Clock, taxonomy: str, name: str, *, slug: str | None = None
) -> tuple[Term, bool]:
    """A term of that name, and whether it is new; its slug is made of the name unless given."""
    name = one_line("The name of a term", name, LONGEST_NAME)
    slug = genre_slug(name) if slug is None else slug
    if not SLUG.fullmatch(slug):
        raise Invalid("The slug of a term has 1 to 120 of a-z, 0-9 and -, and no - in front.")
    known = found(taxonomy, await store.seize(tx, taxonomy))
    for other in await store.find_terms(tx, known.id, [slug], [name]):
        if (other.slug, other.name) != (slug, name):
            raise Conflict(f"There is a term {other.name!r} with the slug {other.slug} already.")
        return Term(taxonomy, slug, name), False
    await store.add_terms(tx, known.id, [slug], [name], clock.now())
    await emit(tx, TaxonomyChanged(taxonomy=taxonomy))
    return Term(taxonomy, slug, name), True


async def rename_term(db: Database, taxonomy: str, slug: str, name: str) -> bool:
    """Let a term be called otherwise; its slug stays. False when it is called that.

    The stories that have it are told of it after the name has changed, in steps.
    """
    name = one_line("The name of a term", name, LONGEST_NAME)
    async with db.transaction() as tx:
        known = found(taxonomy, await store.seize(tx, taxonomy))
        term = await _find(tx, known, slug)
        if term.name == name:
            return False
        for other in await store.find_terms(tx, known.id, [], [name]):
            raise Conflict(f"The term {other.slug} has that name already.")
        await store.rename_term(tx, term.id, name)
        await emit(tx, TaxonomyChanged(taxonomy=taxonomy))
    after = 0

    async def step(tx: Tx) -> bool:
        nonlocal after
        ids = await story_terms.of_term(tx, term.id, after=after, limit=STEP)
        await recounts.lock_stories(tx, ids)
        await tell_changed(tx, ids)
        after = ids[-1] if ids else after
        return len(ids) == STEP

    await in_steps(db, step)
    return True


async def remove_term(db: Database, taxonomy: str, slug: str) -> int:
    """Take a term from every story, in steps, and remove it; how many stories those were."""
    removed = 0

    async def step(tx: Tx) -> bool:
        nonlocal removed
        known = found(taxonomy, await store.seize(tx, taxonomy))
        term = await _find(tx, known, slug)
        ids = await story_terms.of_term(tx, term.id, after=0, limit=STEP + 1)
        of_step = ids[:STEP]
        await recounts.lock_stories(tx, of_step)
        await story_terms.take(tx, of_step, [term.id])
        await tell_changed(tx, of_step)
        if len(ids) <= STEP:
            await store.remove_term(tx, term.id)
            await emit(tx, TaxonomyChanged(taxonomy=taxonomy))
        removed += len(of_step)
        return len(ids) > STEP

    await in_steps(db, step)
    return removed


async def _find(tx: Tx, taxonomy: KnownTaxonomy, slug: str) -> KnownTerm:
    for term in await store.find_terms(tx, taxonomy.id, [slug]):
        return term
    raise NotFound(f"There is no term {shortened(slug)!r} in {taxonomy.slug}.")
