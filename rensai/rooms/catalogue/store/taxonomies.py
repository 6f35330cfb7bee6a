"""SQL of taxonomies."""

from rensai.kit.db import Query, Reads
from rensai.rooms.catalogue.model import Taxonomy

_LIST = Query(
    """
    SELECT slug, name, is_multiple, is_builtin FROM taxonomies
    ORDER BY NOT is_builtin, name, slug
    """,
    Taxonomy,
)


async def every(reads: Reads) -> list[Taxonomy]:
    return await reads.all(_LIST)
