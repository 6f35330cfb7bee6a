"""Each public list is read from one index, in its order, and stops after a page."""

import json
from typing import Any

import pytest

from rensai.kit.db import Database, Query
from rensai.rooms.catalogue.model import Sort
from rensai.rooms.catalogue.store.lists import LISTS
from tests.rooms.catalogue.stories import MORNING, fill

pytestmark = pytest.mark.anyio

STORIES = 20_000
KEYS: dict[Sort, object] = {Sort.UPDATED: MORNING, Sort.NEWEST: MORNING, Sort.POPULAR: 500}


def _nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:  # Any: what EXPLAIN says
    return [plan, *(node for child in plan.get("Plans", []) for node in _nodes(child))]


async def test_each_list_reads_one_index_and_sorts_nothing(database: Database) -> None:
    await fill(database, STORIES)
    used: set[str] = set()
    for (sort, by_source, after), query in LISTS.items():
        arguments: list[object] = [21]
        if after:
            arguments += [KEYS[sort], STORIES // 2]
        if by_source:
            arguments.append("truyen")
        explain = Query(f"EXPLAIN (ANALYZE, FORMAT JSON) {query.text}", str)
        answer = await database.primary.first(explain, *arguments)
        assert answer is not None
        nodes = _nodes(json.loads(answer)[0]["Plan"])
        name = f"{sort.value} by_source={by_source} after={after}"
        assert {node["Node Type"] for node in nodes} == {"Limit", "Index Scan"}, name
        (scan,) = (node for node in nodes if node["Node Type"] == "Index Scan")
        assert scan["Actual Rows"] <= 21, name
        assert scan.get("Rows Removed by Filter", 0) == 0, name
        used.add(scan["Index Name"])
    assert used == {
        f"stories_public_{part}{sort.value}" for part in ("", "source_") for sort in Sort
    }
