"""Clearing away what has run out at the edge; each part may be repeated at will."""

from datetime import timedelta

from rensai.kit.services import Services
from rensai.rooms.ingest.service.authenticate import FAILURES_COUNT_FOR
from rensai.rooms.ingest.store import admission, keys, logs, requests

_USE_KEPT = timedelta(minutes=2)


async def clear_expired(services: Services) -> None:
    """Forget old nonces, use, failures and log lines, and set old idempotency keys free."""
    now = services.clock.now()
    db = services.db
    async with db.transaction() as tx:
        await admission.forget_nonces(tx, now)
        await admission.forget_use(tx, now - _USE_KEPT)
    async with db.transaction() as tx:
        await keys.forget_old_failures(tx, now - FAILURES_COUNT_FOR, now)
    async with db.transaction() as tx:
        await requests.release_old(tx, now)
    async with db.transaction() as tx:
        await logs.forget(tx, now)
