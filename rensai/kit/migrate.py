"""Brings the database up to a release: numbered, forward-only files of plain SQL.

One process applies them while it holds an advisory lock; others wait and find nothing left to
do. A file is applied in one transaction, together with the note that it was: an interrupted one
leaves nothing. A file whose first line is `-- rensai: no transaction` is applied statement by
statement with a note after each, and goes on after the last noted one; its statements must bear
being run twice.

A migration must let the previous release run on the schema it makes. So a database that is
ahead of the code is accepted, and reported.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import cast

import asyncpg
import msgspec

from rensai.kit.db import Query, Reads
from rensai.kit.db_connect import CONNECT_SECONDS, place, probe
from rensai.kit.db_driver import Connection, connect
from rensai.kit.db_errors import DRIVER_ERRORS, Contended, Unusable, domain_error, said
from rensai.kit.migrate_files import Migration, index_of, read, shipped

__all__ = ["Migration", "MigrationFailed", "migrate", "pending", "read", "shipped"]

LOCK = 7_310_576_410_911_001
"""The advisory lock of whoever migrates; chosen at random, and the same for ever."""

LOCK_TRIES = 5
_SESSION = {
    "application_name": "rensai migrate",
    "timezone": "UTC",
    "statement_timeout": "0",
    "lock_timeout": "5s",  # else one long query holds up the migration, and it everybody else
    "idle_in_transaction_session_timeout": "0",
    "client_min_messages": "warning",
}
_TABLE = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    name text PRIMARY KEY,
    checksum text NOT NULL,
    statements_done integer,
    applied_at timestamptz NOT NULL DEFAULT now()
)"""
_EXISTS = Query("SELECT to_regclass('schema_migrations') IS NOT NULL AS found", bool)
_APPLIED = Query("SELECT name FROM schema_migrations WHERE statements_done IS NULL", str)
_NOTED = "SELECT name, checksum, statements_done FROM schema_migrations"
_NOTE = """
INSERT INTO schema_migrations (name, checksum, statements_done) VALUES ($1, $2, $3)
ON CONFLICT (name) DO UPDATE
SET checksum = excluded.checksum, statements_done = excluded.statements_done, applied_at = now()"""
_INVALID = """
SELECT true FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid"""

Progress = Callable[[str], None]


class MigrationFailed(Unusable):
    """A migration could not be applied."""


class Note(msgspec.Struct, frozen=True):
    """What the database knows of a migration; a finished one has no count of statements."""

    name: str
    checksum: str
    statements_done: int | None


async def migrate(
    url: str,
    *,
    progress: Progress | None = None,
    migrations: Sequence[Migration] | None = None,
) -> list[str]:
    """Apply what is not applied yet and return the names; safe to start twice at once."""
    if await probe(url):
        raise Unusable(
            f"{place(url)} is a pooler in transaction mode, and migrations need the server "
            f"itself: set DATABASE_QUEUE_URL to it"
        )
    connection = await connect(url, seconds=CONNECT_SECONDS, settings=_SESSION)
    try:
        applier = _Applier(connection, progress or _quiet)
        return await applier.run(shipped() if migrations is None else migrations)
    except DRIVER_ERRORS as error:
        raise _failure("The migration stopped", error) from error
    finally:
        await connection.close(timeout=CONNECT_SECONDS)


async def pending(reads: Reads) -> list[str]:
    """The migrations of this release that the database has not, or not wholly."""
    applied = set(await reads.all(_APPLIED)) if await reads.first(_EXISTS) else set[str]()
    return [migration.name for migration in shipped() if migration.name not in applied]


