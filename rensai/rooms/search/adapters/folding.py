"""Text as it is compared: without case, accents and the difference of the two kana.

What is written and what is asked for go the same way, so `than dao` finds `Thần Đạo`.
"""

import re
import unicodedata

# Letters that do not fall apart into a plain one and an accent.
_LETTERS = {
    "đ": "d",
    "ð": "d",
    "ø": "o",
    "ł": "l",
    "æ": "ae",
    "œ": "oe",
    "ß": "ss",
    "þ": "th",
    "ı": "i",
    "ʻ": "",
    "'": "",
    "’": "",
    "ʼ": "",
}
_ACCENTS = [
    range(0x300, 0x370),
    range(0x1AB0, 0x1B00),
    range(0x1DC0, 0x1E00),
    range(0x20D0, 0x2100),
]
_LETTERS.update({chr(accent): "" for accents in _ACCENTS for accent in accents})
_HIRAGANA = {chr(katakana): chr(katakana - 0x60) for katakana in range(0x30A1, 0x30F7)}

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KANA = "\u3041-\u3096\u30a1-\u30fa\u30fc"
_HANGUL = "\uac00-\ud7a3"
UNSPACED = f"{_HAN}{_KANA}{_HANGUL}々〆〇"
"""Characters of the scripts that are cut into pairs, as the inside of a character class."""

_OWNER = re.compile("['’][sS](?![\\w\u0300-\u036f])")
"""Who looks for a dragon finds the dragon's sword."""

_RUN = re.compile(f"[{UNSPACED}]+|[^\\W_{UNSPACED}]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")

_LETTER = f"[^\\W_{UNSPACED}]"
_WRITTEN = re.compile(f"[{UNSPACED}]+|{_LETTER}(?:{_LETTER}|[\u0300-\u036f]|['’](?={_LETTER}))*")
"""As `_RUN`, in text that has not been folded: accents and apostrophes are still there."""


def fold(text: str) -> str:
    """The text as it is compared."""
    if "'" in text or "’" in text:
        text = _OWNER.sub("", text)
    if text.isascii():
        return text.lower().replace("'", "")
    # Composed again, since Hangul falls apart into letters and kana lose their voicing marks.
    # Taken apart first, since letters in circles and in mathematics have no case.
    apart = unicodedata.normalize("NFKD", text).casefold()
    return _replaced(unicodedata.normalize("NFC", _replaced(apart, _LETTERS)), _HIRAGANA)


def _replaced(text: str, table: dict[str, str]) -> str:
    """As `str.translate`, which is slower: of many characters in the table few are in a text."""
    for character in table.keys() & set(text):
        text = text.replace(character, table[character])
    return text


def is_unspaced(word: str) -> bool:
    """Whether a word is written in a script without spaces, or in Hangul, which is cut likewise."""
    return bool(_UNSPACED.match(word))


def runs(folded: str) -> list[str]:
    """The words of a folded text; characters of unspaced scripts stay together."""
    return _RUN.findall(folded)


def spans(text: str) -> list[tuple[int, int, str]]:
    """Where the words of a text stand, and what each is when folded."""
    return [(match.start(), match.end(), fold(match[0])) for match in _WRITTEN.finditer(text)]
