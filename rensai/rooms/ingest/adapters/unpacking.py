"""Bodies that were packed on the way: unpacked step by step, so that a bomb stops early."""

import io
import zlib
from collections.abc import Iterator

import zstandard

from rensai.rooms.ingest.errors import BodyTooLarge, InvalidSchema, UnknownEncoding

ENCODINGS = ("gzip", "zstd")

_STEP = 256 * 1024
_LARGEST_WINDOW = 16 * 1024 * 1024
"""What a sender may make us remember while unpacking; RFC 9659 allows senders half of it."""


def unpack(body: bytes, encoding: str, limit: int) -> bytes:
    """The body without its Content-Encoding; at most `limit` bytes are ever unpacked."""
    if encoding in {"", "identity"}:
        return body
    if encoding in {"gzip", "x-gzip"}:
        return _joined(_gzip(body), limit)
    if encoding == "zstd":
        return _joined(_zstd(body), limit)
    raise UnknownEncoding(
        "Send the body as it is, or packed with gzip or zstd.",
        headers={"Accept-Encoding": ", ".join(ENCODINGS)},
    )


def _joined(pieces: Iterator[bytes], limit: int) -> bytes:
    unpacked = bytearray()
    for piece in pieces:
        unpacked += piece
        if len(unpacked) > limit:
            raise BodyTooLarge
    return bytes(unpacked)


def _gzip(body: bytes) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(wbits=31)
    rest = body
    try:
        while rest and not unpacker.eof:
            yield unpacker.decompress(rest, _STEP)
            rest = unpacker.unconsumed_tail
    except zlib.error as problem:
        raise InvalidSchema("The body is not valid gzip.", private=str(problem)) from problem
    if not unpacker.eof or unpacker.unused_data:
        raise InvalidSchema("The body is not one whole gzip stream.")


def _zstd(body: bytes) -> Iterator[bytes]:
    """A stream that breaks off yields what there is: it is then no whole JSON either."""
    unpacker = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
    try:
        with unpacker.stream_reader(io.BytesIO(body)) as reader:
            while piece := reader.read(_STEP):
                yield piece
    except zstandard.ZstdError as problem:
        raise InvalidSchema("The body is not valid zstd.", private=str(problem)) from problem
