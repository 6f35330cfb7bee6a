"""Errors that only HTTP knows, and the translation of Litestar's own into our family."""

import re
from collections.abc import Mapping
from typing import cast

from litestar.enums import ParamType
from litestar.exceptions import HTTPException, ValidationException
from litestar.handlers import BaseRouteHandler

from rensai.kit import errors
from rensai.kit.web.filters import allowed_values

Field = Mapping[str, object]
"""What is wrong with one parameter."""

_MISSING = re.compile(r"Missing required (\w+) parameter '(\w+)'")


class BadRequest(errors.RensaiError):
    """The request cannot be read."""

    code = "BAD_REQUEST"
    status = 400
    novel_code = "invalid_schema"


class MethodNotAllowed(errors.RensaiError):
    """This address does not answer to that method; the Allow header names those it does."""

    code = "METHOD_NOT_ALLOWED"
    status = 405
    novel_code = "method_not_allowed"


class RequestTimeout(errors.RensaiError):
    """The request took too long to arrive."""

    code = "REQUEST_TIMEOUT"
    status = 408
    novel_code = "request_timeout"


class AddressTooLong(errors.RensaiError):
    """The address is longer than this server accepts."""

    code = "URI_TOO_LONG"
    status = 414
    novel_code = "payload_too_large"


class UnsupportedMediaType(errors.RensaiError):
    """The request's content is not of a type that is understood here."""

    code = "UNSUPPORTED_MEDIA_TYPE"
    status = 415
    novel_code = "unsupported_media_type"


class HeadersTooLarge(errors.RensaiError):
    """The request's headers are larger than this server accepts."""

    code = "HEADERS_TOO_LARGE"
    status = 431
    novel_code = "payload_too_large"


class ServerFault(errors.RensaiError):
    """Something went wrong on our side; the request id helps to find out what."""


_BY_STATUS: dict[int, type[errors.RensaiError]] = {
    kind.status: kind
    for kind in (
        BadRequest,
        errors.AuthRequired,
        errors.Forbidden,
        errors.NotFound,
        MethodNotAllowed,
        errors.TooLarge,
        UnsupportedMediaType,
        errors.Invalid,
        errors.RateLimited,
        errors.Unavailable,
    )
}


def in_our_words(problem: Exception, handler: BaseRouteHandler | None = None) -> errors.RensaiError:
    """The member of our family that says what this exception means; a surprise is a fault.

    `handler` is the route's, from which the allowed values of a parameter are told.
    """
    if isinstance(problem, errors.RensaiError):
        return problem
    if isinstance(problem, ValidationException):
        return _invalid(problem, handler)
    if isinstance(problem, HTTPException) and problem.status_code in _BY_STATUS:
        headers = {name.title(): str(value) for name, value in (problem.headers or {}).items()}
        return _BY_STATUS[problem.status_code](headers=headers, private=problem.detail)
    return ServerFault()


def _invalid(problem: ValidationException, handler: BaseRouteHandler | None) -> errors.RensaiError:
    """What Litestar found wrong with parameters: each place has an error of its own."""
    missing = _MISSING.match(problem.detail)
    if missing:
        fields: list[Field] = [{"path": missing[2], "in": missing[1], "message": "It is required."}]
    else:
        fields = _fields(problem.extra, handler)
    places = {field["in"] for field in fields}
    if "path" in places:
        # No address that we ever gave looks like that.
        return errors.NotFound(private=str(fields))
    kind = errors.Invalid
    if "query" in places:
        only_cursor = all(field["path"] == "cursor" for field in fields)
        kind = errors.InvalidCursor if only_cursor else errors.InvalidFilter
    return kind(details=list[object](fields))


def _fields(extra: object, handler: BaseRouteHandler | None) -> list[Field]:
    """What Litestar found wrong with parameters, as the list that our clients get."""
    if not isinstance(extra, list):
        return []
    return [_field(item, handler) for item in cast("list[Mapping[str, object]]", extra)]


def _field(item: Mapping[str, object], handler: BaseRouteHandler | None) -> Field:
    name = str(item.get("key", ""))
    field: Field = {
        "path": name,
        "in": _place(item.get("source")),
        "message": without_values(str(item.get("message", ""))),
    }
    allowed = None if handler is None else allowed_values(handler, name)
    return field if allowed is None else {**field, "allowed": allowed}


def _place(source: object) -> str:
    return str(source.value) if isinstance(source, ParamType) else "body"


def without_values(message: str) -> str:
    """The same complaint without the offending value and the place, which stands beside it."""
    message = message.partition(" - at `")[0]
    for start in ("Invalid enum value", "Invalid value"):
        if message.startswith(start):
            return start
    return message
