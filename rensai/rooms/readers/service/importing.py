"""Taking in the archive of a reader, which may come from anywhere."""

import asyncio
from collections.abc import Iterator, Sequence

import msgspec

from rensai.kit import texts
from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.kit.errors import Conflict, Invalid, NotFound
from rensai.rooms.readers.adapters.archives import ArchiveReader
from rensai.rooms.readers.model import User
from rensai.rooms.readers.model.belongings import Belongings, Restore
from rensai.rooms.readers.model.profiles import LONGEST_BIO, LONGEST_NAME
from rensai.rooms.readers.model.transfers import (
    FORMAT,
    LINES_AT_ONCE,
    VERSION,
    ArchiveUnreadable,
    FileCount,
    Manifest,
    ProfileFile,
)
from rensai.rooms.readers.service.exporting import Tell
from rensai.rooms.readers.store import profiles

_BATCH_BYTES = 4 * 1024 * 1024
_REFUSED = (Invalid, Conflict, NotFound, msgspec.MsgspecError)


def require_archive(archive: ArchiveReader) -> Manifest:
    """What the archive says of itself; `ArchiveUnreadable` when it is none of ours."""
    if not archive.has("manifest.json"):
        raise ArchiveUnreadable("It has no manifest.json.")
    try:
        manifest = msgspec.json.decode(archive.read("manifest.json"), type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise ArchiveUnreadable("Its manifest.json cannot be read.") from problem
    if manifest.format != FORMAT:
        raise ArchiveUnreadable("It is not the archive of a reader.")
    if not 1 <= manifest.version <= VERSION:
        raise ArchiveUnreadable("It was made by a later release than this one.")
    return manifest


async def take_in(
    db: Database,
    clock: Clock,
    user: User,
    belongings: Sequence[Belongings],
    archive: ArchiveReader,
    *,
    tell: Tell,
) -> dict[str, FileCount]:
    """Take in what every room understands, a batch in each transaction; twice is once."""
    await asyncio.to_thread(require_archive, archive)
    counts: dict[str, FileCount] = {}
    if archive.has("profile.json"):
        await _take_profile(db, clock, user, await asyncio.to_thread(archive.read, "profile.json"))
    for each in belongings:
        name = f"{each.name}.jsonl"
        if each.restore is None or not archive.has(name):
            continue
        lines = archive.lines(name)
        counts[each.name] = FileCount(0, 0)
        while batch := await asyncio.to_thread(_batch, lines):
            taken = await _restore(db, clock, user, each.restore, batch)
            so_far = counts[each.name]
            counts[each.name] = FileCount(so_far.lines + len(batch), (so_far.taken or 0) + taken)
            await tell(counts)
    return counts


def _batch(lines: Iterator[bytes]) -> list[bytes]:
    """The next lines, few enough for one transaction and for the memory."""
    batch: list[bytes] = []
    size = 0
    while len(batch) < LINES_AT_ONCE and size < _BATCH_BYTES:
        line = next(lines, None)
        if line is None:
            break
        batch.append(line)
        size += len(line)
    return batch


async def _restore(
    db: Database, clock: Clock, user: User, restore: Restore, lines: list[bytes]
) -> int:
    """Take in a batch; of one that is refused as a whole, whatever is not at fault."""
    try:
        async with db.transaction() as tx:
            return await restore(tx, user, lines, clock.now())
    except _REFUSED:
        if len(lines) == 1:
            return 0
        half = len(lines) // 2
        first = await _restore(db, clock, user, restore, lines[:half])
        return first + await _restore(db, clock, user, restore, lines[half:])


async def _take_profile(db: Database, clock: Clock, user: User, body: bytes) -> None:
    """A name to show and a bio, for who has none here yet."""
    try:
        profile = msgspec.json.decode(body, type=ProfileFile)
        display_name = texts.line("displayName", profile.display_name, most=LONGEST_NAME)
        bio = texts.prose("bio", profile.bio, most=LONGEST_BIO)
    except (*_REFUSED, UnicodeDecodeError, RecursionError):
        return
    async with db.transaction() as tx:
        await profiles.fill_in(tx, user.id, display_name=display_name, bio=bio, now=clock.now())
