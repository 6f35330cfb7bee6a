"""Signs a request, as the ingest contract asks.

    base      = METHOD.path.timestamp.nonce.sha256(body)
    signature = HMAC-SHA256(secret, base), as lower-case hex

The body is signed as it travels: one that is sent packed is signed packed.
"""

import hashlib
import hmac
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Key:
    """What `rensai key create` has printed."""

    key_id: str
    secret: str = field(repr=False)


def base_string(method: str, path: str, timestamp: str, nonce: str, body: bytes) -> str:
    """What is signed of a request."""
    digest = hashlib.sha256(body).hexdigest()
    return f"{method}.{path}.{timestamp}.{nonce}.{digest}"


def signature(secret: str, base: str) -> str:
    """The signature of a base string."""
    return hmac.digest(secret.encode(), base.encode(), "sha256").hex()


def signed_headers(
    key: Key, method: str, path: str, body: bytes, *, timestamp: str, nonce: str
) -> dict[str, str]:
    """The headers of one attempt; each attempt needs a nonce of its own."""
    base = base_string(method, path, timestamp, nonce, body)
    return {
        "X-Novel-Key-Id": key.key_id,
        "X-Novel-Timestamp": timestamp,
        "X-Novel-Nonce": nonce,
        "X-Novel-Signature": signature(key.secret, base),
    }
