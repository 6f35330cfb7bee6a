"""Looks at everything a site stands on, and says how to mend what is wrong."""

import asyncio
import shutil
import uuid
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec
from obstore.exceptions import BaseError
from obstore.store import ObjectStore

from rensai.config import Config
from rensai.kit.db import Database, NotDirect, Replica
from rensai.kit.db_connect import Refused, TooOld, WrongEncoding
from rensai.kit.db_inspect import Inspection, extensions, inspect
from rensai.kit.embedded import EmbeddedDatabaseError
from rensai.kit.errors import RensaiError
from rensai.kit.migrate import pending
from rensai.kit.redis import open_redis
from rensai.kit.storage import open_storage
from rensai.wiring.services import database_settings

EXTENSIONS = ["pg_trgm", "unaccent", "intarray"]
TIGHT_DISK = 5 << 30
FULL_DISK = 256 << 20
CLOCK_SECONDS = 2.0

State = Literal["ok", "warn", "fail"]


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one check found, and how to mend it."""

    check: str
    state: State
    found: str
    mend: str = ""


async def examine(config: Config) -> list[Finding]:
    """Every check, whatever the others find."""
    findings = [*_configuration(config), _data_folder(config), _disk(config.data_dir)]
    for name, check in _CHECKS:
        try:
            findings += await check(config)
        except (RensaiError, OSError, BaseError) as error:
            findings.append(_broken(name, error))
    return findings


def _broken(name: str, error: Exception) -> Finding:
    private = error.private if isinstance(error, RensaiError) else None
    found = " ".join(f"{error}{f' ({private})' if private else ''}".split())
    return Finding(name, "fail", found[:500], _CURES.get(type(error), _MEND[name]))


def _configuration(config: Config) -> Iterable[Finding]:
    where = f"{config.node_env}, {config.run_mode}, at {config.base_url}"
    yield Finding("configuration", "ok", where)
    plain = config.base_url.startswith("http://")
    if config.node_env == "production" and plain:
        yield Finding(
            "configuration",
            "warn",
            "BASE_URL is plain http, so passwords travel in the open",
            "put a proxy with TLS in front, and set BASE_URL to its https address",
        )
    if config.node_env == "development" and config.host not in {"127.0.0.1", "::1", "localhost"}:
        yield Finding(
            "configuration",
            "warn",
            f"it listens on {config.host} in development mode",
            "set NODE_ENV=production, BASE_URL and the secrets that production asks for",
        )


def _data_folder(config: Config) -> Finding:
    loose = [
        path.name
        for path in (config.data_dir / "secrets.env", config.data_dir / "settings.env")
        if path.exists() and path.stat().st_mode & 0o077
    ]
    if loose:
        return Finding(
            "data folder",
            "warn",
            f"others may read {' and '.join(loose)} in {config.data_dir}",
            f"chmod 600 {' '.join(str(config.data_dir / name) for name in loose)}",
        )
    return Finding("data folder", "ok", f"{config.data_dir} can be written")


def _disk(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    state: State = "fail" if free < FULL_DISK else "warn" if free < TIGHT_DISK else "ok"
    mend = "" if state == "ok" else "free some space, or move RENSAI_DATA_DIR to a larger disk"
    return Finding("disk", state, f"{free / (1 << 30):.1f} GiB are free at {folder}", mend)


async def _database(config: Config) -> list[Finding]:
    async with database_settings(config) as settings:
        database = await Database.open(settings)
        try:
            server = await inspect(database.primary)
            return [
                *_server(config, database, server),
                *_connections(config, database, settings.queue_pool_size, server),
                *await _extensions(database, server),
                await _clock(database),
                await _migrations(database),
            ]
        finally:
            await database.close()


def _server(config: Config, database: Database, server: Inspection) -> Iterable[Finding]:
    kind = "external" if config.database_primary_url else "embedded"
    pooled = ", through a pooler" if database.primary.connector.in_transaction_mode else ""
    size = f"{server.database_bytes / (1 << 20):.0f} MiB"
    yield Finding("database", "ok", f"{kind} PostgreSQL {server.version}, {size}{pooled}")
    if isinstance(database.replica, Replica):
        yield _replica(database.replica)


def _replica(replica: Replica) -> Finding:
    if replica.answers:
        return Finding("replica", "ok", "answers")
    mend = "see that it runs and that DATABASE_REPLICA_URL points to it, or unset that"
    return Finding("replica", "warn", "does not answer; the primary is read instead", mend)


def _connections(
    config: Config, database: Database, queue: int, server: Inspection
) -> Iterable[Finding]:
    """Whether one tree finds room when it is at its busiest; a pooler makes room by itself."""
    pooled = database.primary.connector.in_transaction_mode
    each = queue + (0 if pooled else config.database_pool_size)
    processes = {"web": config.web_processes, "worker": 1, "all": config.web_processes + 1}
    wanted = each * processes[config.run_mode]
    if wanted > server.max_connections:
        yield Finding(
            "connections",
            "warn",
            f"{wanted} may be asked for, and the server has {server.max_connections}",
            "lower DATABASE_POOL_SIZE or WEB_PROCESSES, raise the server's max_connections, or "
            "put PgBouncer before it",
        )


async def _extensions(database: Database, server: Inspection) -> list[Finding]:
    offered = await extensions(database.primary, EXTENSIONS)
    return [_extension(name, offered, may_create=server.may_create) for name in EXTENSIONS]


async def _clock(database: Database) -> Finding:
    before = datetime.now(UTC)
    server = await inspect(database.primary)
    after = datetime.now(UTC)
    middle = before + (after - before) / 2
    skew = abs((server.now - middle).total_seconds())
    found = f"{skew:.3f} s from the database's"
    if skew <= CLOCK_SECONDS:
        return Finding("clock", "ok", found)
    return Finding("clock", "fail", found, "let both machines take their time from NTP")


def _extension(name: str, offered: dict[str, bool], *, may_create: bool) -> Finding:
    if name not in offered:
        mend = "install the server's contrib package, such as postgresql-contrib"
        return Finding(f"extension {name}", "fail", "the server does not offer it", mend)
    if offered[name]:
        return Finding(f"extension {name}", "ok", "installed")
    if may_create:
        return Finding(f"extension {name}", "ok", "available; installed when it is needed")
    mend = f"as the database's owner: CREATE EXTENSION {name};"
    return Finding(f"extension {name}", "warn", "not installed, and we may not install it", mend)


async def _migrations(database: Database) -> Finding:
    names = await pending(database.primary)
    if names:
        found = f"{len(names)} pending, first {names[0]}"
        return Finding("migrations", "warn", found, "rensai migrate (`rensai serve` does so too)")
    return Finding("migrations", "ok", "none is pending")


async def _storage(config: Config) -> list[Finding]:
    where = config.storage_endpoint or str(config.storage_dir)
    # In a thread: the store's own would still be calling back while this short process ends.
    if not await asyncio.to_thread(_keeps_what_it_gets, open_storage(config)):
        return [Finding("storage", "fail", f"{where} gave back something else", _MEND["storage"])]
    return [Finding("storage", "ok", f"written, read and deleted in {where}")]


def _keeps_what_it_gets(store: ObjectStore) -> bool:
    key, body = f"doctor-{uuid.uuid4()}", b"written, read and deleted by the doctor"
    store.put(key, body)
    got = bytes(store.get(key).bytes())
    store.delete(key)
    return got == body


async def _redis(config: Config) -> list[Finding]:
    if config.redis_url is None:
        return [Finding("redis", "ok", "not used; REDIS_URL is not set")]
    async with open_redis(config.redis_url) as link:
        if link is not None and link.degraded:
            return [Finding("redis", "fail", link.degraded, _MEND["redis"])]
    return [Finding("redis", "ok", "answers")]


_CHECKS: tuple[tuple[str, Callable[[Config], Awaitable[list[Finding]]]], ...] = (
    ("database", _database),
    ("storage", _storage),
    ("redis", _redis),
)
_MEND = {
    "database": "see that PostgreSQL runs and that DATABASE_PRIMARY_URL points to it; without "
    "that setting the embedded one is used",
    "storage": "see that the STORAGE_ settings name a bucket that the key may read and write",
    "redis": "see that Redis runs and that REDIS_URL points to it; without it the site works too",
}
_CURES: dict[type[Exception], str] = {
    TooOld: "upgrade that server, or unset DATABASE_PRIMARY_URL to use the embedded database",
    WrongEncoding: "create the database anew with ENCODING 'UTF8' and TEMPLATE template0",
    NotDirect: "set DATABASE_QUEUE_URL to the address of PostgreSQL itself, past the pooler",
    Refused: "see that DATABASE_PRIMARY_URL, and DATABASE_QUEUE_URL if it is set, name a database "
    "that is there, and a user and password that may enter it",
    EmbeddedDatabaseError: "do as it says; if it says nothing to do, the end of "
    "postgres/postgres.log in the data folder tells more",
}
