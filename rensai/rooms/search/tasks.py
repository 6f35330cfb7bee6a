"""What search does when it hears of a change, and the upkeep of its index."""

import os
import socket
from datetime import timedelta

import msgspec

from rensai.kit.events import About
from rensai.kit.tasks import Retry, TaskContext, task
from rensai.rooms.catalogue.door import SourcePolicyChanged, TaxonomyChanged
from rensai.rooms.search.service import upkeep, walks
from rensai.rooms.search.service.belongings import forget_searches
from rensai.rooms.search.service.refresh import refresh_stories

_HOURS = timedelta(hours=6)
_UNTIL_DONE = Retry(attempts=40, first=timedelta(seconds=1), longest=timedelta(minutes=10))
"""What is lost here stays wrong until somebody looks."""


class Nothing(msgspec.Struct):
    """A scheduled task needs to be told nothing."""


# One at a time: each holds the state of the index, and would keep the others waiting for it.
@task(queue="search", priority=10, concurrency=1, retry=_UNTIL_DONE)
async def refresh(context: TaskContext, args: About) -> None:
    """Bring the entries of stories that have changed up to date."""
    async with context.db.transaction() as tx:
        await refresh_stories(tx, context.clock, args.ids)


@task(queue="search", timeout=_HOURS, retry=_UNTIL_DONE, dedupe=lambda event: event.source)
async def refresh_source(context: TaskContext, args: SourcePolicyChanged) -> None:
    """Show or hide what a source has brought."""
    await walks.refresh_source(context.db, context.clock, args.source)


@task(queue="search", timeout=_HOURS, retry=_UNTIL_DONE, dedupe=lambda event: event.taxonomy)
async def refresh_taxonomy(context: TaskContext, args: TaxonomyChanged) -> None:
    """Know a taxonomy, and every story that is sorted by it, as they are now."""
    await walks.refresh_taxonomy(context.db, context.clock, args.taxonomy)


@task(queue="search", concurrency=1, timeout=_HOURS, schedule="* * * * *")
async def keep_whole(context: TaskContext, args: Nothing) -> None:
    """Build the index when this release wants another one, and clear the journal."""
    name = f"{socket.gethostname()[:30]}:{os.getpid()}:task{context.task_id}"
    await upkeep.keep_whole(context.db, context.clock, name)


@task(name="search.forget_reader")
async def forget_reader(context: TaskContext, args: About) -> None:
    """Erase the searches that accounts that are gone have kept."""
    await forget_searches(context.db, args.ids)
