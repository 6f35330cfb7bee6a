"""Driver errors become domain errors here, and only here.

The sentence that a user meets holds neither SQL nor a value. What helps an operator (SQLSTATE,
constraint, table, the server's own words where they cannot quote data) goes into `private`.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import NoReturn

import asyncpg

from rensai.kit import errors

DRIVER_ERRORS = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
)
"""What the driver raises; asyncio's TimeoutError is an OSError too."""


class Lost(errors.Unavailable):
    """The server cannot answer right now; try again in a moment."""


class TooSlow(errors.Unavailable):
    """That took too long; try again in a moment."""


class Contended(errors.Unavailable):
    """Others were changing the same thing at that moment; try again."""


class Unusable(errors.Unavailable):
    """The database cannot be used as it is set up."""


class NotMigrated(Unusable):
    """The database is not up to this release yet: run `rensai migrate` first."""


_CODES: dict[str, type[errors.RensaiError]] = {
    "0A000": Contended,  # only as InvalidCachedStatementError: a migration changed the answer
    "22012": errors.RensaiError,  # a division by zero is ours
    "23502": errors.Invalid,
    "23514": errors.Invalid,
    "25006": Lost,  # it has become a standby, or a write was tried outside a transaction
    "25P03": Lost,
    "25P04": TooSlow,
    "3D000": Lost,
    "40001": Contended,
    "40P01": Contended,
    "55006": Contended,
    "55P03": Contended,
    "57014": TooSlow,
}
_CLASSES: dict[str, type[errors.RensaiError]] = {
    "08": Lost,
    "22": errors.Invalid,
    "23": errors.Conflict,
    "28": Lost,
    "53": errors.Unavailable,
    "54": errors.Invalid,
    "57": Lost,
    "58": errors.Unavailable,
}


_SPEAKS_OF_ITSELF = {"08", "25", "28", "3D", "40", "53", "57", "58"}
"""The classes whose message is about the server and quotes no data."""


def domain_error(error: Exception) -> Exception:
    """What a driver error means to us; an error that is a mistake of ours stays as it is."""
    if isinstance(error, asyncpg.DataError) and error.__cause__ is not None:
        return _from_encoding(error)
    if isinstance(error, asyncpg.PostgresError):
        return _from_server(error)
    if isinstance(error, TimeoutError):
        return TooSlow(private="the driver waited longer than the server's own limit")
    if isinstance(error, asyncpg.OutdatedSchemaCacheError):
        return Contended(private="a type changed under a running statement")
    # An internal error of the driver is what it makes of a connection that ends while idle.
    if isinstance(error, OSError | asyncpg.InternalClientError) or _is_closed(error):
        return Lost(private=f"{type(error).__name__}: {error}")
    return error


def raise_domain(error: Exception) -> NoReturn:
    """Raise what a driver error means to us."""
    meant = domain_error(error)
    if meant is error:
        raise error
    raise meant from error


@contextmanager
def domain_errors() -> Generator[None]:
    """Turn driver errors inside the block into domain errors."""
    try:
        yield
    except DRIVER_ERRORS as error:
        raise_domain(error)


def _from_server(error: asyncpg.PostgresError) -> Exception:
    code = said(error, "sqlstate")
    if code == "0A000" and "during recovery" in said(error, "message"):
        return Lost(private="the server has become a standby")
    if code == "0A000" and not isinstance(error, asyncpg.InvalidCachedStatementError):
        return error
    kind = _CODES.get(code) or _CLASSES.get(code[:2])
    if kind is None or kind is errors.RensaiError:
        return error
    return kind(private=describe(error))


def said(error: Exception, part: str) -> str:
    """One field of what the server said: `sqlstate`, `message`, `constraint_name`..."""
    return str(getattr(error, part, None) or "")


def describe(error: asyncpg.PostgresError) -> str:
    """The parts of a server error that never quote a value."""
    parts = [said(error, "sqlstate"), type(error).__name__]
    parts += [said(error, part) for part in ("constraint_name", "table_name", "column_name")]
    if parts[0][:2] in _SPEAKS_OF_ITSELF:
        parts.append(said(error, "message"))
    return " ".join(part for part in parts if part)


def _from_encoding(error: asyncpg.DataError) -> Exception:
    """The driver could not encode a value; one of a wrong type is our mistake, not the reader's."""
    if isinstance(error.__cause__, TypeError | AttributeError):
        return error
    return errors.Invalid(private="a value does not fit its type in the database")


def _is_closed(error: Exception) -> bool:
    return isinstance(error, asyncpg.InterfaceError) and "closed" in str(error)
