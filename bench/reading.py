"""Reading a library of 100,000 stories and 1,000,000 chapters of 12 KB, kept and not kept.

Two web processes of ours stand side by side on one database, each as `rensai serve` starts it: one
with `ANSWER_CACHE_SECONDS=0`, which makes every answer anew, and one as it is by default. Only one
of them is asked at a time. Chapters that are not kept are drawn by chance from all that can be
read. The peer is Hono, as in `list_route`. `cpu us` is how long the asked process was busy with one
request, which others on the machine change little: 125 allow 8,000 requests in a second.

    python -m bench.reading --stories 5000      # a first look within a minute
"""

import argparse
import json
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from bench.harness import Contender, Sample, Target, compare
from bench.library import Library, library
from bench.list_route import SECRET, expect_the_same, peer
from bench.load import ensure_wrk, fetch, requests_per_second, tag_of
from bench.node import install, node
from bench.servers import BASE_PATH, ROOT, free_port, running, settings

STORIES = 100_000
CHAPTERS = 10
FAR_PAGE = 1_000
ON_PAGE = 20
SECONDS = 3

_SERIES = "/api/v1/series"
_NOVEL = "/wp-json/novel/v1"
# One story in five is a draft, and the ids of chapters follow from those of their stories.
_ANY_CHAPTER = """
  local story = math.random(1, {stories})
  if story % 5 == 0 then story = story - 1 end
  return "{novel}/chapters/" .. ((math.random(1, {chapters}) - 1) * {stories} + story)
"""


@dataclass(frozen=True)
class Sites:
    """Where the servers answer."""

    fresh: str
    kept: str
    empty: str
    hono: str
    busy: dict[str, int]
    """The processes by the address at which they answer."""

    def asked(self, name: str, url: str, **how: Any) -> Contender:  # Any: as requests_per_second
        """A contender that tells also how long its process was busy with each request."""
        process = psutil.Process(next(pid for site, pid in self.busy.items() if site in url))
        load = requests_per_second(url, seconds=SECONDS, **how)

        def measure() -> Sample:
            before = _busy(process)
            sample = load()
            micros = (_busy(process) - before) / (sample.values[0] * SECONDS) * 1e6
            return Sample(sample.values, {**sample.latencies, "cpu us": micros})

        return Contender(name, measure)


def _busy(process: psutil.Process) -> float:
    tree = [process, *process.children(recursive=True)]
    return sum(sum(one.cpu_times()[:2]) for one in tree)


def run(stories: int = STORIES) -> bool:
    """Whether every target is reached."""
    ensure_wrk()
    with library(stories, CHAPTERS) as place, _sites(place) as sites:
        expect_the_same(sites.fresh + _SERIES, sites.hono + _SERIES)
        reached = [_list(sites), _chapter(sites, stories), *_kept(sites), _far_page(sites, stories)]
    return all(reached)


@contextmanager
def _sites(place: Library) -> Generator[Sites]:
    ports = [free_port() for _ in range(4)]
    fresh, kept, empty, hono = (f"http://127.0.0.1:{port}" for port in ports)
    serve = [str(ROOT / ".venv/bin/rensai"), "serve"]
    alone = [sys.executable, "-m", "bench.servers", "full", str(ports[2])]
    never = {"ANSWER_CACHE_SECONDS": "0", "SESSION_SECRET": SECRET}
    busy: dict[str, int] = {}
    with ExitStack() as started:

        def start(
            command: list[str], environment: dict[str, str], url: str, folder: Path = ROOT
        ) -> None:
            process = running(command, environment, url=url, folder=folder)
            busy[url[: url.index("/", 8)]] = started.enter_context(process).pid

        start(serve, settings(place.url, place.folder, ports[0]) | never, fresh + _SERIES)
        start(serve, settings(place.url, place.folder, ports[1]), kept + _SERIES)
        start(alone, settings(place.url, place.folder, ports[2]), empty + BASE_PATH)
        theirs = peer(place.url, ports[3])
        start([node(), "server.mjs"], theirs, hono + _SERIES, install("hono"))
        yield Sites(fresh, kept, empty, hono, busy)


