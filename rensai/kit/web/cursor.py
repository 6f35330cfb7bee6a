"""Cursors that nobody but us can make: opaque to clients, bound to the list they came from.

A cursor carries the sort key of the last row. Its tag covers the list's name with its sort and
filters, so a cursor of another list, or of this list filtered otherwise, is refused, as is any
change to a single byte.
"""

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache

import msgspec

from rensai.kit.errors import InvalidCursor

_TAG_BYTES = 12
_LONGEST = 1024

Types = tuple[type, ...]


def encode(secret: str, kind: str, values: tuple[object, ...]) -> str:
    """A cursor after the row with these sort values, for the list that `kind` names in full."""
    body = msgspec.msgpack.encode(values)
    return urlsafe_b64encode(body + _tag(secret, kind, body)).rstrip(b"=").decode()


def decode(secret: str, kind: str, text: str, types: Types) -> tuple[object, ...]:
    """The sort values in the cursor, or InvalidCursor if we did not make it for this list."""
    if len(text) > _LONGEST:
        raise InvalidCursor
    try:
        raw = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except ValueError as problem:
        raise InvalidCursor(private=str(problem)) from problem
    # Base64 has several spellings of one value; only the one that we hand out is ours.
    if urlsafe_b64encode(raw).rstrip(b"=") != text.encode():
        raise InvalidCursor
    body, tag = raw[:-_TAG_BYTES], raw[-_TAG_BYTES:]
    if not hmac.compare_digest(tag, _tag(secret, kind, body)):
        raise InvalidCursor
    try:
        return _decoder(types).decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise InvalidCursor(private=str(problem)) from problem


def kind(name: str, *parts: object) -> str:
    """The full name of a list: its own, its sort and its filters, kept apart unambiguously."""
    return msgspec.json.encode([name, *parts]).decode()


def _tag(secret: str, kind: str, body: bytes) -> bytes:
    name = kind.encode()
    message = len(name).to_bytes(4, "big") + name + body
    return hmac.digest(_key(secret), message, "sha256")[:_TAG_BYTES]


@lru_cache(maxsize=4)
def _key(secret: str) -> bytes:
    """A key of its own, so that a cursor's tag is good for nothing else."""
    return hmac.digest(secret.encode(), b"rensai cursor v1", hashlib.sha256)


@lru_cache(maxsize=256)
def _decoder(types: Types) -> msgspec.msgpack.Decoder[tuple[object, ...]]:
    return msgspec.msgpack.Decoder(tuple[types])  # type: ignore[valid-type]  # built at run time
