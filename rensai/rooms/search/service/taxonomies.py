"""What the facets are called that stand for taxonomies of the catalogue."""

from rensai.kit.db import Tx
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.search.model import Taxonomy, facet_name
from rensai.rooms.search.store import state as store


async def wanted_taxonomies(tx: Tx) -> list[Taxonomy]:
    """The facets as the catalogue has them, in the order of their names."""
    found = [
        Taxonomy(one.slug if one.is_builtin else facet_name(one.slug), one.name, one.is_multiple)
        for one in await catalogue.list_taxonomies(tx)
    ]
    return sorted(found, key=lambda one: one.facet_type)


async def taxonomies_differ(tx: Tx) -> bool:
    """Whether search knows other facets than the catalogue has."""
    known = sorted(await store.taxonomies(tx), key=lambda one: one.facet_type)
    return known != await wanted_taxonomies(tx)


async def refresh_taxonomies(tx: Tx) -> None:
    """Know them as they are now, and what their terms are called; the state is held."""
    await store.write_taxonomies(tx, await wanted_taxonomies(tx))
