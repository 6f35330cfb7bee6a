"""Chapters from signed requests to committed rows, beside a bare COPY of the very same rows.

Ours is a whole site with one web process and one worker process, sent requests of 300 chapters
over two connections as fast as it takes them; the clock runs from the first byte to the moment
at which the last chapter can be read. COPY loads the rows that came of it, packed bodies
included, bare into the same two tables of the same server, indexes and all. The third takes the
same prepared items from the queue one by one.

It goes on for half a minute and more, as crawlers do: so much fills the write-ahead log again and
again, and the disk counts as well as the processor. A short run favours COPY, which then ends
before anything has to be written out.

    python -m bench.ingest --chapters 30000 --rounds 3
"""

import argparse
import asyncio
import subprocess
import sys
import time
from collections.abc import Callable

from bench.crawler import ITEMS, Request, send_all
from bench.harness import Contender, Sample, Target, compare
from bench.ingest_site import (
    TEXTS,
    Site,
    Watch,
    committed,
    empty,
    ingest_site,
    novels,
    push_stories,
    readable,
)
from bench.item_by_item import keep_items, queue_items, work_off
from bench.library import program

CHAPTERS = 100_000
STORIES = 300
CONNECTIONS = 2
SHARE_BY_ITEM = 20
"""One in so many chapters is also ingested by itself."""

TARGETS = (
    Target("rensai", 2_500, of="median"),
    Target("rensai", 0.25),
)
MOST_MEMORY = 300.0


def run(
    chapters: int = CHAPTERS,
    rounds: int = 2,
    connections: int = CONNECTIONS,
    warm_ups: int = 0,
) -> bool:
    """Whether all targets are reached."""
    with ingest_site() as site:
        library = novels(STORIES, min(TEXTS, chapters))
        asyncio.run(push_stories(site, library))
        print("  preparing the requests", flush=True)
        requests = list(library.chapter_requests(0, chapters))
        _keep_rows(site, requests)
        outcome = compare(
            "ingest",
            f"{chapters:,} chapters in signed requests of {ITEMS}, beside COPY of the same rows",
            [
                Contender("rensai", _ingested(site, requests, connections)),
                Contender("copy", _copied(site, chapters)),
                Contender("item by item", _one_by_one(site)),
            ],
            baseline="copy",
            unit="chapters/s",
            target=TARGETS[1],
            rounds=rounds,
            warm_ups=warm_ups,
        )
    ours = outcome.of("rensai")
    fast = TARGETS[0].reached(ours)
    print(f"  target: {TARGETS[0]}: {'reached' if fast else 'MISSED'}")
    small = ours.latencies["worker MiB"] <= MOST_MEMORY
    print(f"  target: worker <= {MOST_MEMORY:g} MiB: {'reached' if small else 'MISSED'}")
    return bool(outcome.reached) and fast and small


def _ingested(site: Site, requests: list[Request], connections: int) -> Callable[[], Sample]:
    chapters = sum(request.items for request in requests)

    async def measure() -> Sample:
        async with site.connected() as connection:
            await empty(connection)
            watch = Watch(site)
            began = time.perf_counter()
            sending = asyncio.create_task(
                asyncio.to_thread(send_all, site.url, site.key, requests, connections)
            )
            ending = asyncio.create_task(committed(connection, chapters))
            sent = await sending
            done = await ending
            columns = watch.cores() | watch.peaks()
            await readable(connection, chapters)
        answered = max(one.answered for one in sent)
        columns = {"accepted/s": chapters / (answered - began), **columns}
        return Sample([chapters / (done - began)], columns)

    return lambda: asyncio.run(measure())


def _keep_rows(site: Site, requests: list[Request]) -> None:
    """Ingest everything once, which also warms up, and keep the rows that come of it."""
    _ingested(site, requests, CONNECTIONS)()
    chapters = sum(request.items for request in requests)
    (site.folder / "rows").mkdir(exist_ok=True)
    _psql(
        site,
        f"\\copy (SELECT * FROM chapters ORDER BY id) TO '{_chapters(site)}' (FORMAT binary)",
        f"\\copy (SELECT * FROM chapter_bodies ORDER BY chapter_id) TO '{_bodies(site)}'"
        " (FORMAT binary)",
    )

    async def keep() -> None:
        async with site.connected() as connection:
            await keep_items(connection, max(1, chapters // SHARE_BY_ITEM))

    asyncio.run(keep())


def _copied(site: Site, chapters: int) -> Callable[[], Sample]:
    async def prepare() -> None:
        async with site.connected() as connection:
            await empty(connection)

    async def check() -> None:
        async with site.connected() as connection:
            await readable(connection, chapters)

    def measure() -> Sample:
        asyncio.run(prepare())
        watch = Watch(site)
        began = time.perf_counter()
        _psql(
            site,
            "BEGIN;",
            f"\\copy chapters FROM '{_chapters(site)}' (FORMAT binary)",
            f"\\copy chapter_bodies FROM '{_bodies(site)}' (FORMAT binary)",
            "COMMIT;",
        )
        seconds = time.perf_counter() - began
        cores = watch.cores()
        asyncio.run(check())
        return Sample([chapters / seconds], cores)

    return measure


def _one_by_one(site: Site) -> Callable[[], Sample]:
    async def measure() -> Sample:
        async with site.connected() as connection:
            await empty(connection)
            await queue_items(connection)
            watch = Watch(site)
            rate = await work_off(connection)
            return Sample([rate], watch.cores())

    return lambda: asyncio.run(measure())


def _psql(site: Site, *lines: str) -> None:
    command = [program("psql"), "-q", "-X", "-v", "ON_ERROR_STOP=1", site.database_url]
    subprocess.run(command, input="\n".join(lines), text=True, check=True)


def _chapters(site: Site) -> str:
    return str(site.folder / "rows" / "chapters")


def _bodies(site: Site) -> str:
    return str(site.folder / "rows" / "bodies")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="Chapters ingested per second.")
    options.add_argument("--chapters", type=int, default=CHAPTERS)
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("--connections", type=int, default=CONNECTIONS)
    options.add_argument("--warm-ups", type=int, default=0)
    chosen = options.parse_args()
    reached = run(chosen.chapters, chosen.rounds, chosen.connections, chosen.warm_ups)
    sys.exit(0 if reached else 1)
