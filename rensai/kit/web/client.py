"""Who is really calling: the address behind the proxies that we trust."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Any, NamedTuple

from litestar.connection import ASGIConnection

Connection = ASGIConnection[Any, Any, Any, Any]  # Any: whatever Litestar connects
Network = IPv4Network | IPv6Network

LONGEST_AGENT = 200


class Proxies:
    """The trusted proxies; anyone else's X-Forwarded-For is hearsay and not believed."""

    def __init__(self, trusted: Sequence[Network]) -> None:
        self._trusted = tuple(trusted)
        self.trusts = lru_cache(maxsize=1024)(self._trusts) if trusted else _trusts_nobody

    def _trusts(self, peer: str) -> bool:
        address = _address(peer)
        return address is not None and any(
            address in network for network in self._trusted if network.version == address.version
        )

    def client_behind(self, peer: str, forwarded: Iterable[bytes]) -> str:
        """Walk X-Forwarded-For from our end until an address that is no trusted proxy.

        An entry that is no address ends the walk: what lies beyond it cannot be judged.
        """
        hops = b",".join(forwarded).decode("latin-1").split(",")
        client = peer
        for hop in reversed(hops):
            address = _address(_without_port(hop.strip()))
            if address is None:
                return client
            client = str(address)
            if not self.trusts(client):
                return client
        return client


def _trusts_nobody(peer: str) -> bool:  # the same shape as Proxies.trusts
    return False


def is_loopback(host: str) -> bool:
    """Whether the address is this machine's own."""
    address = _address(host)
    return address is not None and address.is_loopback


def caller(host: str) -> str:
    """Who counts as one caller for limits: an IPv6 address by its /64, which is one household."""
    address = _address(host)
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, 64), strict=False))
    return host if address is None else str(address)


class Caller(NamedTuple):
    """What a request says of where it comes from."""

    address: str
    """Who counts as one caller."""
    network: str
    """Roughly where that is: what may be kept of an address."""
    agent: str
    """What the program calls itself."""


def caller_of(request: Connection) -> Caller:
    """Where this request comes from."""
    host = request.client.host if request.client else ""
    agent = request.headers.get("user-agent", "")
    printable = "".join(sign if sign.isprintable() else " " for sign in agent[:LONGEST_AGENT])
    return Caller(caller(host), network_of(host), printable.strip())


def network_of(host: str) -> str:
    """The network around an address: a /24, or of IPv6 a /48; empty when it is no address."""
    address = _address(host)
    if address is None:
        return ""
    length = 24 if address.version == 4 else 48
    return str(ip_network((address, length), strict=False))


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _without_port(hop: str) -> str:
    """Some proxies write `[2001:db8::1]:443` or `192.0.2.1:4711`."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop
