"""What can go wrong before a request is accepted; the codes are those of the contract."""

from rensai.kit.errors import (
    AuthRequired,
    Conflict,
    Forbidden,
    Invalid,
    RensaiError,
    TooLarge,
    Unavailable,
)


class InvalidSignature(AuthRequired):
    """The signature does not fit this request, or the key is not known."""

    code = "INVALID_SIGNATURE"
    novel_code = "invalid_signature"


class TimestampSkew(AuthRequired):
    """The timestamp is more than 300 seconds from the server's clock."""

    code = "TIMESTAMP_SKEW"
    novel_code = "timestamp_skew"


class NonceReplay(AuthRequired):
    """This nonce has been used before; every attempt needs a new one."""

    code = "NONCE_REPLAY"
    novel_code = "nonce_replay"


class KeyInactive(AuthRequired):
    """This key has been revoked."""

    code = "KEY_INACTIVE"
    novel_code = "key_inactive"


class NotPermitted(Forbidden):
    """This key may not do that."""

    code = "PERMISSION_DENIED"


class InsecureTransport(Forbidden):
    """Ingest is only open over HTTPS."""

    code = "INSECURE_TRANSPORT"


class MissingIdempotencyKey(Invalid):
    """The Idempotency-Key header is missing."""

    code = "MISSING_IDEMPOTENCY_KEY"
    novel_code = "missing_idempotency_key"


class InvalidSchema(Invalid):
    """The body does not have the shape that this endpoint takes."""


class BodyTooLarge(TooLarge):
    """The body is larger than this endpoint accepts, counted unpacked."""


class UnknownEncoding(RensaiError):
    """The body is packed in a way that is not understood here."""

    code = "UNSUPPORTED_MEDIA_TYPE"
    status = 415
    novel_code = "invalid_schema"


class IdempotencyConflict(Conflict):
    """This Idempotency-Key was used for another payload."""

    code = "IDEMPOTENCY_CONFLICT"


class RequestIdTaken(IdempotencyConflict):
    """This X-Novel-Request-Id was used with another Idempotency-Key."""

    code = "REQUEST_ID_TAKEN"


class Crowded(Unavailable):
    """Too much is arriving at once; try again in a moment."""
