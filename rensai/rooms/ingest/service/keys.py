"""Keys: made, listed, rotated, revoked and unlocked, each with a line in the log."""

import re
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from ipaddress import ip_network

from rensai.kit.db import Reads, Tx
from rensai.kit.errors import Conflict, Invalid, NotFound
from rensai.kit.sealing import Sealer
from rensai.rooms.ingest.model import (
    BYTES_PER_MINUTE,
    REQUESTS_PER_MINUTE,
    Key,
    NewKey,
    Permission,
)
from rensai.rooms.ingest.service.logs import log
from rensai.rooms.ingest.store import keys as store

OVERLAP = timedelta(hours=24)
LONGEST_OVERLAP = timedelta(days=90)

_SOURCE = re.compile(r"[^\s:/]{1,40}")
_MOST = 100
_LARGEST_QUOTA = 2**31 - 1


@lru_cache(maxsize=4)
def sealer(secrets: tuple[str, ...]) -> Sealer:
    """What opens and closes the secrets of keys."""
    return Sealer(secrets, "ingest key")


def sealed_for(key_id: str) -> str:
    """What a sealed secret is bound to: that of another key does not open in its place."""
    return f"api_keys/{key_id}"


async def create(
    tx: Tx,
    *,
    sealing_secrets: tuple[str, ...],
    name: str,
    permissions: Sequence[str],
    sources: Sequence[str] = (),
    networks: Sequence[str] = (),
    requests_per_minute: int = REQUESTS_PER_MINUTE,
    bytes_per_minute: int = BYTES_PER_MINUTE,
    operator: str,
    now: datetime,
) -> NewKey:
    """A new key; its secret is told here and never again."""
    name = name.strip()
    if not 1 <= len(name) <= 120 or not name.isprintable():
        raise Invalid("A key's name has 1 to 120 printable characters.")
    if min(requests_per_minute, bytes_per_minute) < 0 or requests_per_minute > _LARGEST_QUOTA:
        raise Invalid("A quota is a positive number, or 0 for none.")
    key_id = f"nk_{secrets.token_hex(12)}"
    secret = secrets.token_urlsafe(32)
    key = await store.insert(
        tx,
        key_id=key_id,
        name=name,
        secret_sealed=sealer(sealing_secrets).seal(secret.encode(), sealed_for(key_id)),
        permissions=_permissions(permissions),
        sources=_sources(sources),
        networks=_networks(networks),
        requests_per_minute=requests_per_minute,
        bytes_per_minute=bytes_per_minute,
        now=now,
    )
    await _audit(tx, key, "key_created", f"The key {name} was made.", operator=operator, now=now)
    return NewKey(key_id, secret)


async def list_all(reads: Reads) -> list[Key]:
    """Every key, the oldest first."""
    return await store.every(reads)


async def rotate(
    tx: Tx,
    key_id: str,
    *,
    sealing_secrets: tuple[str, ...],
    overlap: timedelta = OVERLAP,
    operator: str,
    now: datetime,
) -> NewKey:
    """A new secret; the one before it still signs for the length of the overlap."""
    if not timedelta(0) <= overlap <= LONGEST_OVERLAP:
        raise Invalid(f"The overlap is at most {LONGEST_OVERLAP.days} days.")
    secret = secrets.token_urlsafe(32)
    sealed = sealer(sealing_secrets).seal(secret.encode(), sealed_for(key_id))
    key = await store.rotate(tx, key_id, sealed, overlap_ends=now + overlap, now=now)
    if key is None:
        raise await _why_not(tx, key_id)
    await _audit(tx, key, "key_rotated", "The key has a new secret.", operator=operator, now=now)
    return NewKey(key_id, secret)


async def revoke(tx: Tx, key_id: str, *, operator: str, now: datetime) -> Key:
    """Refuse the key from now on."""
    key = await store.revoke(tx, key_id, now)
    if key is None:
        raise await _why_not(tx, key_id)
    await _audit(tx, key, "key_revoked", "The key was revoked.", operator=operator, now=now)
    return key


async def unlock(tx: Tx, key_id: str, *, operator: str, now: datetime) -> int:
    """Forget the failures of that key, from wherever they came; says from how many places."""
    key = await store.by_id(tx, key_id)
    if key is None:
        raise NotFound(f"There is no key {key_id}.")
    places = await store.unlock(tx, key_id)
    await _audit(
        tx,
        key,
        "key_unlocked",
        "The failures of the key were forgotten.",
        operator=operator,
        now=now,
    )
    return places


async def _why_not(tx: Tx, key_id: str) -> NotFound | Conflict:
    if await store.by_id(tx, key_id) is None:
        return NotFound(f"There is no key {key_id}.")
    return Conflict(f"The key {key_id} has been revoked.")


async def _audit(
    tx: Tx, key: Key | None, event: str, message: str, *, operator: str, now: datetime
) -> None:
    if key is None:
        raise Conflict("That key exists already.")
    context = {
        "operator": operator,
        "name": key.key_name,
        "permissions": key.permissions,
        "sources": key.sources,
        "networks": key.networks,
        "previous_expires_at": key.previous_expires_at,
    }
    await log(tx, event, message, now=now, reference_id=key.key_id, context=context, security=True)


def _permissions(asked: Sequence[str]) -> list[str]:
    known = [str(each) for each in Permission]
    if not asked or any(each not in known for each in asked):
        raise Invalid(f"Permissions are one or more of {', '.join(known)}.")
    return [each for each in known if each in asked]


def _sources(asked: Sequence[str]) -> list[str]:
    if len(asked) > _MOST:
        raise Invalid(f"A key has at most {_MOST} sources; without any it may write to all.")
    for each in asked:
        if _SOURCE.fullmatch(each) is None or not each.isprintable() or each == "local":
            raise Invalid(
                "A source has 1 to 40 characters, without spaces, colons or slashes; "
                "local belongs to what is uploaded here."
            )
    return list(dict.fromkeys(asked))


def _networks(asked: Sequence[str]) -> list[str]:
    if len(asked) > _MOST:
        raise Invalid(f"A key has at most {_MOST} networks.")
    try:
        return list(dict.fromkeys(str(ip_network(each, strict=False)) for each in asked))
    except ValueError as problem:
        raise Invalid(
            "A network is an address or a range, such as 192.0.2.7 or 2001:db8::/32."
        ) from problem
