"""Figures of a long run over time: a table on the screen, and all of it in `bench/results`."""

import json
from collections.abc import Mapping, Sequence

from bench.harness import RESULTS, machine

Row = Mapping[str, float]


def begin(title: str) -> dict[str, str]:
    """Tell what begins: the title, and the machine as it is before it is busy with us."""
    print(f"\n{title}", flush=True)
    return {"title": title, **machine()}


class Table:
    """Prints each row as it comes; where rows are `named`, the name comes first."""

    def __init__(self, *heads: str, named: str = "") -> None:
        self._heads = heads
        self._named = named
        self.names: list[str] = []
        self.rows: list[Row] = []
        self._widths = [26 if named else 0, *(max(len(head), 10) for head in heads)]
        self._print([named, *heads])

    def add(self, row: Row, name: str = "") -> None:
        """One more row, with all the columns."""
        self.names.append(name)
        self.rows.append(row)
        self._print([name, *(_told(row[head]) for head in self._heads)])

    def _print(self, cells: Sequence[str]) -> None:
        padded = [cell.rjust(width) for cell, width in zip(cells, self._widths, strict=True)]
        padded[:1] = [cells[0].ljust(self._widths[0])] if self._named else []
        print("  " + "  ".join(padded), flush=True)


def finish(
    case: str, where: dict[str, str], table: Table, totals: Row, targets: Mapping[str, bool]
) -> bool:
    """Print the totals and what was to be reached, and write everything down."""
    for name, value in totals.items():
        print(f"  {name}: {_told(value)}")
    for target, reached in targets.items():
        print(f"  target: {target}: {'reached' if reached else 'MISSED'}")
    print(
        "  on " + ", ".join(f"{key} {value}" for key, value in where.items() if key != "title"),
        flush=True,
    )
    RESULTS.mkdir(exist_ok=True)
    told = {
        "case": case,
        "title": where["title"],
        "totals": totals,
        "targets": targets,
        "rows": table.rows,
        "names": table.names,
        "machine": where,
    }
    (RESULTS / f"{case}.json").write_text(json.dumps(told, indent=2) + "\n")
    return all(targets.values())


def _told(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
