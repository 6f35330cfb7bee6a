"""Statements as constants, and how their rows become Structs."""

import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import starmap
from operator import itemgetter
from typing import Generic, TypeVar, cast

import msgspec

from rensai.kit.db_driver import Record

T = TypeVar("T")

STATEMENTS: list["Query[object] | Command"] = []
"""Every statement of every imported module; a test prepares each on the migrated schema."""


class Query(Generic[T]):
    """A statement that returns rows; each becomes a `row`: a Struct, or one plain value.

    A Struct is filled by position, so its fields are named as the columns and in their order.
    """

    __slots__ = ("module", "row", "rows", "text")

    def __init__(self, text: str, row: type[T]) -> None:
        self.text = text
        self.module = _declaring_module()
        self.row = row
        self.rows: Callable[[Iterable[Record]], list[T]] = _mapper(row)
        STATEMENTS.append(cast("Query[object]", self))

    def __repr__(self) -> str:
        return f"{self.module}: {' '.join(self.text.split())!r} -> {self.row.__name__}"


class Command:
    """A statement that returns no rows."""

    __slots__ = ("module", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.module = _declaring_module()
        STATEMENTS.append(self)

    def __repr__(self) -> str:
        return f"{self.module}: {' '.join(self.text.split())!r}"


class Copy(Command):
    """Many rows for one table at once, by COPY: several times as fast as any INSERT."""

    __slots__ = ("columns", "schema", "table")

    def __init__(self, schema: str, table: str, columns: Sequence[str]) -> None:
        places = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
        # Never run, but prepared by the test that holds every statement to the schema.
        super().__init__(f"INSERT INTO {schema}.{table} ({', '.join(columns)}) VALUES ({places})")  # noqa: S608
        self.schema = schema
        self.table = table
        self.columns = tuple(columns)


def _declaring_module() -> str:
    """The module that calls `Query` or `Command`: tests declare statements of their own."""
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage] - as namedtuple does
    return str(frame.f_globals.get("__name__"))


def _mapper(row: type[T]) -> Callable[[Iterable[Record]], list[T]]:
    """How a whole answer becomes a list, decided once and not for each row."""
    if issubclass(row, msgspec.Struct):
        return lambda records: list(starmap(row, records))
    value = cast("Callable[[Record], T]", itemgetter(0))
    return lambda records: list(map(value, records))
