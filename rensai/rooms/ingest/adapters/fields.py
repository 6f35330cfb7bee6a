"""The fields of an item: what each may hold, and the sentence that says so when it does not.

A field that is missing or null counts as not there. Single lines are trimmed and brought to
Unicode's composed form (NFC); identifiers are kept as they are, since only their sender knows
what they mean.
"""

import re
import unicodedata
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from msgspec import UNSET, UnsetType

Text = str | None | UnsetType

LONGEST_AHEAD = timedelta(hours=24)
"""A time further in the future is a mistake, and would outlive every correction."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_CONTROL_IN_PROSE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONTROL_BYTES = bytes([*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F])
_SLUG = re.compile(r"[a-z0-9-]+")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")
_ADDRESS = re.compile(r"https?://[^\s/?#]+[^\s]*", re.IGNORECASE)
_LARGEST_NO = Decimal("99999999.99")
_CENT = Decimal("0.01")


class Rejected(Exception):
    """An item cannot be accepted because of one of its fields."""

    def __init__(self, field: str, what: str) -> None:
        self.code = f"invalid_{field}"
        self.message = f"{field} {what}"
        super().__init__(self.message)


def identifier(field: str, value: Text, most: int = 191) -> str:
    """An id of the sender's own, word for word."""
    if value is UNSET or value is None:
        raise Rejected(field, "is required")
    if not value.strip():
        raise Rejected(field, "must not be empty")
    _check_line(field, value, most)
    return value


def line(field: str, value: Text, most: int) -> str:
    """One line of text that must be there."""
    if value is UNSET or value is None:
        raise Rejected(field, "is required")
    text = unicodedata.normalize("NFC", value).strip()
    if not text:
        raise Rejected(field, "must not be empty")
    _check_line(field, text, most)
    return text


def optional_line(field: str, value: Text, most: int) -> Text:
    """One line of text that may be missing; an empty one is none."""
    if value is UNSET:
        return UNSET
    if value is None or not value.strip():
        return None
    return line(field, value, most)


def _check_line(field: str, text: str, most: int) -> None:
    if len(text) > most:
        raise Rejected(field, f"must have at most {most} characters")
    if not text.isprintable() and _CONTROL.search(text):
        raise Rejected(field, "must not contain control characters")


def slug(field: str, value: Text, most: int = 191) -> str:
    """Lower-case ASCII letters, digits and hyphens."""
    if value is UNSET or value is None or not value:
        raise Rejected(field, "is required")
    if len(value) > most:
        raise Rejected(field, f"must have at most {most} characters")
    if _SLUG.fullmatch(value) is None:
        raise Rejected(field, "may only contain a-z, 0-9 and hyphens")
    return value


def language(field: str, value: Text) -> str | UnsetType:
    """A language tag, such as vi or zh-Hant."""
    if value is UNSET or not value:
        return UNSET
    if len(value) > 10 or _LANGUAGE.fullmatch(value) is None:
        raise Rejected(field, "must be a language tag of at most 10 characters, such as vi")
    return value


def address(field: str, value: Text, most: int) -> Text:
    """An address on the web."""
    text = optional_line(field, value, most)
    if isinstance(text, str) and _ADDRESS.fullmatch(text) is None:
        raise Rejected(field, "must be an http or https address")
    return text


def prose(field: str, value: Text, most: int) -> Text:
    """Text of several lines; line ends become newlines."""
    if value is UNSET or value is None:
        return value
    text = unicodedata.normalize("NFC", value).replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > most:
        raise Rejected(field, f"must have at most {most} characters")
    if _CONTROL_IN_PROSE.search(text):
        raise Rejected(field, "must not contain control characters other than newline and tab")
    return text.strip() or None


def body(field: str, value: Text, most: int) -> tuple[str, bytes]:
    """The text of a chapter, as it came and as UTF-8; only what no text may hold is refused."""
    if value is UNSET or value is None:
        raise Rejected(field, "is required")
    encoded = value.encode()
    if len(encoded) > most:
        raise Rejected(field, f"must have at most {most} bytes of UTF-8")
    if len(encoded.translate(None, _CONTROL_BYTES)) != len(encoded):
        raise Rejected(field, "must not contain control characters other than newline and tab")
    if not encoded.strip():
        raise Rejected(field, "must not be empty")
    return value, encoded


def moment(field: str, value: Text, now: datetime) -> datetime:
    """A date and time of ISO-8601; one that names no offset is in UTC."""
    if value is UNSET or value is None or not value:
        raise Rejected(field, "is required")
    try:
        when = datetime.fromisoformat(value)
        if len(value) < 11:  # a date alone
            raise ValueError
        when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Rejected(field, "must be an ISO-8601 date and time in UTC") from None
    if when > now + LONGEST_AHEAD:
        raise Rejected(field, "is more than 24 hours in the future")
    return when


def optional_moment(field: str, value: Text, now: datetime) -> datetime | UnsetType | None:
    """As `moment`, but it may be missing."""
    if value is UNSET or value is None:
        return value
    return moment(field, value, now)


def number(field: str, value: float | UnsetType | None) -> Decimal:
    """A number with at most two decimals; what binary fractions add to it is taken away."""
    if value is UNSET or value is None:
        raise Rejected(field, "is required")
    if not abs(value) < 100_000_000:
        raise Rejected(field, f"must be between -{_LARGEST_NO} and {_LARGEST_NO}")
    exact = Decimal(repr(value))
    rounded = exact.quantize(_CENT)
    if abs(exact - rounded) > Decimal("0.000001"):
        raise Rejected(field, "must have at most two decimals")
    if abs(rounded) > _LARGEST_NO:
        raise Rejected(field, f"must be between -{_LARGEST_NO} and {_LARGEST_NO}")
    return rounded + 0  # no negative zero


def several(
    field: str, value: list[str] | UnsetType | None, most: int, longest: int
) -> list[str] | UnsetType:
    """A list of single lines, each once."""
    if value is UNSET:
        return UNSET
    if value is None:
        return []
    if len(value) > most:
        raise Rejected(field, f"must have at most {most} entries")
    found: dict[str, None] = {}
    for each in value:
        found[line(field, each, longest)] = None
    return list(found)
