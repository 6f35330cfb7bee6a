"""Numbered forward-only migrations in plain SQL, applied under an advisory lock."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files

import asyncpg

from rensai.kit.db import Query, Reads

LOCK = 7_310_576_410_911_001
_TABLE = """
create table if not exists schema_migration (
    name text primary key,
    checksum text not null,
    applied_at timestamptz not null default now()
)"""
_APPLIED = Query("select name from schema_migration order by name", str)


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file."""

    name: str
    text: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def shipped() -> list[Migration]:
    """The migrations that this release carries, in order."""
    folder = files("rensai") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [Migration(name, (folder / name).read_text("utf-8")) for name in names]


async def migrate(url: str, *, progress: Callable[[str], None] | None = None) -> list[str]:
    """Apply what is not applied yet and return the names; safe to start twice at once."""
    connection = await asyncpg.connect(url)
    done: list[str] = []
    try:
        await connection.execute("select pg_advisory_lock($1)", LOCK)
        await connection.execute(_TABLE)
        applied = {row[0] for row in await connection.fetch("select name from schema_migration")}
        for migration in shipped():
            if migration.name in applied:
                continue
            if progress:
                progress(migration.name)
            async with connection.transaction():
                await connection.execute(migration.text)
                await connection.execute(
                    "insert into schema_migration (name, checksum) values ($1, $2)",
                    migration.name,
                    migration.checksum,
                )
            done.append(migration.name)
    finally:
        await connection.close()
    return done


async def pending(reads: Reads) -> list[str]:
    """The migrations that this release carries and the database has not."""
    applied = set(await reads.all(_APPLIED))
    return [migration.name for migration in shipped() if migration.name not in applied]
