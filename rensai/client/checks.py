"""Finds what a server would refuse in an item, before it is sent, with the server's own codes.

A server has the last word; it also refuses times more than 24 hours ahead of its clock.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from rensai.client.batches import Item, Kind

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_CONTROL_IN_PROSE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SLUG = re.compile(r"[a-z0-9-]+")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")
_ADDRESS = re.compile(r"https?://[^\s/?#]+[^\s]*", re.IGNORECASE)
_SOURCE = re.compile(r"[^\s:/]{1,40}")
_MOST_BODY = 256 * 1024
_LARGEST_NO = Decimal("99999999.99")

Check = Callable[[Any], str | None]  # Any: whatever JSON can say


@dataclass(frozen=True, slots=True)
class Problem:
    """The first thing that is wrong with an item."""

    code: str
    message: str


def problem_of(kind: Kind, item: Item) -> Problem | None:
    """What a server would refuse in this item; None when it looks right."""
    fields = _STORY if kind is Kind.STORIES else _CHAPTER
    deleted = item.get("deleted")
    if deleted is not None and not isinstance(deleted, bool):
        return Problem("invalid_deleted", "deleted must be true or false")
    if deleted:
        fields = {name: fields[name] for name in _deletion(kind, item)}
    for name, check in fields.items():
        said = check(item.get(name))
        if said is not None:
            return Problem(f"invalid_{name}", f"{name} {said}")
    return None


def problem_of_source(source: str) -> Problem | None:
    """What a server would refuse in the name of a source."""
    if not source:
        return Problem("invalid_source", "no source is named")
    if _SOURCE.fullmatch(source) is None or not source.isprintable():
        told = "source must have 1 to 40 characters, without spaces, colons or slashes"
        return Problem("invalid_source", told)
    if source == "local":
        return Problem("invalid_source", "the source local belongs to what is uploaded there")
    return None


def _deletion(kind: Kind, item: Item) -> tuple[str, ...]:
    """A deletion needs an identity and the time, and nothing else."""
    if kind is Kind.STORIES:
        return ("source_story_id", "updated_at_source")
    by_id = item.get("source_chapter_id") and item.get("chapter_no") is None
    return ("source_story_id", "source_chapter_id" if by_id else "chapter_no", "updated_at_source")


def _required(check: Check) -> Check:
    return lambda value: "is required" if value is None else check(value)


def _optional(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


def _identifier(value: Any) -> str | None:
    if not isinstance(value, str):
        return "must be text"
    return _one_line(value, 191) if value.strip() else "must not be empty"


def _chapter_id(value: Any) -> str | None:
    return None if value == "" else _identifier(value)


def _line(most: int, *, may_be_empty: bool = False) -> Check:
    def check(value: Any) -> str | None:
        if not isinstance(value, str):
            return "must be text"
        text = unicodedata.normalize("NFC", value).strip()
        if not text:
            return None if may_be_empty else "must not be empty"
        return _one_line(text, most)

    return check


def _one_line(text: str, most: int) -> str | None:
    if len(text) > most:
        return f"must have at most {most} characters"
    if _CONTROL.search(text):
        return "must not contain control characters"
    return _whole_characters(text)


def _whole_characters(text: str) -> str | None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return "has half of a surrogate pair in it"
    return None


def _slug(value: Any) -> str | None:
    if not isinstance(value, str):
        return "must be text"
    if not value:
        return "is required"
    if len(value) > 191:
        return "must have at most 191 characters"
    return None if _SLUG.fullmatch(value) else "may only contain a-z, 0-9 and hyphens"


def _language(value: Any) -> str | None:
    if not isinstance(value, str):
        return "must be text"
    if value and (len(value) > 10 or not _LANGUAGE.fullmatch(value)):
        return "must be a language tag of at most 10 characters, such as vi"
    return None


def _address(value: Any) -> str | None:
    said = _line(1024, may_be_empty=True)(value)
    if said is None and value.strip() and not _ADDRESS.fullmatch(value.strip()):
        return "must be an http or https address"
    return said


def _prose(value: Any) -> str | None:
    if not isinstance(value, str):
        return "must be text"
    text = unicodedata.normalize("NFC", value).replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > 200_000:
        return "must have at most 200000 characters"
    if _CONTROL_IN_PROSE.search(text):
        return "must not contain control characters other than newline and tab"
    return _whole_characters(text)


def _body(value: Any) -> str | None:
    if not isinstance(value, str):
        return "must be text"
    if said := _whole_characters(value):
        return said
    if len(value.encode()) > _MOST_BODY:
        return f"must have at most {_MOST_BODY} bytes of UTF-8"
    if _CONTROL_IN_PROSE.search(value.replace("\r", "\n")):
        return "must not contain control characters other than newline and tab"
    return None if value.encode().strip() else "must not be empty"


def _moment(value: Any) -> str | None:
    if isinstance(value, datetime):
        return None if value.tzinfo else "must say its offset from UTC"
    if not isinstance(value, str):
        return "must be text"
    if not value:
        return "is required"
    try:
        when = datetime.fromisoformat(value)
        if len(value) < 11:
            raise ValueError
        if when.tzinfo is not None:
            when.astimezone(UTC)
    except (ValueError, OverflowError):
        return "must be an ISO-8601 date and time in UTC"
    return None


def _number(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return "must be a number"
    if not abs(value) < 100_000_000:
        return f"must be between -{_LARGEST_NO} and {_LARGEST_NO}"
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    rounded = exact.quantize(Decimal("0.01"))
    if abs(exact - rounded) > Decimal("0.000001"):
        return "must have at most two decimals"
    return None if abs(rounded) <= _LARGEST_NO else f"must be at most {_LARGEST_NO}"


def _status(value: Any) -> str | None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return None if is_whole and 0 <= value <= 4 else "must be a whole number from 0 to 4"


def _published(value: Any) -> str | None:
    return None if value in (True, False) and not isinstance(value, float) else "must be a boolean"


def _several(most: int, longest: int) -> Check:
    entry = _line(longest)

    def check(value: Any) -> str | None:
        if not isinstance(value, list | tuple):
            return "must be a list"
        if len(value) > most:  # pyright: ignore[reportUnknownArgumentType]  # a list of whatever
            return f"must have at most {most} entries"
        return next((said for each in value if (said := entry(each))), None)  # pyright: ignore[reportUnknownVariableType]  # as above

    return check


_STORY: Mapping[str, Check] = {
    "source_story_id": _required(_identifier),
    "slug": _required(_slug),
    "title": _required(_line(255)),
    "updated_at_source": _required(_moment),
    "title_original": _optional(_line(255, may_be_empty=True)),
    "author_name": _optional(_line(191, may_be_empty=True)),
    "status": _optional(_status),
    "cover_url": _optional(_address),
    "summary": _optional(_prose),
    "language": _optional(_language),
    "aliases": _optional(_several(100, 255)),
    "genres": _optional(_several(50, 120)),
}
_CHAPTER: Mapping[str, Check] = {
    "source_story_id": _required(_identifier),
    "source_chapter_id": _optional(_chapter_id),
    "chapter_no": _required(_number),
    "slug": _required(_slug),
    "title": _required(_line(255)),
    "updated_at_source": _required(_moment),
    "published_at": _optional(_moment),
    "is_published": _optional(_published),
    "content_raw": _required(_body),
}
