"""Each public list is read from one index, in its order, and stops after a page."""

import json
from datetime import timedelta
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
    """The steps of the list itself; what is looked up for each row of the page is apart."""
    children = [child for child in plan.get("Plans", []) if "Subplan Name" not in child]
    return [plan, *(node for child in children for node in _nodes(child))]


def _looked_up(plan: dict[str, Any]) -> list[dict[str, Any]]:  # Any: what EXPLAIN says
    """The steps by which warnings are looked up for a row."""
    children = plan.get("Plans", [])
    found = [node for child in children for node in _looked_up(child)]
    return [*found, *(child for child in children if child.get("Relation Name") == "story_terms")]


async def test_each_list_reads_one_index_and_sorts_nothing(database: Database) -> None:
    await fill(database, STORIES)
    used: dict[str, set[str]] = {}
    for shape, query in LISTS.items():
        sort, by_source, by_author, since, after = shape
        arguments: list[object] = [21]
        arguments += ["truyen"] if by_source else []
        arguments += ["Author 1"] if by_author else []
        arguments += [MORNING - timedelta(days=9)] if since else []
        arguments += [KEYS[sort], STORIES // 2] if after else []
        explain = Query(f"EXPLAIN (ANALYZE, FORMAT JSON) {query.text}", str)
        answer = await database.primary.first(explain, *arguments)
        assert answer is not None
        nodes = _nodes(json.loads(answer)[0]["Plan"])
        assert {node["Node Type"] for node in nodes} == {"Limit", "Index Scan"}, shape
        (scan,) = (node for node in nodes if node["Node Type"] == "Index Scan")
        assert scan["Actual Rows"] <= 21, shape
        # One author writes for few sources, so among theirs the others may be thrown away.
        assert all(
            node["Node Type"].startswith(("Index", "Bitmap"))
            for node in _looked_up(json.loads(answer)[0]["Plan"])
        ), shape
        thrown_away = scan.get("Rows Removed by Filter", 0)
        assert thrown_away <= (40 if by_source and by_author else 0), shape
        if since:
            assert "updated_at >" in scan["Index Cond"], shape
        whose = "author" if by_author else "source" if by_source else ""
        used.setdefault(scan["Index Name"], set()).add(f"{whose} {sort.value}")
    assert used == {
        "stories_public_updated": {" updated"},
        "stories_public_popular": {" popular"},
        "stories_public_newest": {" newest"},
        "stories_public_source_updated": {"source updated"},
        "stories_public_source_popular": {"source popular"},
        "stories_public_source_newest": {"source newest"},
        "stories_public_author": {"author updated"},
        "stories_public_author_popular": {"author popular"},
        "stories_public_author_newest": {"author newest"},
    }
