"""Archives of readers: asked for, worked on, fetched, and cleared away."""

import asyncio
import secrets
import tempfile
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import BinaryIO, cast
from uuid import UUID

import msgspec

from rensai.kit.db import Database, Reads, Tx
from rensai.kit.events import emit
from rensai.kit.ids import new_uid
from rensai.kit.limits import Rule
from rensai.kit.services import Services
from rensai.rooms.readers.adapters.archives import ArchiveReader
from rensai.rooms.readers.errors import (
    ArchiveExpired,
    ArchiveNotReady,
    ImportUnderWay,
    TransferNotFound,
)
from rensai.rooms.readers.events import ExportAsked, ImportAsked
from rensai.rooms.readers.model.belongings import Belongings
from rensai.rooms.readers.model.transfers import (
    STALE_AFTER,
    ArchiveUnreadable,
    Direction,
    FileCount,
    Transfer,
)
from rensai.rooms.readers.service.exporting import write_archive
from rensai.rooms.readers.service.importing import take_in
from rensai.rooms.readers.store import accounts
from rensai.rooms.readers.store import transfers as store

EXPORTS = Rule("exports", 5, timedelta(days=1))
IMPORTS = Rule("imports", 10, timedelta(days=1))
_PIECE = 1024 * 1024
_TOLD_EVERY = 1.0
_AT_ONCE = 100
_ENDLESS = UUID(int=2**128 - 1)
_GAVE_UP = "It could not be finished; try again, or ask those who run the site."


async def ask_for_export(services: Services, user_id: int) -> Transfer:
    """Have an archive made; while one is in the making, that is the one."""
    known = await store.under_way(services.db.primary, user_id, Direction.EXPORT.value)
    if known is not None:
        return known
    await services.limits.check(EXPORTS, str(user_id))
    return await _begin(services, user_id, Direction.EXPORT, key=_new_key("exports"), size=None)


async def bring(services: Services, user_id: int, file: BinaryIO, size: int) -> Transfer:
    """Have an archive taken in that somebody has brought; it is looked at first."""
    await asyncio.to_thread(ArchiveReader, file)
    if await store.under_way(services.db.primary, user_id, Direction.IMPORT.value) is not None:
        raise ImportUnderWay
    await services.limits.check(IMPORTS, str(user_id))
    key = _new_key("imports")
    file.seek(0)
    await services.storage.put_async(key, file)
    return await _begin(services, user_id, Direction.IMPORT, key=key, size=size)


async def _begin(
    services: Services, user_id: int, direction: Direction, *, key: str, size: int | None
) -> Transfer:
    now = services.clock.now()
    async with services.db.transaction() as tx:
        begun = await store.begin(
            tx,
            uid=new_uid(),
            user_id=user_id,
            direction=direction.value,
            key=key,
            size=size,
            now=now,
            expires_at=now + timedelta(days=services.config.export_days),
        )
        if begun is not None:
            asked = ExportAsked if direction is Direction.EXPORT else ImportAsked
            await emit(tx, asked(transfer_id=begun.id))
            return begun
    if direction is Direction.EXPORT:
        known = await store.under_way(services.db.primary, user_id, direction.value)
        if known is not None:
            return known
    await _remove(services, key)
    raise ImportUnderWay


async def list_transfers(
    reads: Reads, user_id: int, direction: Direction, *, before: UUID | None, limit: int
) -> list[Transfer]:
    """The archives of a reader, latest first; one more than asked for."""
    return await store.of_reader(reads, user_id, direction.value, before or _ENDLESS, limit + 1)


async def transfer_of(reads: Reads, user_id: int, direction: Direction, uid: UUID) -> Transfer:
    """One archive of this reader; of anybody else's there is none."""
    found = await store.one(reads, uid)
    if found is None or found.user_id != user_id or found.direction != direction.value:
        raise TransferNotFound
    return found


async def open_archive(services: Services, user_id: int, uid: UUID) -> AsyncIterator[bytes]:
    """The bytes of a finished export, piece by piece."""
    found = await transfer_of(services.db.primary, user_id, Direction.EXPORT, uid)
    if found.expires_at <= services.clock.now():
        raise ArchiveExpired
    if found.state != "done":
        raise ArchiveNotReady
    try:
        kept = await services.storage.get_async(found.archive_key)
    except FileNotFoundError as problem:
        raise ArchiveExpired(private=str(problem)) from problem
    return _pieces(cast("AsyncIterator[bytes]", kept.stream(min_chunk_size=_PIECE)))


