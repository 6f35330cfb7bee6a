"""Rows for people to read, each column as wide as its widest cell."""

from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]]) -> str:
    """The rows as lines; the first one is the head."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
