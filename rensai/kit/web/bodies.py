"""Strict request bodies: decoded once, straight into the handler's type.

A key that appears twice counts with its last value, as in every common JSON parser, so a
gateway before us and we ourselves read the same body the same way.
"""

import re
import zlib
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from litestar.datastructures import UploadFile

from rensai.kit.errors import Invalid, TooLarge
from rensai.kit.web.errors import BadRequest, UnsupportedMediaType, without_values

DEFAULT_BODY_LIMIT = 1024 * 1024
"""Bytes that a body may have, sent and unpacked, unless its route says otherwise."""

_MOST_FORM_FIELDS = 1000
_JSON_TYPE = re.compile(r"application/(?:[\w.!#$&^-]+\+)?json", re.ASCII | re.IGNORECASE)
_ESCAPED_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
_PLACE = re.compile(r" - at `\$\.?(.*)`$")


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """The base of everything that a client may send: a field that we do not know is refused."""


class NovelBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The same for the novel API, which spells its fields with underscores."""


def require_json(content_type: str) -> None:
    """Refuse a body that does not call itself JSON, which also keeps plain forms out."""
    if not _JSON_TYPE.fullmatch(content_type):
        raise UnsupportedMediaType("Send the body as application/json.")


def decode_json(body: bytes, kind: Any) -> Any:  # Any: the handler's annotation, whatever it is
    """The body as the type that the handler declares."""
    if _ESCAPED_NUL.search(body):
        raise Invalid("The body contains a NUL character, which no text here can hold.")
    try:
        return _decoder(kind).decode(body)
    except msgspec.ValidationError as problem:
        raise Invalid(details=[_complaint(str(problem))]) from problem
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise BadRequest("The body is not valid JSON.", private=str(problem)) from problem
    except RecursionError as problem:
        raise BadRequest("The body is nested too deeply.") from problem


@lru_cache(maxsize=1024)
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def _complaint(message: str) -> dict[str, str]:
    place = _PLACE.search(message)
    return {
        "path": place[1] if place else "",
        "in": "body",
        "message": without_values(message),
    }


def decode_form(body: bytes) -> dict[str, str | list[str] | UploadFile]:
    """A form's fields; one that is sent several times becomes a list."""
    try:
        pairs = parse_qsl(
            body.decode("utf-8"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MOST_FORM_FIELDS,
        )
    except ValueError as problem:
        raise BadRequest("The form cannot be read.", private=type(problem).__name__) from problem
    fields: dict[str, str | list[str] | UploadFile] = {}
    for name, value in pairs:
        if "\0" in name or "\0" in value:
            raise Invalid("The form contains a NUL character, which no text here can hold.")
        known = fields.get(name)
        if known is None:
            fields[name] = value
        elif isinstance(known, list):
            known.append(value)
        elif isinstance(known, str):
            fields[name] = [known, value]
    return fields


def unpack(body: bytes, encoding: str, limit: float) -> bytes:
    """The body without its content encoding; a bomb is refused before it has unfolded."""
    if encoding in {"", "identity"}:
        return body
    if encoding not in {"gzip", "x-gzip"}:
        raise UnsupportedMediaType(
            "Send the body as it is, or packed with gzip.", headers={"Accept-Encoding": "gzip"}
        )
    unpacker = zlib.decompressobj(wbits=31)
    try:
        most = 0 if limit == float("inf") else int(limit) + 1
        unpacked = unpacker.decompress(body, most)
    except zlib.error as problem:
        raise BadRequest("The body is not valid gzip.", private=str(problem)) from problem
    if len(unpacked) > limit or unpacker.unconsumed_tail:
        raise TooLarge
    if not unpacker.eof or unpacker.unused_data:
        raise BadRequest("The body is not one whole gzip stream.")
    return unpacked
