"""How PostgreSQL answers a statement, for the rule that lists are covered by an index.

    async with rig.db.transaction() as tx:
        await assert_served_by_index(tx, store.NEWEST, None, 20)

Fill the tables first and ANALYZE them: on a small table PostgreSQL rightly reads it whole.
"""

import json
from collections.abc import Iterator
from typing import Any, TypeVar, cast

from rensai.kit.db import Query, Tx

T = TypeVar("T")

BIG_TABLE = 1000
_BIG = "SELECT relname FROM pg_class WHERE relkind IN ('r', 'm', 'p') AND reltuples >= $1"

Node = dict[str, Any]  # Any: a plan's fields have many types


async def plan_of(tx: Tx, query: Query[T], *args: object) -> Node:
    """The plan of a statement with these values, run and counted."""
    text = f"EXPLAIN (ANALYZE, TIMING OFF, BUFFERS OFF, FORMAT JSON) {query.text}"
    rows = await tx.connection.fetch(text, *args)
    return cast("Node", json.loads(str(rows[0][0]))[0]["Plan"])


def nodes(plan: Node) -> Iterator[Node]:
    """A plan's steps, from the top down."""
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


async def assert_served_by_index(
    tx: Tx, query: Query[T], *args: object, at_most: int = 500
) -> None:
    """Fail when a big table is read whole, or when many rows are read, sorted or thrown away.

    `at_most` is how many rows one step may handle: a page and what is looked up for it.
    """
    big = {str(row[0]) for row in await tx.connection.fetch(_BIG, BIG_TABLE)}
    plan = await plan_of(tx, query, *args)
    faults = [fault for node in nodes(plan) for fault in _faults(node, big, at_most)]
    assert not faults, f"{query!r}: {'; '.join(faults)}\n{json.dumps(plan, indent=1)}"


def _faults(node: Node, big: set[str], at_most: int) -> Iterator[str]:
    kind, table = node["Node Type"], node.get("Relation Name")
    if kind == "Seq Scan" and table in big:
        yield f"reads the whole of {table}"
    if kind == "Sort" and (sorted_rows := _sorted_rows(node)) > at_most:
        yield f"sorts {sorted_rows:.0f} rows by {', '.join(node['Sort Key'])}"
    loops = node.get("Actual Loops", 1)
    if (thrown := node.get("Rows Removed by Filter", 0) * loops) > at_most:
        yield f"throws away {thrown:.0f} rows of {table or kind}"
    if table in big and (found := node.get("Actual Rows", 0) * loops) > at_most:
        yield f"reads {found:.0f} rows of {table}"


def _sorted_rows(node: Node) -> float:
    """How many rows came in: a sort below a limit says only how many it gave."""
    return sum(
        child.get("Actual Rows", 0) * child.get("Actual Loops", 1) for child in node["Plans"]
    )
