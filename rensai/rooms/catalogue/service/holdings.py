"""What one source has here, as a whole."""

from rensai.kit.clock import Clock
from rensai.kit.db import Reads, Tx
from rensai.rooms.catalogue.model import Counts
from rensai.rooms.catalogue.service.recount import touch_recounts
from rensai.rooms.catalogue.store import holdings as store


async def count_held(reads: Reads, source: str) -> Counts:
    """How much of a source is here, the deleted and the unpublished too."""
    return await store.held(reads, source)


async def touch_source(tx: Tx, clock: Clock, source: str) -> int:
    """Have every story of a source counted anew as soon as may be; how many those are."""
    return len(await touch_recounts(tx, clock, await store.ids(tx, source)))
