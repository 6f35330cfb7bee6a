"""What a push has sent so far, so that one that was cut off goes on where it stopped.

A line for each batch that was answered, written and flushed before the next counts. A line that
a crash has torn counts as not written: its batch is sent again, which changes nothing.
"""

import os
from pathlib import Path
from typing import BinaryIO

import msgspec

from rensai.client.answers import Report
from rensai.client.batches import Batch, Rejection


class _Rejected(msgspec.Struct):
    position: int
    code: str
    message: str


class _Line(msgspec.Struct):
    to: str
    batch: str
    request_id: str | None
    accepted: int
    rejected: list[_Rejected]


class Journal:
    """The batches that one server has answered."""

    def __init__(self, path: Path, to: str) -> None:
        """`to` names server and key: what another one has answered does not count."""
        self.path = path
        self._to = to
        self._known: dict[str, _Line] = {}
        self._file: BinaryIO | None = None
        if path.exists():
            self._read()

    def report(self, batch: Batch) -> Report | None:
        """What became of the batch, when it has been answered before."""
        line = self._known.get(batch.idempotency_key)
        if line is None:
            return None
        items = dict(zip(batch.positions, batch.items, strict=True))
        rejected = [
            Rejection(each.position, items.get(each.position, {}), each.code, each.message)
            for each in line.rejected
        ]
        return Report(batch, line.request_id, line.accepted, tuple(rejected))

    def add(self, report: Report) -> None:
        """Note an answer; once this returns, no crash of this process undoes it."""
        rejected = [_Rejected(each.position, each.code, each.message) for each in report.rejected]
        key = report.batch.idempotency_key
        line = _Line(self._to, key, report.request_id, report.accepted, rejected)
        if self._file is None:
            self._file = self.path.open("ab")
            if self._file.tell() and not self.path.read_bytes().endswith(b"\n"):
                self._file.write(b"\n")
        self._file.write(msgspec.json.encode(line) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Keep it for another run."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def remove(self) -> None:
        """Forget it: everything was answered."""
        self.close()
        self.path.unlink(missing_ok=True)

    def _read(self) -> None:
        for text in self.path.read_bytes().split(b"\n"):
            try:
                line = msgspec.json.decode(text, type=_Line)
            except msgspec.DecodeError:
                continue
            if line.to == self._to:
                self._known[line.batch] = line
