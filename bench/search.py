"""Search in a library of 300,000 stories over HTTP, nothing kept, one web process.

Measured are the building of the index, how long answers take by kind of question, how soon a
change can be found, and how much quicker it is than two tables in MariaDB.

    python -m bench.search --stories 20000 --without-peer
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

import psutil

from bench.harness import wait_until
from bench.library import Library
from bench.search_against import against, expect_the_same, two_tables
from bench.search_asking import Asker, latencies, percentile
from bench.search_fresh import COMMITS, delays
from bench.search_library import STORIES, search_library
from bench.search_queries import Mix, Names, Query
from bench.series import Row, Table, begin, finish
from bench.servers import ROOT, free_port, running, settings

RENSAI = str(ROOT / ".venv/bin/rensai")
SECRET = "a secret for the cursors of this measurement"  # noqa: S105 - protects nothing

MOST_MS = {"facets": 20.0, "text": 40.0, "suggest": 15.0}
REBUILT_A_SECOND = 5_000
FRESH_SECONDS = 2.0
CLIENTS = 4
TURNS = 3
SLOWEST = 5
SETTLE_SECONDS = 120
_HEADS = ("answers", "p50 ms", "p95 ms", "p99 ms", "worst ms", "first p95", "CPU ms", "p95 of 4")


def run(stories: int = STORIES, *, with_peer: bool = True) -> bool:
    """Whether all targets are reached."""
    where = begin(f"Search among {stories:,} stories")
    table = Table(*_HEADS, named="asked")
    with search_library(stories) as place:
        names = Names(place, stories)
        mix = Mix(names)
        totals: dict[str, float] = {"rebuild, stories/s": rebuild(place)}
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        environment = settings(place.url, place.folder, port) | {"SESSION_SECRET": SECRET}
        reached: dict[str, bool] = {
            f"rebuild >= {REBUILT_A_SECOND:,} stories/s": totals["rebuild, stories/s"]
            >= REBUILT_A_SECOND
        }
        with running([RENSAI, "serve"], environment, url=url) as server:
            totals["first answer, s"] = warm_up(url)
            groups = _answers(url, server.pid, mix, table)
            for group, most in MOST_MS.items():
                totals[f"{group}: p95 ms"] = percentile(groups[group], 95)
                reached[f"{group}: p95 <= {most:g} ms"] = totals[f"{group}: p95 ms"] <= most
            if with_peer:
                reached |= _beside(place, url, mix)
            totals |= _fresh(place, url, stories, environment)
        reached[f"a change is found: p95 <= {FRESH_SECONDS:g} s"] = (
            totals["found after: p95 s"] <= FRESH_SECONDS
        )
    return finish("search", where, table, totals, reached)


def rebuild(place: Library) -> float:
    """Build the index as an operator does; stories a second, its start included."""
    environment = {
        **os.environ,
        "DATABASE_PRIMARY_URL": place.url,
        "RENSAI_DATA_DIR": str(place.folder),
        "SESSION_SECRET": SECRET,
    }
    command = [RENSAI, "search", "rebuild", "--json"]
    began = time.perf_counter()
    done = subprocess.run(command, env=environment, check=True, capture_output=True)
    seconds = time.perf_counter() - began
    stories = int(json.loads(done.stdout)["stories"])
    print(f"  {stories:,} stories indexed in {seconds:.1f} s", flush=True)
    return stories / seconds


def warm_up(url: str) -> float:
    """Ask until the index is there and answers come quickly; how long the first one took."""
    asker = Asker(url)
    began = time.perf_counter()
    wait_until(
        lambda: bool(asker.ask("/api/v1/search?counts=false")["items"]),
        seconds=SETTLE_SECONDS,
        what="something found",
    )
    seconds = time.perf_counter() - began
    for path in ("/api/v1/search", "/api/v1/search/facets", "/api/v1/search?q=moon"):
        asker.raw(path)
    asker.close()
    return seconds


def _answers(url: str, server: int, mix: Mix, table: Table) -> dict[str, list[float]]:
    """Milliseconds of all single answers of each group; a row for each kind of question."""
    typed = [Query(f"suggest: {min(len(text), 5)} typed", text=text) for text in mix.typed(200)]
    groups = {
        "facets": mix.facets(12) + mix.more_facets(8),
        "text": mix.texts(120),
        "suggest": sorted(typed, key=lambda query: query.kind),
    }
    return {group: _group(url, server, group, queries, table) for group, queries in groups.items()}


def _group(
    url: str, server: int, group: str, queries: Sequence[Query], table: Table
) -> list[float]:
    alone: dict[str, list[float]] = {}
    first: list[float] = []
    together: list[float] = []
    busy = 0.0
    for kind in dict.fromkeys(query.kind for query in queries):
        chosen = [query for query in queries if query.kind == kind]
        own: list[float] = []
        shared: list[float] = []
        before = _busy_seconds(server)
        for turn in range(TURNS):
            own += latencies(url, [_path(query, 2 * turn) for query in chosen])
        spent = _busy_seconds(server) - before
        for turn in range(TURNS):
            shared += latencies(url, [_path(query, 2 * turn + 1) for query in chosen], CLIENTS)
        _add(table, kind, own, own[: len(chosen)], shared, busy=spent)
        first += own[: len(chosen)]
        for number, milliseconds in enumerate(own):
            alone.setdefault(_path(chosen[number % len(chosen)], 0), []).append(milliseconds)
        together += shared
        busy += spent
    every = [milliseconds for taken in alone.values() for milliseconds in taken]
    _add(table, f"all of {group}", every, first, together, busy=busy)
    for path in sorted(alone, key=lambda path: -statistics.median(alone[path]))[:SLOWEST]:
        print(f"    {statistics.median(alone[path]):8.1f} ms  {path[:160]}")
    return every


def _busy_seconds(server: int) -> float:
    """Processor time of the server without its database: other work does not change it."""
    processes = [psutil.Process(server), *psutil.Process(server).children(recursive=True)]
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def _path(query: Query, turn: int) -> str:
    if not query.kind.startswith("suggest"):
        return query.path(turn=turn)
    limit = 8 + turn  # another request each time, which nothing kept can answer
    return query.path(turn=turn).split("&limit")[0].replace("search?", "search/suggest?") + (
        f"&limit={limit}"
    )


def _add(
    table: Table,
    kind: str,
    alone: Sequence[float],
    first: Sequence[float],
    together: Sequence[float],
    *,
    busy: float,
) -> None:
    row: Row = {
        "answers": len(alone),
        "p50 ms": percentile(alone, 50),
        "p95 ms": percentile(alone, 95),
        "p99 ms": percentile(alone, 99),
        "worst ms": max(alone),
        "first p95": percentile(first, 95),
        "CPU ms": 1_000 * busy / len(alone),
        "p95 of 4": percentile(together, 95),
    }
    table.add(row, kind)


def _beside(place: Library, url: str, mix: Mix) -> dict[str, bool]:
    facets, texts = mix.facets(1), mix.texts(8)
    asker = Asker(url)
    with two_tables(place) as peer:
        expect_the_same(asker, peer, facets)
        outcomes = against(asker, peer, facets, texts)
    asker.close()
    return {
        f"{outcome.case}: {outcome.target}": outcome.reached
        for outcome in outcomes
        if outcome.reached is not None
    }


def _fresh(place: Library, url: str, stories: int, environment: dict[str, str]) -> dict[str, float]:
    worker_port = free_port()
    worker = environment | {"RUN_MODE": "worker", "PORT": str(worker_port)}
    process = subprocess.Popen(
        [RENSAI, "serve"],
        cwd=ROOT,
        env={**os.environ, **worker},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        time.sleep(5)  # it answers no requests that tell when it is there
        took = delays(place, url, stories)
    finally:
        process.terminate()
        process.wait(timeout=60)
    print(f"  {COMMITS} single commits, each looked for until it was found", flush=True)
    return {f"found after: p{part} s": percentile(took, part) for part in (50, 95, 99)}


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="Search in a large library.")
    options.add_argument("--stories", type=int, default=STORIES, help="20000 is a smoke test")
    options.add_argument("--without-peer", action="store_true", help="leave MariaDB out")
    chosen = options.parse_args()
    sys.exit(0 if run(chosen.stories, with_peer=not chosen.without_peer) else 1)
