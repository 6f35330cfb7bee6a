"""Text from people: stored as it was sent, save that the same letters are the same text.

Composed (NFC), trimmed, line ends as one newline; measured in characters. What no text needs is
refused: control characters, halves of pairs, and in single lines what turns the direction of
everything after it. Nothing is escaped here: pages do that, whatever the text holds.
"""

import unicodedata

from rensai.kit.errors import Invalid

_UNCLEAN = frozenset({"Cc", "Cs", "Zl", "Zp"})
_IN_PROSE = frozenset("\n\t\u2028\u2029")
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def line(field: str, text: str, *, least: int = 1, most: int) -> str:
    """One line, such as a name; `Invalid` says what is wrong with the field."""
    clean = unicodedata.normalize("NFC", text).strip()
    _require_length(field, clean, least, most)
    if any(sign in _TURNING or unicodedata.category(sign) in _UNCLEAN for sign in clean):
        raise wrong(field, "It must be one line without control characters.")
    return clean


def prose(field: str, text: str, *, least: int = 0, most: int) -> str:
    """Text of any number of lines, such as a comment; `Invalid` says what is wrong with it."""
    clean = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    _require_length(field, clean, least, most)
    if any(sign not in _IN_PROSE and unicodedata.category(sign) in _UNCLEAN for sign in clean):
        raise wrong(field, "It must not contain control characters.")
    return clean


def wrong(field: str, message: str) -> Invalid:
    """The error that names a field of the body and what is wrong with it."""
    return Invalid(details=[{"path": field, "in": "body", "message": message}])


def _require_length(field: str, text: str, least: int, most: int) -> None:
    if not least <= len(text) <= most:
        raise wrong(field, f"It must have {least} to {most} characters.")
