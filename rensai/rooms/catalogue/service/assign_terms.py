"""Giving terms to a story: each time the full set of one taxonomy."""

from collections.abc import Sequence

from rensai.kit.clock import Clock
from rensai.kit.db import Tx
from rensai.kit.errors import Invalid, NotFound
from rensai.kit.events import emit
from rensai.rooms.catalogue.events import TaxonomyChanged
from rensai.rooms.catalogue.service.lines import lines, shortened
from rensai.rooms.catalogue.service.names import genre_slug
from rensai.rooms.catalogue.service.taxonomies import LONGEST_NAME, found
from rensai.rooms.catalogue.service.telling import tell_changed
from rensai.rooms.catalogue.store import stories, story_terms
from rensai.rooms.catalogue.store import taxonomies as store

MOST_TERMS = 100
"""How many terms of one taxonomy a story may have."""

_NAMED = 3


async def assign_terms(
    tx: Tx,
    clock: Clock,
    story_id: int,
    taxonomy: str,
    terms: Sequence[str],
    *,
    create: bool = False,
) -> bool:
    """Let a story have these terms of a taxonomy and no others; whether that is a change.

    A term is named by its slug or its name. With `create`, one that is missing is made.
    """
    known = found(taxonomy, await store.keep(tx, taxonomy))
    names = lines("term", terms, each=LONGEST_NAME, most=MOST_TERMS)
    ids, missing = await _resolve(tx, known.id, names)
    if len(ids) + len(missing) > 1 and not known.is_multiple:
        raise Invalid(f"A story has one term of {taxonomy} at most.")
    if missing and not create:
        raise Invalid(_not_there(taxonomy, missing))
    if missing:
        slugs = {genre_slug(name): name for name in missing}
        if await store.add_terms(tx, known.id, list(slugs), list(slugs.values()), clock.now()):
            await emit(tx, TaxonomyChanged(taxonomy=taxonomy))
        ids, _ = await _resolve(tx, known.id, names)
    if not await stories.hold(tx, [story_id]):
        raise NotFound(f"There is no story {story_id}.")
    before = set(await story_terms.of_story(tx, story_id, known.id))
    if ids == before:
        return False
    await story_terms.take(tx, [story_id], sorted(before - ids))
    await story_terms.give(tx, story_id, sorted(ids - before))
    await tell_changed(tx, [story_id])
    return True


async def _resolve(tx: Tx, taxonomy_id: int, names: list[str]) -> tuple[set[int], list[str]]:
    """The terms that are there, and the names of those that are not."""
    if not names:
        return set(), []
    slugs = {name: genre_slug(name) for name in names}
    known = await store.find_terms(tx, taxonomy_id, [*slugs.values(), *names], names)
    by_slug = {term.slug: term.id for term in known}
    by_name = {term.name: term.id for term in known}
    ids: set[int] = set()
    missing: list[str] = []
    for name, slug in slugs.items():
        id_ = by_slug.get(name) or by_name.get(name) or by_slug.get(slug)
        if id_ is None:
            missing.append(name)
        else:
            ids.add(id_)
    return ids, missing


def _not_there(taxonomy: str, missing: list[str]) -> str:
    named = ", ".join(repr(shortened(name)) for name in missing[:_NAMED])
    more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    return f"The taxonomy {taxonomy} has no term {named}{more}."
