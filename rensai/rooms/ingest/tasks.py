"""What the room does by itself."""

import msgspec

from rensai.kit.tasks import TaskContext, task
from rensai.rooms.ingest.service.upkeep import clear_expired


class ClearExpired(msgspec.Struct, frozen=True):
    """Nothing to say: it is always all of it."""


@task(name="ingest.clear_expired", schedule="*/5 * * * *", dedupe=lambda _: "")
async def clear_expired_marks(context: TaskContext, args: ClearExpired) -> None:
    """Every five minutes, forget what counts no more: nonces, use, failures, lines of the log."""
    del args
    await clear_expired(context.services)
