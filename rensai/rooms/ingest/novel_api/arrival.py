"""A signed request as it arrives.

The order of the checks is chosen so that a stranger learns nothing and costs little: transport
and headers, the key, the body within its limit, the signature over it. Only then is anything
unpacked, counted, read or told.
"""

import hashlib
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from litestar import Request

from rensai.kit.errors import RateLimited, RensaiError
from rensai.kit.services import Services
from rensai.kit.web.client import is_loopback
from rensai.rooms.ingest.adapters.signing import Signed, read_names, read_signed
from rensai.rooms.ingest.errors import BodyTooLarge, Crowded, InsecureTransport, InvalidSchema
from rensai.rooms.ingest.model import Key, Permission
from rensai.rooms.ingest.service.accept import Caller, Sent
from rensai.rooms.ingest.service.authenticate import authenticate, find_key

Anyone = Request[Any, Any, Any]

MOST_HELD = 128 * 1024 * 1024
"""Bytes of bodies that one process has in hand at once."""

_PACKED_SLACK = 64 * 1024
"""A body that does not shrink grows a little when it is packed."""

MOST_SKIPPED = 16 * 1024 * 1024
"""Bytes of a body that are read past when its request is refused before."""

_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-proto", "x-real-ip")


class Held:
    """How much the bodies in hand weigh, so that many large ones do not fill the memory."""

    def __init__(self, most: int) -> None:
        self.left = most

    @contextmanager
    def body(self) -> Generator["Weight"]:
        """One body, from its first byte until it is answered."""
        weight = Weight(self)
        try:
            yield weight
        finally:
            weight.drop()

    def take(self, size: int) -> None:
        if size > self.left:
            raise Crowded(headers={"Retry-After": "2"})
        self.left -= size

    def give_back(self, size: int) -> None:
        self.left += size


class Weight:
    """The share of one body."""

    def __init__(self, held: Held) -> None:
        self._held = held
        self.bytes = 0

    def add(self, size: int) -> None:
        self._held.take(size)
        self.bytes += size

    def drop(self) -> None:
        """Nothing of the body is in hand any more."""
        self._held.give_back(self.bytes)
        self.bytes = 0


held = Held(MOST_HELD)


async def caller_of_post(
    request: Anyone, services: Services, weight: Weight, *, permission: Permission, limit: int
) -> tuple[Caller, Sent]:
    """Who sends this and what, once the signature is found to be right."""
    address = _address(request)
    try:
        signed = _signed(request, services)
        named = read_names(request.headers)
        declared = _declared_length(request, limit)
        key = await find_key(services, signed, address)
    except RateLimited:
        raise
    except RensaiError:
        await _let_finish(request)
        raise
    sent = await _receive(request, weight, declared, limit)
    await authenticate(
        services,
        key,
        signed,
        body_sha256=sent.sha256.hex(),
        address=address,
        permission=permission,
    )
    return Caller(key, signed, named), sent


async def key_of_get(request: Anyone, services: Services) -> tuple[Key, Signed]:
    """Who asks, once the signature over the empty body is found to be right."""
    signed = _signed(request, services)
    address = _address(request)
    key = await find_key(services, signed, address)
    empty = hashlib.sha256().hexdigest()
    await authenticate(services, key, signed, body_sha256=empty, address=address, permission=None)
    return key, signed


def _signed(request: Anyone, services: Services) -> Signed:
    _require_private_line(request)
    return read_signed(
        request.scope["method"], request.scope["path"], request.headers, services.clock.now()
    )


def _require_private_line(request: Anyone) -> None:
    """HTTPS, or this very machine without anything between.

    A proxy that is not in TRUSTED_PROXIES makes the whole world look like this machine, so what
    comes through one is refused.
    """
    if request.scope["scheme"] == "https":
        return
    if any(name in request.headers for name in _FORWARDED):
        raise InsecureTransport(
            "Ingest is only open over HTTPS. A proxy before it must be one of TRUSTED_PROXIES and "
            "send X-Forwarded-Proto."
        )
    if request.client is not None and not is_loopback(request.client.host):
        raise InsecureTransport


def _address(request: Anyone) -> str:
    return request.client.host if request.client else "127.0.0.1"


async def _receive(request: Anyone, weight: Weight, declared: int | None, limit: int) -> Sent:
    """The body as it travels, hashed on the way; too large a one is left where it is.

    One for which there is no room is read past, so that its sender hears why and when to come back.
    """
    most = _most(request, limit)
    digest = hashlib.sha256()
    pieces: list[bytes] = []
    received = 0
    crowded: Crowded | None = None
    async for piece in request.stream():
        received += len(piece)
        if received > most:
            raise BodyTooLarge
        if crowded is not None:
            continue
        try:
            weight.add(len(piece))
        except Crowded as problem:
            crowded = problem
            pieces.clear()
            weight.drop()
            continue
        digest.update(piece)
        pieces.append(piece)
    if crowded is not None:
        raise crowded
    if declared is not None and declared != received:
        raise InvalidSchema("The body is not as long as its Content-Length says.")
    return Sent(b"".join(pieces), digest.digest(), _encoding(request), limit, weight.add)


async def _let_finish(request: Anyone) -> None:
    """Read past the body of a request that is refused already, unless it is absurdly large.

    A simple client sends all of its body before it reads; an answer that comes earlier, with the
    connection closed behind it, is to him a broken line and not an answer.
    """
    declared = request.headers.get("content-length", "")
    if len(declared) > 9 or (declared.isdigit() and int(declared) > MOST_SKIPPED):
        return
    skipped = 0
    async for piece in request.stream():
        skipped += len(piece)
        if skipped > MOST_SKIPPED:
            return


def _encoding(request: Anyone) -> str:
    return request.headers.get("content-encoding", "").strip().lower()


def _most(request: Anyone, limit: int) -> int:
    """How long the body may be as it travels."""
    return limit if _encoding(request) in {"", "identity"} else limit + _PACKED_SLACK


def _declared_length(request: Anyone, limit: int) -> int | None:
    """What the Content-Length header says; too large a body need not be sent."""
    text = request.headers.get("content-length")
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise InvalidSchema("The Content-Length header is not a length.")
    if int(text) > _most(request, limit):
        raise BodyTooLarge
    return int(text)
