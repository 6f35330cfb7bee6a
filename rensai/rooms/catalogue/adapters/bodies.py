"""The text of a chapter, from what a source sends to what is stored and back.

Everything here is plain computation without state that threads share. Hashing, packing and
cleaning release the interpreter's lock.
"""

import gzip
import hashlib
import threading
import unicodedata

import msgspec
import zstandard

from rensai.kit.errors import Invalid
from rensai.rooms.catalogue.adapters import markup
from rensai.rooms.catalogue.adapters.words import count_words

_LEVEL = 3
_NOT_WORTH_PACKING = 256
_LONGEST_UNPACKED = 64 << 20
# No book format and no browser has a use for these; a tab and a line feed remain.
_CONTROLS = bytes([*range(9), 11, 12, *range(14, 32), 127])
_REMOVE_CONTROLS = dict.fromkeys(_CONTROLS)
_mine = threading.local()


class PreparedBody(msgspec.Struct, frozen=True):
    """A chapter's text, ready to be stored."""

    raw: bytes
    html: bytes | None
    """The cleaned HTML; None for plain text, which is escaped when it is shown."""

    encoding: str
    """How both are packed."""

    hash: bytes
    """SHA-256 of the normalised text."""

    size: int
    """Bytes of the normalised text."""

    words: int


class UnreadableBody(Invalid):
    """The text of this chapter cannot be read."""


def normalise(raw: str) -> str:
    """The one form of a text: NFC, line feeds alone, no control characters."""
    return _normalised(raw, _encoded(raw))[0]


def prepare_body(raw: str, encoded: bytes | None = None) -> PreparedBody:
    """Normalise, hash, clean, count and pack a text as it came.

    `encoded` is the same text as UTF-8, for who has it already: encoding a chapter takes as
    long as half of packing it.
    """
    text, data = _normalised(raw, _encoded(raw) if encoded is None else encoded)
    html = markup.clean(text) if markup.has_markup(text) else None
    shown = text if html is None else markup.text_of(html)
    packs = len(data) >= _NOT_WORTH_PACKING
    return PreparedBody(
        raw=_packed(data) if packs else data,
        html=None if html is None else (_packed(html.encode()) if packs else html.encode()),
        encoding="zstd" if packs else "none",
        hash=hashlib.sha256(data).digest(),
        size=len(data),
        words=count_words(shown, data if html is None else shown.encode()),
    )


def unpack_body(packed: bytes, encoding: str) -> str:
    """The text of a stored body."""
    try:
        if encoding == "zstd":
            data = zstandard.ZstdDecompressor().decompress(
                packed, max_output_size=_LONGEST_UNPACKED
            )
        else:
            data = gzip.decompress(packed) if encoding == "gzip" else packed
        return data.decode()
    except (zstandard.ZstdError, EOFError, OSError, UnicodeDecodeError) as error:
        raise UnreadableBody(private=f"{encoding}: {type(error).__name__}") from error


def _encoded(raw: str) -> bytes:
    try:
        return raw.encode()
    except UnicodeEncodeError:
        raise UnreadableBody("The text has half of a surrogate pair in it.") from None


def _normalised(raw: str, data: bytes) -> tuple[str, bytes]:
    """The one form of a text and of its bytes; most texts have it already and stay as they are."""
    text = raw
    if len(data.translate(None, _CONTROLS)) != len(data):
        text = text.translate(_REMOVE_CONTROLS)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = unicodedata.normalize("NFC", text)
    return text, data if text is raw else text.encode()


def _packed(data: bytes) -> bytes:
    """A compressor serves one thread at a time, so each thread has its own."""
    compressor: zstandard.ZstdCompressor | None = getattr(_mine, "compressor", None)
    if compressor is None:
        compressor = _mine.compressor = zstandard.ZstdCompressor(level=_LEVEL)
    return compressor.compress(data)
