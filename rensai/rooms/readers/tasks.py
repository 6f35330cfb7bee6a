"""What the room does by itself."""

import msgspec

from rensai.kit.tasks import TaskContext, task
from rensai.rooms.readers import service


class ClearSessions(msgspec.Struct, frozen=True):
    """Nothing to say: it is always all sessions."""


@task(name="readers.clear_sessions", schedule="17 * * * *", dedupe=lambda _: "")
async def clear_sessions(context: TaskContext, args: ClearSessions) -> None:
    """Every hour, forget the sessions that have run out; they count for nothing already."""
    del args
    async with context.db.transaction() as tx:
        await service.clear_expired_sessions(tx, context.clock.now())
