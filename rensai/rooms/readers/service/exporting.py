"""Writing the archive of a reader: everything that any room has of him."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import BinaryIO

import msgspec

from rensai import __version__
from rensai.kit.db import Reads
from rensai.rooms.readers.adapters.archives import ArchiveWriter
from rensai.rooms.readers.errors import UserNotFound
from rensai.rooms.readers.model.belongings import Belongings
from rensai.rooms.readers.model.transfers import FORMAT, VERSION, FileCount, Manifest
from rensai.rooms.readers.store import profiles

_WRITTEN_AT_ONCE = 256 * 1024

Tell = Callable[[dict[str, FileCount]], Awaitable[None]]
"""Hears now and then how many lines of each file are through."""


async def write_archive(
    reads: Reads,
    user_id: int,
    belongings: Sequence[Belongings],
    out: BinaryIO,
    *,
    instance: str,
    now: datetime,
    tell: Tell,
) -> dict[str, FileCount]:
    """Write the whole archive, a batch of lines in memory at a time, and say what is in it.

    Rooms are read one after another and not at one instant: what is written meanwhile may be in
    it or not.
    """
    profile = await profiles.profile_file(reads, user_id)
    if profile is None:
        raise UserNotFound
    writing = _Writing(reads, user_id, ArchiveWriter(out), tell)
    try:
        writing.archive.add("profile.json", _json(profile))
        for each in belongings:
            await writing.add(each)
        manifest = Manifest(
            format=FORMAT,
            version=VERSION,
            software=f"rensai/{__version__}",
            instance=instance,
            username=profile.username,
            exported_at=now,
            files={f"{name}.jsonl": count.lines for name, count in writing.counts.items()},
        )
        writing.archive.add("manifest.json", _json(manifest))
    finally:
        await asyncio.to_thread(writing.archive.close)
    return writing.counts


class _Writing:
    """An archive that is being written."""

    def __init__(self, reads: Reads, user_id: int, archive: ArchiveWriter, tell: Tell) -> None:
        self._reads = reads
        self._user_id = user_id
        self._tell = tell
        self._encode = msgspec.json.Encoder().encode
        self.archive = archive
        self.counts: dict[str, FileCount] = {}

    async def add(self, each: Belongings) -> None:
        """All lines of one file, packed in a thread a piece at a time."""
        lines, buffer = 0, bytearray()
        with self.archive.open(f"{each.name}.jsonl") as file:
            async for row in each.rows(self._reads, self._user_id):
                buffer += self._encode(row) + b"\n"
                lines += 1
                if len(buffer) >= _WRITTEN_AT_ONCE:
                    await asyncio.to_thread(file.write, bytes(buffer))
                    buffer.clear()
                    await self._count(each.name, lines)
            file.write(bytes(buffer))
        await self._count(each.name, lines)

    async def _count(self, name: str, lines: int) -> None:
        self.counts[name] = FileCount(lines)
        await self._tell(self.counts)


def _json(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