class _Applier:
    """Applies migrations on one connection."""

    def __init__(self, connection: Connection, progress: Progress) -> None:
        self._connection = connection
        self._progress = progress

    async def run(self, migrations: Sequence[Migration]) -> list[str]:
        await self._notice_our_death()
        await self._lock()
        await self._connection.execute(_TABLE)
        notes = {str(row[0]): _note(row) for row in await self._connection.fetch(_NOTED)}
        self._compare(migrations, notes)
        done: list[str] = []
        for migration in migrations:
            note = notes.get(migration.name)
            if note is not None and note.statements_done is None:
                continue
            self._progress(f"Applying {migration.name}")
            if migration.transactional:
                await self._apply_whole(migration)
            else:
                await self._apply_in_steps(migration, note)
            done.append(migration.name)
        return done

    async def _notice_our_death(self) -> None:
        """Let the server stop, and unlock, soon after this process is killed."""
        with suppress(asyncpg.PostgresError):  # a server on Windows cannot
            await self._connection.execute("SET client_connection_check_interval = '1s'")

    async def _lock(self) -> None:
        # Asked for again and again, not waited for: a session that waits inside a statement
        # is one that CREATE INDEX CONCURRENTLY of the other process would wait for in turn.
        waiting = False
        while not await self._connection.fetchval("SELECT pg_try_advisory_lock($1)", LOCK):
            if not waiting:
                self._progress("Waiting for another process that migrates the database")
                waiting = True
            await asyncio.sleep(0.1)

    def _compare(self, migrations: Sequence[Migration], notes: Mapping[str, Note]) -> None:
        """Refuse a file that was edited after it was applied; report a newer database."""
        known = {migration.name: migration for migration in migrations}
        for name, note in sorted(notes.items()):
            if name not in known:
                self._progress(f"The database has {name} of a newer release, which is accepted")
            elif note.statements_done is None and note.checksum != known[name].checksum:
                raise MigrationFailed(
                    f"{name} differs from what was applied to this database: put the released "
                    f"file back, and make the change in a new migration"
                )

    async def _apply_whole(self, migration: Migration) -> None:
        for attempt in range(1, LOCK_TRIES + 1):
            try:
                await self._connection.execute("BEGIN")
                await self._connection.execute(migration.text)
                if not self._connection.is_in_transaction():
                    raise MigrationFailed(
                        f"{migration.name} ended its own transaction: its first line must then "
                        f"be '-- rensai: no transaction'"
                    )
                await self._connection.execute(_NOTE, migration.name, migration.checksum, None)
                await self._connection.execute("COMMIT")
            except DRIVER_ERRORS as error:
                if not self._connection.is_closed():
                    await self._connection.execute("ROLLBACK")
                if isinstance(domain_error(error), Contended) and attempt < LOCK_TRIES:
                    self._progress(f"{migration.name} waits for others to finish; trying again")
                    await asyncio.sleep(attempt)
                    continue
                raise _failure(f"{migration.name} failed and left nothing behind", error) from error
            return

    async def _apply_in_steps(self, migration: Migration, note: Note | None) -> None:
        done = 0
        if note is not None and note.checksum == migration.checksum:
            done = note.statements_done or 0
        if note is not None:
            self._progress(f"{migration.name} was interrupted; going on after statement {done}")
        # It sets its own limits; one here would interrupt what has no transaction to undo it.
        await self._connection.execute("SET lock_timeout = 0")
        for number, statement in enumerate(migration.statements, start=1):
            if number <= done:
                continue
            await self._note(migration, number - 1)
            try:
                await self._step(statement)
            except DRIVER_ERRORS as error:
                raise _failure(
                    f"{migration.name} failed at statement {number}; those before it are kept, "
                    f"and the next 'rensai migrate' goes on from there",
                    error,
                ) from error
        await self._connection.execute(f"SET lock_timeout = '{_SESSION['lock_timeout']}'")
        await self._note(migration, None)

    async def _step(self, statement: str) -> None:
        """Run a statement that may have been interrupted before."""
        index = index_of(statement)
        if index is None:
            await self._connection.execute(statement)
            return
        # An interrupted or failed build leaves an index that is never used and always updated.
        if await self._connection.fetchval(_INVALID, index):
            await self._connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {index}")
        try:
            await self._connection.execute(statement)
        except DRIVER_ERRORS:
            if not self._connection.is_closed():
                await self._connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {index}")
            raise

    async def _note(self, migration: Migration, statements_done: int | None) -> None:
        await self._connection.execute(_NOTE, migration.name, migration.checksum, statements_done)


def _note(row: tuple[object, ...]) -> Note:
    name, checksum, statements_done = row
    return Note(str(name), str(checksum), cast("int | None", statements_done))


def _failure(what: str, error: Exception) -> MigrationFailed:
    """One line for whoever migrates: the server's words and its hint."""
    words = said(error, "message") or str(error) or type(error).__name__
    advice = said(error, "hint")
    if not advice and said(error, "sqlstate") == "42501":
        advice = "The database should belong to the user that Rensai connects as."
    return MigrationFailed(f"{what}: {words}." + (f" {advice}" if advice else ""))


def _quiet(line: str) -> None:
    """Progress that nobody asked for."""
