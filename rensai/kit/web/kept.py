"""Answers that are kept as bytes, and that a client may keep too.

    LIST = KeptList("series")                                   # one per route, in its module

    async def load() -> Page[Series]: ...                       # what the answer is made of
    return await LIST.answer(request, services, (sort, cursor), load, shared=cursor is None)

A list is kept for a short span of time (`ANSWER_CACHE_SECONDS`), a story or a chapter under the
version that one small lookup gave: `KeptVersion`. Nothing is ever deleted: the next span and
the next version have other keys. Each answer carries an ETag; who sends it back as
If-None-Match gets 304 without the answer being made, or even looked for where there is a version.

Only what is the same for everybody may be kept, so the key must name everything that the answer
depends on. Who has signed in may be answered otherwise (`personal`): what carries a version is
asked for again each time anyway, and a list says by Vary that caches keep strangers' answers apart
from it.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, Generic, TypeVar, cast
from zlib import crc32

import msgspec
from litestar import Request, Response
from litestar.openapi.datastructures import ResponseSpec

from rensai import __version__
from rensai.kit.cache import key_of
from rensai.kit.services import Services
from rensai.kit.web.data_response import encode_json
from rensai.kit.web.headers import Header
from rensai.kit.web.ready import JSON, Ready

T = TypeVar("T")

AnyRequest = Request[Any, Any, Any]  # Any: whoever asks
Load = Callable[[], Awaitable[T]]

NOT_MODIFIED = {
    304: ResponseSpec(
        None, generate_examples=False, description="Yours, by `If-None-Match`, is still good."
    )
}
"""What a route with kept answers adds to its description: `responses=NOT_MODIFIED`."""

VERSION_TTL = timedelta(minutes=10)
"""How long the answer of one version is kept; it bounds the memory, not the truth."""

_RELEASE = hashlib.blake2b(__version__.encode(), digest_size=3).hexdigest()
"""In every key and tag: another release may answer with other fields."""

_TAG_BYTES = 16
_NO_CACHE = (b"cache-control", b"public, no-cache")
_VARY = (b"vary", b"Authorization, Cookie")
_TAGS = re.compile(rb'(?:W/)?("[^"]*")')


class KeptList:
    """The kept answers of one list: good for a short span, the same length for each key."""

    def __init__(self, name: str) -> None:
        self._name = f"list-{name}"

    async def answer(
        self,
        request: AnyRequest,
        services: Services,
        asked: tuple[object, ...],
        load: Load[T],
        *,
        shared: bool,
    ) -> Response[T]:
        """The answer to what was asked, at most as old as the setting allows.

        `asked` is plain data. `shared` keeps it in Redis too, for first pages, which many ask for.
        """
        span = services.config.answer_cache_seconds
        if span == 0:
            tagged = _tagged(encode_json(await load()))
            return _ready(request, tagged[:_TAG_BYTES], _NO_CACHE, tagged[_TAG_BYTES:], _VARY)
        what = msgspec.json.encode(asked)
        # Every key has spans of its own, or all lists would be made anew at the same moment.
        span_number, used = divmod(services.clock.now().timestamp() + crc32(what) % span, span)

        async def make() -> bytes:
            return _tagged(encode_json(await load()))

        tagged = await services.near.get_or_load(
            key_of(self._name, _RELEASE, what.decode(), int(span_number)),
            timedelta(seconds=span),
            make,
            shared=shared,
        )
        tagged = await make() if tagged is None else tagged
        fresh = (b"cache-control", b"public, max-age=%d" % (span - used))
        return _ready(request, tagged[:_TAG_BYTES], fresh, tagged[_TAG_BYTES:], _VARY)


class KeptVersion:
    """The kept answers about one kind of thing: good while the thing has the same version."""

    def __init__(self, name: str) -> None:
        self._name = name

    async def answer(
        self,
        request: AnyRequest,
        services: Services,
        version: str,
        asked: tuple[object, ...],
        load: Callable[[], Awaitable["T | TooOld[T]"]],
        *,
        shared: bool = False,
    ) -> Response[T]:
        """The answer to what was asked of the thing that has this version now.

        `version` names the thing too, since another one may come to have the same address; it is
        made of letters, digits and hyphens. `load` returns `TooOld` when what it read was older
        than the version, as on a replica that lags behind: it is answered and not kept.
        """
        tag = f"{version}-{_RELEASE}".encode()
        if _is_known(request, b'"' + tag + b'"'):
            return _ready(request, tag, _NO_CACHE, b"")

        async def make() -> bytes:
            made = await load()
            if isinstance(made, TooOld):
                old = cast("TooOld[T]", made)
                raise _NotKept(encode_json(old.content))
            return encode_json(made)

        what = msgspec.json.encode(asked).decode()
        key = key_of(self._name, f"{version}-{_RELEASE}", what)
        try:
            if services.config.answer_cache_seconds == 0:
                body = await make()
            else:
                body = await services.near.get_or_load(key, VERSION_TTL, make, shared=shared)
        except _NotKept as passing:
            body = passing.body
        return _ready(request, tag, _NO_CACHE, body or b"")


class TooOld(msgspec.Struct, Generic[T], frozen=True):
    """What was read before the version that it was asked for."""

    content: T


class _NotKept(Exception):
    """Carries an answer past the cache to those who wait for it."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.body = body


def _ready(
    request: AnyRequest, tag: bytes, freshness: Header, body: bytes, *further: Header
) -> Response[Any]:
    etag = (b"etag", b'W/"' + tag + b'"')
    if _is_known(request, etag[1][2:]):
        return Ready(304, [etag, freshness, *further], b"")
    length = (b"content-length", str(len(body)).encode())
    return Ready(200, [JSON, length, etag, freshness, *further], body)


def _is_known(request: AnyRequest, quoted: bytes) -> bool:
    """Whether the caller has what this tag stands for; weak and strong are the same here."""
    for name, value in request.scope["headers"]:
        if name == b"if-none-match" and (value.strip() == b"*" or quoted in _TAGS.findall(value)):
            return True
    return False


def _tagged(body: bytes) -> bytes:
    """A list knows no version: its tag is made of what is in it, once."""
    return hashlib.blake2b(body, digest_size=_TAG_BYTES // 2).hexdigest().encode() + body
