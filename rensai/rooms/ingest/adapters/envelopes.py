"""The envelope of a bulk request. Its items stay as they came, so that each is judged alone."""

import json
import re
from typing import cast

import msgspec

from rensai.rooms.ingest.errors import InvalidSchema

MOST_ITEMS = 300
MOST_STORY_IDS = 10_000
_LARGEST_ID = 2**63 - 1

_SOURCE = re.compile(r"[^\s:/]{1,40}")
_PLACE = re.compile(r" - at `\$\.?([^`]*)`$")


class Envelope(msgspec.Struct, frozen=True):
    """What a bulk request says about itself; fields that are not known are passed over."""

    source: str
    items: list[msgspec.Raw]


class StoryIds(msgspec.Struct, frozen=True):
    """The stories to recount."""

    story_ids: list[int]


_ENVELOPE = msgspec.json.Decoder(Envelope)
_STORY_IDS = msgspec.json.Decoder(StoryIds)


def read_envelope(body: bytes) -> Envelope:
    """The source and the items, or what is wrong with the request as a whole."""
    try:
        envelope = _decoded(body)
    except _ILL_FORMED as problem:
        raise _refused(problem) from problem
    if _SOURCE.fullmatch(envelope.source) is None or not envelope.source.isprintable():
        raise _bad("source", "must have 1 to 40 characters, without spaces, colons or slashes")
    if not 1 <= len(envelope.items) <= MOST_ITEMS:
        raise _bad("items", f"must have 1 to {MOST_ITEMS} entries")
    return envelope


def _decoded(body: bytes) -> Envelope:
    """Half a surrogate pair or a NaN in one item must not cost the others: such a body is read
    again by a parser that lets them pass, and only the item that has them stays unreadable."""
    try:
        return _ENVELOPE.decode(body)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        try:
            loose = json.loads(body.decode("utf-8", "surrogateescape"), parse_int=_whole)
        except ValueError:
            raise problem from None
        if isinstance(loose, dict):
            envelope = cast("dict[str, object]", loose)
            items = envelope.get("items")
            if isinstance(items, list):
                each = cast("list[object]", items)
                envelope["items"] = [msgspec.Raw(json.dumps(item).encode()) for item in each]
        return msgspec.convert(loose, Envelope)


def _whole(digits: str) -> float:
    """An integer; one that is absurdly long would take long to read, and is refused later."""
    return int(digits) if len(digits) < 400 else float("inf")


def read_story_ids(body: bytes) -> list[int]:
    """The ids, or what is wrong with the request."""
    try:
        story_ids = _STORY_IDS.decode(body).story_ids
    except _ILL_FORMED as problem:
        raise _refused(problem) from problem
    if not 1 <= len(story_ids) <= MOST_STORY_IDS:
        raise _bad("story_ids", f"must have 1 to {MOST_STORY_IDS} entries")
    if min(story_ids) < 1 or max(story_ids) > _LARGEST_ID:
        raise _bad("story_ids", "must be positive whole numbers of 63 bits")
    return story_ids


_ILL_FORMED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def _refused(problem: Exception) -> InvalidSchema:
    """In our own words, and without quoting what was sent."""
    if isinstance(problem, msgspec.ValidationError):
        message = str(problem)
        place = _PLACE.search(message)
        return _bad(place[1] if place else "", message.partition(" - at `")[0])
    if isinstance(problem, RecursionError):
        return InvalidSchema("The body is nested too deeply.")
    return InvalidSchema("The body is not valid JSON.")


def _bad(path: str, message: str) -> InvalidSchema:
    return InvalidSchema(
        f"{path} {message}." if path else None,
        details=[{"path": path, "in": "body", "message": message}],
    )
