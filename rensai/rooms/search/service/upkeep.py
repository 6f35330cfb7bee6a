"""What has to be done for the index without anybody asking."""

from datetime import timedelta

from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.kit.log import get_logger
from rensai.rooms.search.errors import BeingBuilt
from rensai.rooms.search.model import LAYOUT
from rensai.rooms.search.service.rebuild import Rebuild
from rensai.rooms.search.store import state as store

_log = get_logger("rensai.search.upkeep")

_REMEMBERED = timedelta(minutes=15)
"""How long a process may be out of touch before it must make its picture anew."""

_GONE = timedelta(hours=6)
"""A builder that has said nothing for so long is not coming back to read the journal."""


async def keep_whole(db: Database, clock: Clock, name: str) -> None:
    """Build the index if it is not as this release has it, and clear away old news."""
    async with db.transaction() as tx:
        state = await store.read(tx)
        await store.forget(
            tx,
            clock.now() - _REMEMBERED,
            builder_gone_before=clock.now() - _GONE,
        )
    if state.layout == LAYOUT:
        return
    try:
        count = await Rebuild(db, clock, name).run()
        _log.info("the search index has been built", stories=count)
    except BeingBuilt:
        _log.info("the search index is being built by another process")
