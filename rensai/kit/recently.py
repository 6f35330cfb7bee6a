"""What has been noted within the last while, in a memory that never grows.

Each note is eight bytes in a table of fixed size: 40 bits of the mark and the second at which it
was made. The table lies in a file, so that all processes of a machine share it and a restart
forgets nothing. Two processes that write to the same cell at the same moment lose one note; a
table that is full forgets its oldest notes first. Nothing about a mark can be read out of it.
"""

import mmap
import os
from datetime import timedelta
from pathlib import Path

from rensai.kit.log import get_logger

CELLS = 1 << 20
"""Eight megabytes: 580 notes a second for half an hour before any is forgotten early."""

_WAYS = 4
_SECONDS_BITS = 24
_SECONDS = (1 << _SECONDS_BITS) - 1  # seconds come round again after half a year

_LOG = get_logger("rensai.recently")


class Recently:
    """Marks that were noted less than `span` ago."""

    def __init__(self, span: timedelta, path: Path | None = None, *, cells: int = CELLS) -> None:
        """In the file at `path`, or in this process alone; `cells` is a power of two."""
        self._span = int(span.total_seconds())
        self._last_bucket = cells // _WAYS - 1
        self._cells = memoryview(_memory(path, cells * 8)).cast("Q")

    def note(self, mark: int, now: float) -> bool:
        """Note 64 random bits; whether they had not been noted within the span before."""
        cells = self._cells
        second = int(now) & _SECONDS
        print_ = mark >> _SECONDS_BITS
        first = (mark & self._last_bucket) * _WAYS
        oldest, most = first, -1
        for place in range(first, first + _WAYS):
            cell = cells[place]
            age = (second - cell) & _SECONDS
            if cell >> _SECONDS_BITS == print_ and cell:
                if age < self._span:
                    return False
                oldest = place
                break
            if not cell:
                age = _SECONDS + 1
            if age > most:
                oldest, most = place, age
        cells[oldest] = print_ << _SECONDS_BITS | second
        return True


def _memory(path: Path | None, size: int) -> mmap.mmap:
    if path is not None:
        try:
            return _file(path, size)
        except OSError as problem:
            _LOG.warning("what was seen lately is not shared", error=str(problem))
    return mmap.mmap(-1, size)


def _file(path: Path, size: int) -> mmap.mmap:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.ftruncate(descriptor, size)
        return mmap.mmap(descriptor, size)
    finally:
        os.close(descriptor)
