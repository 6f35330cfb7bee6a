"""asyncpg, with types: the driver has none of its own."""
# ruff: noqa: ASYNC109 - the parameters called timeout are asyncpg's

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Protocol, cast

import asyncpg

Record = tuple[object, ...]
"""A row as asyncpg gives it: it can be indexed and iterated as a tuple."""


class Connection(Protocol):
    """The part of asyncpg's connection that the kit uses."""

    async def execute(self, query: str, *args: object, timeout: float | None = None) -> str: ...

    async def executemany(
        self, command: str, args: Iterable[Sequence[object]], *, timeout: float | None = None
    ) -> None: ...

    async def fetch(
        self, query: str, *args: object, timeout: float | None = None
    ) -> list[Record]: ...

    async def fetchrow(
        self, query: str, *args: object, timeout: float | None = None
    ) -> Record | None: ...

    async def fetchval(self, query: str, *args: object, timeout: float | None = None) -> object: ...

    async def prepare(self, query: str) -> "Prepared": ...

    async def copy_records_to_table(
        self,
        table_name: str,
        *,
        records: Iterable[Sequence[object]],
        columns: Sequence[str] | None = None,
        schema_name: str | None = None,
        timeout: float | None = None,
    ) -> str: ...

    async def add_listener(
        self, channel: str, callback: Callable[["Connection", int, str, str], object]
    ) -> None: ...

    def add_termination_listener(self, callback: Callable[["Connection"], object]) -> None: ...

    def get_server_pid(self) -> int: ...

    def is_closed(self) -> bool: ...

    def is_in_transaction(self) -> bool: ...

    async def close(self, *, timeout: float | None = None) -> None: ...

    def terminate(self) -> None: ...


class Attribute(Protocol):
    """A column of a prepared statement."""

    name: str
    type: "TypeName"


class TypeName(Protocol):
    """A type of the server."""

    oid: int
    name: str
    kind: str


class Prepared(Protocol):
    """A prepared statement."""

    def get_attributes(self) -> tuple[Attribute, ...]: ...

    def get_parameters(self) -> tuple[TypeName, ...]: ...


_connect = cast("Callable[..., Awaitable[Connection]]", asyncpg.connect)


async def connect(
    url: str,
    *,
    seconds: float,
    settings: Mapping[str, str] | None = None,
    command_timeout: timedelta | None = None,
    prepares: bool = True,
) -> Connection:
    """Open a connection within some seconds; unless it prepares, it keeps no statement."""
    return await _connect(
        url,
        timeout=seconds,
        command_timeout=command_timeout.total_seconds() if command_timeout else None,
        statement_cache_size=200 if prepares else 0,
        max_cached_statement_lifetime=0,
        server_settings=dict(settings or {}),
    )
