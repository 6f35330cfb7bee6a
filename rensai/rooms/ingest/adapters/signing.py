"""The signature of a request: what is signed, and in which headers it comes.

    base      = METHOD.path.timestamp.nonce.sha256(body)
    signature = HMAC-SHA256(secret, base), as lower-case hex

The body is signed as it travels: a body that is sent packed is signed packed.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from rensai.rooms.ingest.errors import (
    InvalidSchema,
    InvalidSignature,
    MissingIdempotencyKey,
    TimestampSkew,
)

KEY_ID = "X-Novel-Key-Id"
TIMESTAMP = "X-Novel-Timestamp"
NONCE = "X-Novel-Nonce"
SIGNATURE = "X-Novel-Signature"
REQUEST_ID = "X-Novel-Request-Id"
IDEMPOTENCY_KEY = "Idempotency-Key"

MOST_SKEW = 300
"""Seconds that a timestamp may be away from our clock, either way."""

_SHAPES = {
    KEY_ID: re.compile(r"[A-Za-z0-9_-]{1,64}"),
    TIMESTAMP: re.compile(r"[0-9]{1,12}"),
    NONCE: re.compile(r"[!-~]{1,128}"),
    SIGNATURE: re.compile(r"[0-9a-f]{64}"),
}
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_IDEMPOTENCY_KEY = re.compile(r"[ -~]{1,120}")


class Signed(msgspec.Struct, frozen=True):
    """A request that claims to come from the holder of a key."""

    method: str
    path: str
    key_id: str
    timestamp: str
    nonce: str
    signature: str


class Named(msgspec.Struct, frozen=True):
    """The names that a sender gives to a request, so that it can be sent again."""

    request_id: UUID
    idempotency_key: str


def read_signed(method: str, path: str, headers: Mapping[str, str], now: datetime) -> Signed:
    """The claim in the headers, or what is wrong with it at first sight."""
    found: list[str] = []
    for name, shape in _SHAPES.items():
        value = headers.get(name, "")
        if shape.fullmatch(value) is None:
            raise InvalidSignature(f"The {name} header is {'malformed' if value else 'missing'}.")
        found.append(value)
    key_id, timestamp, nonce, signature = found
    if abs(now.timestamp() - int(timestamp)) > MOST_SKEW:
        raise TimestampSkew
    return Signed(method, path, key_id, timestamp, nonce, signature)


def read_names(headers: Mapping[str, str]) -> Named:
    """The request id and the idempotency key, which whoever writes must send."""
    request_id = headers.get(REQUEST_ID, "")
    if _UUID.fullmatch(request_id) is None:
        raise _bad_header(REQUEST_ID, "must be a UUID")
    idempotency_key = headers.get(IDEMPOTENCY_KEY, "")
    if not idempotency_key:
        raise MissingIdempotencyKey
    if _IDEMPOTENCY_KEY.fullmatch(idempotency_key) is None:
        raise _bad_header(IDEMPOTENCY_KEY, "must be 1 to 120 printable ASCII characters")
    return Named(UUID(request_id), idempotency_key)


def sign(secret: bytes, signed: Signed, body_sha256: str) -> str:
    """The signature that the holder of the secret would make."""
    base = ".".join((signed.method, signed.path, signed.timestamp, signed.nonce, body_sha256))
    return hmac.digest(secret, base.encode(), "sha256").hex()


def is_signed_by(secrets: Sequence[bytes], signed: Signed, body_sha256: str) -> bool:
    """Whether one of the secrets made the signature; takes as long whichever it was."""
    found = False
    for secret in secrets:
        found |= hmac.compare_digest(sign(secret, signed, body_sha256), signed.signature)
    return found


def nonce_hash(signed: Signed) -> bytes:
    """What is remembered of a nonce: two keys may use the same one."""
    return hashlib.sha256(f"{signed.key_id}.{signed.nonce}".encode()).digest()


def _bad_header(name: str, what: str) -> InvalidSchema:
    return InvalidSchema(
        f"The {name} header {what}.",
        details=[{"path": name, "in": "header", "message": what}],
    )
