"""How items have ended so far, over all workers."""

from rensai.kit.db import Database
from rensai.rooms.ingest.service.endings import Tally
from rensai.rooms.ingest.store import endings as store


async def add_totals(db: Database, job_type: str, tally: Tally) -> None:
    """Add to the totals what one worker has counted."""
    async with db.transaction() as tx:
        await store.add_totals(tx, tally.totals(job_type))
