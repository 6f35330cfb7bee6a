"""Whether an authentic request may go on: its nonce is new and its key has quota left.

Nonces are kept in the database, whose word is final. Redis, when there is one, is asked first:
it refuses replays without troubling the database, and its loss changes nothing. Quotas are
counted in Redis while it answers, and otherwise in the database: never by each process alone.
A request that is refused for its quota has not used its nonce, and a replay uses no quota.
"""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta

from rensai.kit.cache import NotShared, key_of
from rensai.kit.db import Tx
from rensai.kit.errors import RateLimited, RensaiError
from rensai.kit.limits import Rule
from rensai.kit.services import Services
from rensai.rooms.ingest.adapters.signing import Signed, nonce_hash
from rensai.rooms.ingest.errors import NonceReplay
from rensai.rooms.ingest.model import Key
from rensai.rooms.ingest.store import admission as store
from rensai.rooms.ingest.store import keys

NONCE_KEPT = timedelta(minutes=10)

_MINUTE = timedelta(minutes=1)


async def admit(services: Services, key: Key, signed: Signed, size: int) -> None:
    """Use up the nonce and count the request with its unpacked size, or refuse it."""
    hashed = nonce_hash(signed)
    if services.config.redis_url is None:
        await _admit(services, key, hashed, size)
        return
    if not await _is_new_to_redis(services, hashed):
        raise NonceReplay
    try:
        await _admit(services, key, hashed, size)
    except NonceReplay:
        raise
    except RensaiError:
        await services.cache.delete(_cached(hashed))  # it may be sent again
        raise


async def _admit(services: Services, key: Key, hashed: bytes, size: int) -> None:
    now = services.clock.now()
    async with services.db.transaction() as tx:
        await store.relax(tx)
        kept_until = now + NONCE_KEPT
        if not await store.add_nonce(tx, hashed, key.key_id, now=now, expires_at=kept_until):
            raise NonceReplay
        if key.requests_per_minute or key.bytes_per_minute:
            if services.config.redis_url is not None and services.limits.degraded is None:
                await _count_in_redis(services, key, size)
            else:
                await _count_in_database(tx, key, size, now)
        if key.last_used_at is None or key.last_used_at <= now - _MINUTE:
            await keys.note_use(tx, key.key_id, now)


def _cached(hashed: bytes) -> str:
    return key_of("ingest-nonce", hashed.hex())


async def _is_new_to_redis(services: Services, hashed: bytes) -> bool:
    """Whether Redis has not seen the nonce; while it is away the table alone decides."""
    try:
        return await services.cache.add(_cached(hashed), b"1", NONCE_KEPT, shared=True)
    except NotShared:
        return True


async def _count_in_redis(services: Services, key: Key, size: int) -> None:
    rules: list[tuple[Rule, int]] = []
    if key.bytes_per_minute:
        rules.append((Rule("ingest bytes", key.bytes_per_minute, _MINUTE), size))
    if key.requests_per_minute:
        rules.append((Rule("ingest requests", key.requests_per_minute, _MINUTE), 1))
    for rule, cost in rules:
        verdict = await services.limits.peek(rule, key.key_id, cost=cost)
        if not verdict.allowed:
            raise _refused(rule.name, verdict.retry_after)
    for rule, cost in rules:
        verdict = await services.limits.hit(rule, key.key_id, cost=cost)
        if not verdict.allowed:
            raise _refused(rule.name, verdict.retry_after)


async def _count_in_database(tx: Tx, key: Key, size: int, now: datetime) -> None:
    if await store.take(
        tx,
        key.key_id,
        size,
        most_requests=key.requests_per_minute,
        most_bytes=key.bytes_per_minute,
        now=now,
    ):
        return
    used = await store.used(tx, key.key_id, now)
    raise _refused("ingest quota", _wait(used, key, size, now).total_seconds())


def _wait(used: Sequence[store.Use], key: Key, size: int, now: datetime) -> timedelta:
    """Until enough of the last minute has passed for the same request to have room."""
    requests, total = sum(use.requests for use in used), sum(use.bytes for use in used)
    for use in used:
        requests -= use.requests
        total -= use.bytes
        if (not key.requests_per_minute or requests < key.requests_per_minute) and (
            not key.bytes_per_minute or total + size <= key.bytes_per_minute
        ):
            return use.last_at + _MINUTE - now
    return _MINUTE


def _refused(rule: str, seconds: float) -> RateLimited:
    wait = max(1, math.ceil(seconds))
    return RateLimited(
        "This key has used up its quota; wait a little and send it again.",
        details={"retry_after": wait},
        headers={"Retry-After": str(wait)},
        private=rule,
    )