async def _pieces(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    async for piece in stream:
        yield bytes(piece)


async def export_now(services: Services, uid: UUID, belongings: Sequence[Belongings]) -> None:
    """Make the archive that was asked for, from the beginning whoever had begun."""
    running = await _run(services.db, uid)
    if running is None:
        return
    telling = _Telling(services, uid)
    with tempfile.TemporaryFile(dir=services.config.data_dir) as file:
        counts = await write_archive(
            services.db.primary,
            running.user_id,
            belongings,
            cast("BinaryIO", file),
            instance=services.config.base_url,
            now=services.clock.now(),
            tell=telling,
        )
        size = file.tell()
        file.seek(0)
        await services.storage.put_async(running.archive_key, file)
    if not await _end(services, uid, counts, size=size):
        await _remove(services, running.archive_key)


async def import_now(services: Services, uid: UUID, belongings: Sequence[Belongings]) -> None:
    """Take in the archive that was brought, from the beginning whoever had begun."""
    running = await _run(services.db, uid)
    if running is None:
        return
    user = await accounts.by_id(services.db.primary, running.user_id)
    telling = _Telling(services, uid)
    problem = None
    with tempfile.TemporaryFile(dir=services.config.data_dir) as file:
        try:
            await _fetch(services, running.archive_key, cast("BinaryIO", file))
            archive = await asyncio.to_thread(ArchiveReader, cast("BinaryIO", file))
            if user is not None:
                await take_in(services.db, services.clock, user, belongings, archive, tell=telling)
        except ArchiveUnreadable as fault:
            problem = str(fault)
    await _end(services, uid, telling.counts, problem=problem)
    await _remove(services, running.archive_key)


async def give_up(services: Services, uid: UUID) -> None:
    """Say that nothing comes of it."""
    async with services.db.transaction() as tx:
        await store.fail(tx, uid, _GAVE_UP, services.clock.now())


async def clear_away(services: Services) -> int:
    """Remove archives whose time has run out, and give up on what has died; says how many."""
    now = services.clock.now()
    async with services.db.transaction() as tx:
        await store.fail_stale(tx, _GAVE_UP, now, now - STALE_AFTER)
    cleared = 0
    while old := await store.expired(services.db.primary, now, _AT_ONCE):
        await _forget(services, old)
        cleared += len(old)
    return cleared


async def forget_archives(services: Services, user_id: int) -> None:
    """Remove every archive of an account."""
    while kept := await store.all_of_reader(services.db.primary, user_id, _AT_ONCE):
        await _forget(services, kept)


async def _forget(services: Services, transfers: Sequence[Transfer]) -> None:
    for one in transfers:
        await _remove(services, one.archive_key)
    async with services.db.transaction() as tx:
        await store.forget(tx, [one.id for one in transfers])


async def _remove(services: Services, key: str) -> None:
    try:
        await services.storage.delete_async(key)
    except FileNotFoundError:
        return


async def _fetch(services: Services, key: str, file: BinaryIO) -> None:
    try:
        kept = await services.storage.get_async(key)
    except FileNotFoundError as problem:
        raise ArchiveUnreadable("It is no longer there.") from problem
    async for piece in _pieces(cast("AsyncIterator[bytes]", kept.stream(min_chunk_size=_PIECE))):
        await asyncio.to_thread(file.write, piece)
    file.seek(0)


async def _run(db: Database, uid: UUID) -> Transfer | None:
    async with db.transaction() as tx:
        return await store.set_running(tx, uid)


async def _end(
    services: Services,
    uid: UUID,
    counts: dict[str, FileCount],
    *,
    size: int | None = None,
    problem: str | None = None,
) -> bool:
    now = services.clock.now()
    async with services.db.transaction() as tx:
        return await store.end(
            tx,
            uid,
            problem=problem,
            lines=_lines(counts),
            files=_files(counts),
            size=size,
            now=now,
            expires_at=now + timedelta(days=services.config.export_days),
        )


class _Telling:
    """Writes down how far an archive is, about once a second."""

    def __init__(self, services: Services, uid: UUID) -> None:
        self._db = services.db
        self._uid = uid
        self._again_at = 0.0
        self.counts: dict[str, FileCount] = {}

    async def __call__(self, counts: dict[str, FileCount]) -> None:
        self.counts = counts
        now = asyncio.get_running_loop().time()
        if now >= self._again_at:
            self._again_at = now + _TOLD_EVERY
            async with self._db.transaction() as tx:
                await self._write(tx)

    async def _write(self, tx: Tx) -> None:
        await store.set_progress(tx, self._uid, _lines(self.counts), _files(self.counts))


def _lines(counts: dict[str, FileCount]) -> int:
    return sum(count.lines for count in counts.values())


def _files(counts: dict[str, FileCount]) -> str:
    return msgspec.json.encode(counts).decode()


def counts_of(transfer: Transfer) -> dict[str, FileCount]:
    """What became of each file so far."""
    return msgspec.json.decode(transfer.files, type=dict[str, FileCount])


def _new_key(folder: str) -> str:
    """Nobody can guess it: a bucket may be open to whoever knows what to ask for."""
    return f"private/{folder}/{secrets.token_urlsafe(32)}.zip"
