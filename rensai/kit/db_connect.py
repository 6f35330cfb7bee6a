"""How to reach one server: what stands in between, and which limits hold on a connection.

PgBouncer in transaction mode gives each transaction whatever server connection is free. It
refuses most settings at connection time, and what is prepared in one transaction is not there
in the next. It is recognised by its process id, which differs from the server's own.
"""

import os
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import parse_qs

import asyncpg

from rensai.kit.db_driver import Connection, connect
from rensai.kit.db_errors import DRIVER_ERRORS, Unusable, describe, said

OLDEST_VERSION = 16
CONNECT_SECONDS = 5.0
GRACE = timedelta(seconds=5)
"""How much longer than the server the driver waits, in case the server cannot keep its word."""


class TooOld(Unusable):
    """The PostgreSQL server is too old."""


class WrongEncoding(Unusable):
    """The database cannot store every text."""


class Unreachable(Unusable):
    """The PostgreSQL server does not answer."""


class Refused(Unusable):
    """The PostgreSQL server refuses the connection."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the server lets us work."""

    statement: timedelta
    lock: timedelta
    idle_in_transaction: timedelta

    def settings(self, statement: timedelta | None = None) -> dict[str, str]:
        """The limits as PostgreSQL's own settings."""
        return {
            "statement_timeout": _milliseconds(statement or self.statement),
            "lock_timeout": _milliseconds(self.lock),
            "idle_in_transaction_session_timeout": _milliseconds(self.idle_in_transaction),
        }


class Connector:
    """Opens connections to one server, each with the same settings."""

    def __init__(
        self, url: str, patience: Patience, *, read_only: bool, in_transaction_mode: bool
    ) -> None:
        self.url = url
        self.patience = patience
        self.in_transaction_mode = in_transaction_mode
        self._settings = {"application_name": "rensai", "timezone": "UTC"}
        if not in_transaction_mode:
            self._settings |= patience.settings() | {"jit": "off"}
            if read_only:
                # A write outside a transaction is a mistake; transactions say READ WRITE.
                self._settings["default_transaction_read_only"] = "on"

    async def connect(self) -> Connection:
        """One more connection."""
        return await connect(
            self.url,
            settings=self._settings,
            command_timeout=self.patience.statement + GRACE,
            prepares=not self.in_transaction_mode,
            seconds=CONNECT_SECONDS,
        )

    def begin(self, *, write: bool, statement: timedelta | None = None) -> str:
        """What opens a transaction, with its limits, in one round trip."""
        begin = f"BEGIN READ {'WRITE' if write else 'ONLY'}"
        if self.in_transaction_mode:
            limits = self.patience.settings(statement)
        elif statement is not None:
            limits = {"statement_timeout": _milliseconds(statement)}
        else:
            return begin
        return "; ".join([begin, *(f"SET LOCAL {name} = {limits[name]}" for name in limits)])


async def probe(url: str) -> bool:
    """Whether a pooler in transaction mode stands before the server; refuse one we cannot use."""
    try:
        connection = await connect(url, seconds=CONNECT_SECONDS, prepares=False)
        try:
            await connection.execute("BEGIN READ ONLY")
            backend = await connection.fetchval("SELECT pg_backend_pid()")
            shown = await connection.fetchval("SHOW server_version_num")
            encoding = await connection.fetchval("SHOW server_encoding")
            await connection.execute("COMMIT")
        finally:
            await connection.close(timeout=CONNECT_SECONDS)
    except (*DRIVER_ERRORS, ValueError, OverflowError) as error:
        raise _refusal(url, error) from error
    version = int(str(shown)) // 10_000
    if version < OLDEST_VERSION:
        raise TooOld(
            f"The database at {place(url)} is PostgreSQL {version}: "
            f"Rensai needs {OLDEST_VERSION} or newer"
        )
    if encoding != "UTF8":
        raise WrongEncoding(
            f"The database at {place(url)} stores text as {encoding}: Rensai needs UTF8"
        )
    return backend != connection.get_server_pid()


def place(url: str) -> str:
    """Where a URL points, without the name and the password in it."""
    if "://" not in url:
        return "the address given"
    # Whatever a careless password holds, it stands before the last @.
    address, _, query = url.partition("://")[2].rpartition("@")[2].partition("?")
    if address.startswith("/"):
        sockets = parse_qs(query).get("host", ["localhost"])
        return f"{sockets[0]}, {address[1:]}"
    return address


def _refusal(url: str, error: Exception) -> Unusable:
    """One line for whoever starts the server."""
    where = place(url)
    if isinstance(error, ValueError | OverflowError):
        return Refused(f"This is not a valid address of a PostgreSQL database: {where}")
    if isinstance(error, asyncpg.PostgresError):
        private = describe(error)
        code = said(error, "sqlstate")
        if code == "3D000":
            return Refused(f"There is no such database: {where}", private=private)
        if code.startswith("28"):
            return Refused(f"The database at {where} refuses our name or password", private=private)
        return Refused(
            f"The database at {where} refuses us: {said(error, 'message')}", private=private
        )
    return Unreachable(f"The database at {where} does not answer: {_reason(error)}")


def _reason(error: Exception) -> str:
    """Why nobody answers, in the system's words and not in Python's."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, OSError) and (error.errno or 0) > 0:
        return os.strerror(error.errno or 0)
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _milliseconds(time: timedelta) -> str:
    return str(max(1, int(time / timedelta(milliseconds=1))))
