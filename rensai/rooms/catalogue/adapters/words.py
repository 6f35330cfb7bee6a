"""How many words a text has.

A word is what stands between spaces and is not punctuation alone. Chinese, Japanese and Korean
are counted by the character, as their readers and sites do. Every chapter that arrives is
counted, so this keeps to operations that run at the speed of C.
"""

import re

# The first byte of every character from U+3000 to U+D7FF: kana, Han, hangul and their punctuation.
_LEADS = bytes(range(0xE3, 0xEE))
_PUNCTUATION = "\u3000".encode()[:2]  # how U+3000 to U+303F begin
_CHARACTER = re.compile("[\u3000-\ud7ff]")
_WORD = re.compile(r"\w\S*")
_NOT_ASCII_AS_SPACE = bytes(byte if byte < 0x80 else 0x20 for byte in range(256))
# What stands alone between spaces and consists of these bytes is no word: -, *, dots and dashes.
# As parts of other characters they may go too, since something of those remains.
_MARKS = bytes({*"-*.–—…".encode()})
_SPACES_AND_REST = bytes(0x20 if byte in b" \t\n" else 0x61 for byte in range(256))
_NO_BREAK_SPACE = "\u00a0".encode()


def count_words(text: str, data: bytes) -> int:
    """The words of a text without markup, which is given as UTF-8 too."""
    characters = len(data) - len(data.translate(None, _LEADS))
    if not characters:
        return _between_spaces(data)
    characters -= data.count(_PUNCTUATION)
    if characters * 6 > len(data):  # most of it: what else is written there is ASCII as a rule
        return characters + len(data.translate(_NOT_ASCII_AS_SPACE).split())
    # A few characters among words leave brackets and commas behind when they are taken out.
    return characters + len(_WORD.findall(_CHARACTER.sub(" ", text)))


def _between_spaces(data: bytes) -> int:
    """Where a space is followed by something else, a word begins. Nothing is split, since most of
    the time would go into making the pieces."""
    if 0xC2 in data:
        data = data.replace(_NO_BREAK_SPACE, b" ")
    return (b" " + data).translate(_SPACES_AND_REST, _MARKS).count(b" a")
