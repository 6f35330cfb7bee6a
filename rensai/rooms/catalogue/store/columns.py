"""Many rows as the arrays that `unnest` turns back into rows."""

from collections.abc import Sequence

import msgspec


def columns(rows: Sequence[msgspec.Struct]) -> list[tuple[object, ...]]:
    """One array for each field, in the order of the fields; there must be a row."""
    return list(zip(*map(msgspec.structs.astuple, rows), strict=True))
