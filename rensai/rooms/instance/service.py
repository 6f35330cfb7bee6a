"""What can be asked about this instance."""

from datetime import timedelta

from rensai.kit.cache import Cache, Typed
from rensai.kit.db import Reads
from rensai.kit.errors import Unavailable
from rensai.kit.tasks.figures_store import figures
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.instance import store
from rensai.rooms.instance.model import Counts, Queue, Settings
from rensai.rooms.readers import door as readers

KEPT_FOR = timedelta(seconds=30)


async def settings(reads: Reads, cache: Cache) -> Settings:
    """What the operator says about this instance, at most 30 seconds old."""
    kept = Typed(cache, Settings, name="instance-settings")
    found = await kept.get_or_load(KEPT_FOR, lambda: store.settings(reads))
    if found is None:
        raise Unavailable(private="instance_config has lost its row")
    return found


async def counts(reads: Reads, cache: Cache) -> Counts:
    """How large this place is, at most 30 seconds old: counting reads whole tables."""

    async def count() -> Counts:
        content = await catalogue.count_public(reads)
        users = await readers.count_accounts(reads)
        return Counts(users, content.stories, content.chapters)

    kept = Typed(cache, Counts, name="instance-counts")
    return await kept.get_or_load(KEPT_FOR, count) or Counts(0, 0, 0)


async def queue(reads: Reads) -> Queue:
    """How the background work stands at this moment."""
    now = await figures(reads)
    return Queue(
        waiting=sum(each.due + each.later + each.running for each in now.waiting), dead=now.dead
    )
