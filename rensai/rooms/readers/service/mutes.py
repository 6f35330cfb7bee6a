"""What readers do not want to see."""

from rensai.kit.lookups import Lookups
from rensai.rooms.readers.model.mutes import Mutes
from rensai.rooms.readers.store import mutes as store


async def mutes_of(lookups: Lookups, user_id: int) -> Mutes | None:
    """What this reader leaves out of every list, or None: cheap enough for every request."""
    found = await lookups.ask(store.mutes_by_reader, user_id)
    if found is None:
        return None
    return Mutes(
        version=found.version,
        tags=found.tags,
        genres=found.genres,
        authors=found.authors,
        terms=found.terms,
        hide_adult=found.hide_adult,
    )
