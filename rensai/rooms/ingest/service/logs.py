"""The log that operators read: what was done to keys and jobs, by whom, and what has failed."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec

from rensai.kit.db import Tx
from rensai.rooms.ingest.store import logs as store

SECURITY_KEPT = timedelta(days=90)
OTHERS_KEPT = timedelta(days=30)

_LONGEST_MESSAGE = 2_000
_LARGEST_CONTEXT = 8_000


async def log(
    tx: Tx,
    event_type: str,
    message: str,
    *,
    now: datetime,
    level: str = "info",
    source: str | None = None,
    reference_id: str | None = None,
    context: Mapping[str, object] | None = None,
    security: bool = False,
    kept: timedelta = OTHERS_KEPT,
) -> None:
    """Add a line in this transaction; what touches security is kept as long as it must be.

    `context` holds counts, names and ids, and never a secret or the text of a chapter.
    """
    encoded = None if context is None else msgspec.json.encode(context).decode()
    if encoded is not None and len(encoded) > _LARGEST_CONTEXT:
        encoded = '{"truncated": true}'
    await store.add(
        tx,
        event_type=event_type,
        source=source,
        reference_id=None if reference_id is None else reference_id[:191],
        level=level,
        message=message[:_LONGEST_MESSAGE],
        context=encoded,
        now=now,
        expires_at=now + (SECURITY_KEPT if security else kept),
    )