def _list(sites: Sites) -> bool:
    """The first page of the list, made anew for each request."""
    contenders = [
        sites.asked("rensai", sites.fresh + _SERIES),
        sites.asked("hono", sites.hono + _SERIES),
    ]
    outcome = compare(
        "reading_list",
        "20 stories, nothing kept, 16 clients, one process each",
        contenders,
        baseline="hono",
        unit="req/s",
        target=Target("rensai", 1.3),
    )
    return bool(outcome.reached) & _within("list", outcome.of("rensai").latencies["p95 ms"], 10)


def _chapter(sites: Sites, stories: int) -> bool:
    """Chapters by chance, and the list beside them for comparison."""
    paths = _ANY_CHAPTER.format(stories=stories, chapters=CHAPTERS, novel=_NOVEL)
    outcome = compare(
        "reading_chapter",
        "A chapter of 12 KB by chance, nothing kept, 16 clients",
        [
            sites.asked("chapter", sites.fresh + "/", paths=paths),
            sites.asked("list", sites.fresh + _SERIES),
        ],
        baseline="list",
        unit="req/s",
    )
    return _within("chapter", outcome.of("chapter").latencies["p95 ms"], 10)


def _kept(sites: Sites) -> list[bool]:
    """What is kept, and what the client has already, beside a route that does nothing."""
    (row, *_) = json.loads(fetch(f"{sites.kept}{_SERIES}"))["items"]
    source, _, slug = row["slug"].rpartition(":")
    story = f"{sites.kept}{_NOVEL}/stories/{source or 'local'}/{slug}"
    told = json.loads(fetch(story))
    addresses = {
        "list": sites.kept + _SERIES,
        "story": story,
        "contents": f"{sites.kept}{_NOVEL}/stories/{told['id']}/chapters",
        "chapter": f"{sites.kept}{_NOVEL}/chapters/{told['latest_chapter']['id']}",
    }
    contenders = [sites.asked("empty", sites.empty + BASE_PATH)]
    for name, url in addresses.items():
        known = {"If-None-Match": tag_of(url)} if name != "list" else {"If-None-Match": "*"}
        contenders += [
            sites.asked(name, url),
            sites.asked(f"{name} 304", url, headers=known),
        ]
    outcome = compare(
        "reading_kept",
        "Kept answers and 304, 16 clients, one process",
        contenders,
        baseline="empty",
        unit="req/s",
    )
    return [
        _at_least(contender.name, outcome.of(contender.name).median, 8_000)
        for contender in contenders[1:]
    ]


def _far_page(sites: Sites, stories: int) -> bool:
    """The thousandth page by its cursor, or as far as there are pages, beside the first."""
    url = sites.fresh + _SERIES
    left = min(FAR_PAGE - 1, stories * 2 // 5 // ON_PAGE - 1) * ON_PAGE
    cursor = ""
    while left:
        step = min(100, left)
        page = json.loads(fetch(f"{url}?limit={step}{cursor}"))
        cursor = f"&cursor={page['nextCursor']}"
        left -= step
    outcome = compare(
        "reading_pages",
        "Page 1,000 beside page 1, nothing kept, one client",
        [
            sites.asked(name, address, clients=1)
            for name, address in (("first", url), ("far", f"{url}?limit={ON_PAGE}{cursor}"))
        ],
        baseline="first",
        unit="req/s",
        target=Target("far", 1 / 1.2),
    )
    return bool(outcome.reached)


def _within(what: str, p95: float, limit: float) -> bool:
    print(f"  target: p95 of {what} <= {limit:g} ms: {p95:.1f}", flush=True)
    return p95 <= limit


def _at_least(what: str, value: float, limit: float) -> bool:
    print(f"  target: {what} >= {limit:,.0f}/s: {value:,.0f}", flush=True)
    return value >= limit


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stories", type=int, default=STORIES)
    sys.exit(not run(parser.parse_args().stories))
