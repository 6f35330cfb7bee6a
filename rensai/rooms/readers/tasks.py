"""What the room does by itself."""

from datetime import timedelta

import msgspec

from rensai.kit.tasks import TaskContext, task
from rensai.rooms.readers import service
from rensai.rooms.readers.service.grants import purge_refresh_tokens


class ClearSessions(msgspec.Struct, frozen=True):
    """Nothing to say: it is always all sessions."""


@task(name="readers.clear_sessions", schedule="17 * * * *", dedupe=lambda _: "")
async def clear_sessions(context: TaskContext, args: ClearSessions) -> None:
    """Every hour, forget the sessions that have run out; they count for nothing already."""
    del args
    async with context.db.transaction() as tx:
        await service.clear_expired_sessions(tx, context.clock.now())


class PurgeTokens(msgspec.Struct, frozen=True):
    """Nothing to say: it is always all tokens."""


@task(name="readers.purge_tokens", schedule="41 3 * * *", dedupe=lambda _: "")
async def purge_tokens(context: TaskContext, args: PurgeTokens) -> None:
    """Every day, forget the refresh tokens that have been good for nothing long enough."""
    del args
    kept = timedelta(days=context.services.config.refresh_audit_days)
    await purge_refresh_tokens(context.db, context.clock.now() - kept)
