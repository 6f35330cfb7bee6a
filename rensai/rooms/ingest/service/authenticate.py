"""Who is asking: a signature is judged before anything else of a request is looked at.

Whoever cannot sign learns nothing: an unknown key, a wrong signature, a revoked key and a locked
one all look the same to him. Only the holder of the secret is told more.

After `MOST_FAILURES` wrong signatures with one key from one address (the /64 of an IPv6 address)
the key is locked for that address. Failures elsewhere do not count against it, so who knows only
the id of a key cannot keep its owner out.
"""

from collections.abc import Sequence
from datetime import timedelta
from ipaddress import IPv6Address, ip_address, ip_network

from rensai.kit.errors import RateLimited
from rensai.kit.limits import Rule
from rensai.kit.log import get_logger
from rensai.kit.sealing import CannotUnsealError
from rensai.kit.services import Services
from rensai.rooms.ingest.adapters.signing import Signed, is_signed_by
from rensai.rooms.ingest.errors import InvalidSignature, KeyInactive, NotPermitted
from rensai.rooms.ingest.model import Permission
from rensai.rooms.ingest.service.keys import sealed_for, sealer
from rensai.rooms.ingest.service.logs import log
from rensai.rooms.ingest.store import keys as store
from rensai.rooms.ingest.store.keys import Access

MOST_FAILURES = 20
FAILURES_COUNT_FOR = timedelta(minutes=15)
LOCKED_FOR = timedelta(minutes=15)

_STRANGERS = Rule("ingest failures of an address", 60, timedelta(minutes=1))
_LOG = get_logger("rensai.ingest")


def network_of(address: str) -> str:
    """The address as failures are counted: one IPv4 address, or the /64 of an IPv6 address."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return "0.0.0.0"  # noqa: S104 - a caller without an address, such as a local socket
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ip_network(f"{parsed}/64", strict=False))
    return str(parsed)


async def find_key(services: Services, signed: Signed, address: str) -> Access:
    """The key that the request names, asked for before its body is read."""
    network = network_of(address)
    verdict = await services.limits.peek(_STRANGERS, network)
    if not verdict.allowed:
        raise RateLimited(headers=verdict.headers, private="too many failures of one address")
    access = await store.access(services.db.primary, signed.key_id, network)
    if access is None:
        await services.limits.hit(_STRANGERS, network)
        raise InvalidSignature
    return access


async def authenticate(
    services: Services,
    access: Access,
    signed: Signed,
    *,
    body_sha256: str,
    address: str,
    permission: Permission | None,
) -> None:
    """Return if the holder of the key made this request and may; else raise what is wrong."""
    if not is_signed_by(_secrets(services, access), signed, body_sha256):
        await _note_failure(services, access, network_of(address))
        raise InvalidSignature
    now = services.clock.now()
    if not access.is_active:
        raise KeyInactive
    if access.locked_until is not None and access.locked_until > now:
        minutes = -(-(access.locked_until - now) // timedelta(minutes=1))
        raise KeyInactive(
            "This key is locked for this address after too many wrong signatures, "
            f"for {minutes} more minutes."
        )
    if access.networks and not _is_within(address, access.networks):
        raise NotPermitted("This key may not be used from this address.")
    if permission is not None and permission not in access.permissions:
        raise NotPermitted(f"This key does not have the permission {permission}.")
    if access.failures is not None:
        async with services.db.transaction() as tx:
            await store.forget_failures(tx, access.key_id, network_of(address))


def _secrets(services: Services, access: Access) -> list[bytes]:
    """The secret, and the one before it while both are good."""
    sealed = [access.secret_sealed]
    ends = access.previous_expires_at
    if access.previous_secret_sealed is not None and ends and ends > services.clock.now():
        sealed.append(access.previous_secret_sealed)
    opener = sealer(services.config.sealing_secrets)
    secrets: list[bytes] = []
    for each in sealed:
        try:
            secrets.append(opener.unseal(each, sealed_for(access.key_id)))
        except CannotUnsealError:
            _LOG.error(
                "a secret of an ingest key does not open: was SEALING_SECRET changed? Rotate it",
                key_id=access.key_id,
            )
    return secrets


def _is_within(address: str, networks: Sequence[str]) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return any(parsed in ip_network(each) for each in networks)


async def _note_failure(services: Services, access: Access, network: str) -> None:
    now = services.clock.now()
    await services.limits.hit(_STRANGERS, network)
    async with services.db.transaction() as tx:
        failure = await store.note_failure(
            tx,
            access.key_id,
            network,
            now,
            counted_since=now - FAILURES_COUNT_FOR,
            most=MOST_FAILURES,
            locked_until=now + LOCKED_FOR,
        )
        if failure is not None and failure.failures == MOST_FAILURES:
            await log(
                tx,
                "key_locked",
                "The key is locked for an address after too many wrong signatures.",
                now=now,
                level="warning",
                reference_id=access.key_id,
                context={"network": network, "locked_until": failure.locked_until},
                security=True,
            )
