"""What the room does by itself."""

from datetime import timedelta

import msgspec

from rensai.kit.tasks import TaskContext, task
from rensai.rooms.ingest.service.dead_letters import clear_away
from rensai.rooms.ingest.service.upkeep import clear_expired


class ClearExpired(msgspec.Struct, frozen=True):
    """Nothing to say: it is always all of it."""


@task(name="ingest.clear_expired", schedule="*/5 * * * *", dedupe=lambda _: "")
async def clear_expired_marks(context: TaskContext, args: ClearExpired) -> None:
    """Every five minutes, forget what counts no more: nonces, use, failures, lines of the log."""
    del args
    await clear_expired(context.services)


class ClearAway(msgspec.Struct, frozen=True):
    """Nothing to say: it is always all of it."""


@task(name="ingest.clear_away", schedule="29 * * * *", dedupe=lambda _: "")
async def clear_away_jobs(context: TaskContext, args: ClearAway) -> None:
    """Every hour, forget what was done or failed longer ago than the configuration says."""
    del args
    config = context.services.config
    await clear_away(
        context.db,
        context.clock,
        completed_kept=timedelta(days=config.ingest_completed_days),
        dead_kept=timedelta(days=config.ingest_failed_days),
    )
