"""What an operator types: names, tags and reasons, each one clean line."""

import unicodedata
from collections.abc import Sequence

from rensai.kit.errors import Invalid

# Control characters, halves of pairs, ends of lines.
_UNCLEAN = frozenset({"Cc", "Cs", "Zl", "Zp"})
# What turns the direction of the text around it.
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def one_line(what: str, text: str, most: int) -> str:
    """The text, trimmed and composed; `Invalid` says what is wrong with it."""
    line = unicodedata.normalize("NFC", text).strip()
    if not 1 <= len(line) <= most:
        raise Invalid(f"{what} has 1 to {most} characters.")
    if any(sign in _TURNING or unicodedata.category(sign) in _UNCLEAN for sign in line):
        raise Invalid(f"{what} must not contain control characters.")
    return line


def lines(what: str, texts: Sequence[str], *, each: int, most: int) -> list[str]:
    """The texts, each once whatever its case, in their order."""
    if len(texts) > most:
        raise Invalid(f"There are at most {most} {what}s, not {len(texts):,}.")
    found: dict[str, str] = {}
    for text in texts:
        line = one_line(f"A {what}", text, each)
        found.setdefault(line.casefold(), line)
    return list(found.values())


def shortened(text: str) -> str:
    """What somebody typed, fit to stand in a sentence to him."""
    plain = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
    return plain if len(plain) <= 60 else f"{plain[:59]}…"
