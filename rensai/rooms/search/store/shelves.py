"""One statement for each shelf: `SHELF` in its text stands for the name of the schema."""

from collections.abc import Sequence
from typing import TypeVar

from rensai.kit.db import Command, Copy, Query
from rensai.rooms.search.model import Shelf

T = TypeVar("T")


def queries(text: str, row: type[T]) -> dict[Shelf, Query[T]]:
    """The same question to each shelf."""
    return {shelf: Query(text.replace("SHELF", shelf.value), row) for shelf in Shelf}


def commands(text: str) -> dict[Shelf, Command]:
    """The same command to each shelf."""
    return {shelf: Command(text.replace("SHELF", shelf.value)) for shelf in Shelf}


def copies(table: str, columns: Sequence[str]) -> dict[Shelf, Copy]:
    """The way into the same table of each shelf."""
    return {shelf: Copy(shelf.value, table, columns) for shelf in Shelf}
