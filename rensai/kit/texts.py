"""What people write about things: kept as it was sent, as long as it is text at all.

Nothing is taken for markup here and nothing is escaped: answers are JSON, and pages escape.
"""

import unicodedata

from rensai.kit.errors import Invalid

# Control characters, and halves of pairs.
_UNCLEAN = frozenset({"Cc", "Cs"})
# What ends a line, and what turns the direction of all that follows, also behind the text.
_NOT_IN_LINES = frozenset("\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def several_lines(field: str, text: str, most: int) -> str:
    """Text of any number of lines, composed and trimmed; it may be empty."""
    composed = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n")
    clean = composed.strip()
    if len(clean) > most:
        raise _refused(field, f"must have at most {most:,} characters")
    if any(unicodedata.category(sign) in _UNCLEAN and sign not in "\n\t" for sign in clean):
        raise _refused(field, "must not contain control characters other than newline and tab")
    return clean


def one_line(field: str, text: str, most: int) -> str:
    """A name or a title, composed and trimmed; it is never empty."""
    clean = unicodedata.normalize("NFC", text).strip()
    if not 1 <= len(clean) <= most:
        raise _refused(field, f"must have 1 to {most:,} characters")
    if any(sign in _NOT_IN_LINES or unicodedata.category(sign) in _UNCLEAN for sign in clean):
        raise _refused(field, "must be one line without control characters")
    return clean


def _refused(field: str, why: str) -> Invalid:
    return Invalid(
        f"The {field} {why}.", details=[{"path": field, "in": "body", "message": f"It {why}."}]
    )
