"""The family of errors that a user may meet.

Each has a code and a status for `/api/v1` and the site, and its own pair for the novel API,
whose contract names errors differently. The class docstring is the sentence shown unless a
better one is given; `private` goes to the log alone.
"""

from collections.abc import Mapping
from typing import ClassVar


class RensaiError(Exception):
    """Something went wrong."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    status: ClassVar[int] = 500
    novel_code: ClassVar[str] = "internal_error"
    novel_status: ClassVar[int | None] = None

    def __init__(
        self,
        message: str | None = None,
        *,
        details: Mapping[str, object] | list[object] | None = None,
        private: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.message = message or (type(self).__doc__ or "").strip().splitlines()[0]
        self.details = details
        self.private = private
        self.headers = headers or {}
        super().__init__(self.message)


class AuthRequired(RensaiError):
    """Sign in first."""

    code = "AUTH_REQUIRED"
    status = 401
    novel_code = "invalid_token"


class Forbidden(RensaiError):
    """You are not allowed to do that."""

    code = "FORBIDDEN"
    status = 403
    novel_code = "permission_denied"


class NotFound(RensaiError):
    """Nothing was found here."""

    code = "NOT_FOUND"
    status = 404
    novel_code = "not_found"


class Gone(RensaiError):
    """It was here once and has been removed."""

    code = "GONE"
    status = 410
    novel_code = "not_found"


class Invalid(RensaiError):
    """The request is not valid."""

    code = "VALIDATION_ERROR"
    status = 422
    novel_code = "invalid_schema"
    novel_status = 400


class InvalidFilter(Invalid):
    """A filter or a sort is not valid."""

    novel_code = "invalid_filter"


class InvalidCursor(Invalid):
    """The cursor is not one that this server gave for this list."""

    novel_code = "invalid_cursor"


class Conflict(RensaiError):
    """It clashes with what is already there."""

    code = "CONFLICT"
    status = 409
    novel_code = "idempotency_conflict"


class TooLarge(RensaiError):
    """The request is larger than this server accepts."""

    code = "PAYLOAD_TOO_LARGE"
    status = 413
    novel_code = "payload_too_large"


class RateLimited(RensaiError):
    """Too many requests; wait a little and try again."""

    code = "RATE_LIMITED"
    status = 429
    novel_code = "rate_limited"


class Unavailable(RensaiError):
    """The server cannot answer right now; try again in a moment."""

    code = "UNAVAILABLE"
    status = 503
