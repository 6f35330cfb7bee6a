"""SQL of the log."""

from datetime import datetime

from rensai.kit.db import Command, Tx

_ADD = Command(
    """
    INSERT INTO sync_logs (
        event_type, source, reference_id, level, message, context, created_at, expires_at
    ) VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7, $8)
    """
)
_FORGET = Command("DELETE FROM sync_logs WHERE expires_at < $1")


async def add(
    tx: Tx,
    *,
    event_type: str,
    source: str | None,
    reference_id: str | None,
    level: str,
    message: str,
    context: str | None,
    now: datetime,
    expires_at: datetime,
) -> None:
    await tx.run(_ADD, event_type, source, reference_id, level, message, context, now, expires_at)


async def forget(tx: Tx, before: datetime) -> int:
    return await tx.run(_FORGET, before)
