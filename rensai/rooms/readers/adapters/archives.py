"""The archive of a reader: a ZIP of JSON Lines, written and read in small pieces.

What is read comes from strangers. The table of contents is bounded before it is read, members
are unpacked a piece at a time and counted as they unfold, and a line has a longest length; so
neither a bomb nor a file that lies about its sizes takes more than a little memory.
"""

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, BinaryIO

from rensai.rooms.readers.model.transfers import ArchiveUnreadable

LONGEST_LINE = 256 * 1024
MOST_UNPACKED = 2 * 1024**3
"""Bytes of all files together, unfolded."""
_PIECE = 256 * 1024
_LARGEST_CONTENTS = 64 * 1024
_END = struct.Struct("<4s4H2LH")
_END_SIGNATURE = b"PK\x05\x06"
_ZIP64_LOCATOR = b"PK\x06\x07"
_LOCATOR_BYTES = 20
_READ_IN_PIECES = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""The other ways to pack unfold whole blocks at once, whatever size is asked for."""
_ENCRYPTED = 1
_DAMAGE = (zipfile.BadZipFile, struct.error, ValueError, OSError, NotImplementedError)


class ArchiveWriter:
    """Writes one archive, file after file."""

    def __init__(self, out: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED)

    def add(self, name: str, body: bytes) -> None:
        """A small file, whole."""
        self._zip.writestr(name, body)

    def open(self, name: str) -> IO[bytes]:
        """A file of any length, to be written and closed before the next."""
        return self._zip.open(name, "w", force_zip64=True)

    def close(self) -> None:
        self._zip.close()


class ArchiveReader:
    """Reads an archive that may be anything; `ArchiveUnreadable` says what is wrong with it."""

    def __init__(self, file: BinaryIO) -> None:
        _require_small_contents(file)
        try:
            self._zip = zipfile.ZipFile(file)
        except _DAMAGE as problem:
            raise ArchiveUnreadable("It is not a ZIP archive.") from problem
        names = self._zip.namelist()
        if len(names) != len(set(names)):
            raise ArchiveUnreadable("Two of its files have the same name.")
        for member in self._zip.infolist():
            if member.compress_type not in _READ_IN_PIECES or member.flag_bits & _ENCRYPTED:
                raise ArchiveUnreadable("It is packed in a way that is not read here.")
        self._left = MOST_UNPACKED

    def has(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def read(self, name: str) -> bytes:
        """A small file, whole."""
        body = b"".join(self._pieces(name, LONGEST_LINE))
        if len(body) > LONGEST_LINE:
            raise ArchiveUnreadable(f"{name} is too large.")
        return body

    def lines(self, name: str) -> Iterator[bytes]:
        """The lines of a file that are not empty, without their ends."""
        rest = b""
        for piece in self._pieces(name, None):
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                if len(line) > LONGEST_LINE:
                    raise ArchiveUnreadable(f"A line of {name} is too long.")
                if line.strip():
                    yield line
            if len(rest) > LONGEST_LINE:
                raise ArchiveUnreadable(f"A line of {name} is too long.")
        if rest.strip():
            yield rest

    def _pieces(self, name: str, most: int | None) -> Iterator[bytes]:
        try:
            with self._zip.open(name) as member:
                read = 0
                while piece := member.read(_PIECE):
                    self._left -= len(piece)
                    read += len(piece)
                    if self._left < 0:
                        raise ArchiveUnreadable("It unfolds to more than this server takes.")
                    yield piece
                    if most is not None and read > most:
                        return
        except (*_DAMAGE, zlib.error, EOFError, RuntimeError) as problem:
            raise ArchiveUnreadable(f"{name} is damaged.") from problem


def _require_small_contents(file: BinaryIO) -> None:
    """The standard library reads the table of contents whole, however long it claims to be."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END.size - _LOCATOR_BYTES))
    tail = file.read(_END.size + _LOCATOR_BYTES)
    file.seek(0)
    end = tail[-_END.size :]
    if len(end) < _END.size or end[:4] != _END_SIGNATURE:
        raise ArchiveUnreadable("It is not a ZIP archive that is whole and has no comment.")
    contents = _END.unpack(end)[5]
    if contents > _LARGEST_CONTENTS or tail[: -_END.size].startswith(_ZIP64_LOCATOR):
        raise ArchiveUnreadable("It has more files than an archive of a reader has.")
