"""What stories are sorted by besides genres: fandoms, warnings, and what an operator defines."""

from rensai.kit.db import Reads
from rensai.rooms.catalogue.model import Taxonomy
from rensai.rooms.catalogue.store import taxonomies as store


async def list_taxonomies(reads: Reads) -> list[Taxonomy]:
    """Every taxonomy, those that every instance has first."""
    return await store.every(reads)
