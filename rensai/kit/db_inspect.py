"""What the doctor asks a database about itself."""

from datetime import datetime

import msgspec

from rensai.kit.db import Query, Reads


class Inspection(msgspec.Struct, frozen=True):
    """A server and a database as they are."""

    version: str
    now: datetime
    max_connections: int
    database_bytes: int
    may_create: bool


class Extension(msgspec.Struct, frozen=True):
    """An extension that the server could install, and whether this database has it."""

    name: str
    installed: bool


_INSPECT = Query(
    """
SELECT current_setting('server_version') AS version,
       clock_timestamp() AS now,
       current_setting('max_connections')::int AS max_connections,
       pg_database_size(current_database()) AS database_bytes,
       has_database_privilege(current_database(), 'CREATE') AS may_create""",
    Inspection,
)
_EXTENSIONS = Query(
    "SELECT name, installed_version IS NOT NULL AS installed FROM pg_available_extensions "
    "WHERE name = ANY($1::text[])",
    Extension,
)


async def inspect(reads: Reads) -> Inspection:
    """The server and the database as they are."""
    found = await reads.first(_INSPECT)
    assert found is not None  # noqa: S101 - it always gives one row
    return found


async def extensions(reads: Reads, names: list[str]) -> dict[str, bool]:
    """Those of the extensions that the server offers, and whether each is installed here."""
    return {found.name: found.installed for found in await reads.all(_EXTENSIONS, names)}
