"""Ten minutes at peak rate: whether the tables of the queue stay as small as what waits in them.

New chapters are sent at a steady rate, with at most some thousand of them waiting; a rate of 0
sends them as fast as they are written.
What is done leaves the queue for a slim list that is kept seven days, and each request leaves a
row for thirty: those lists grow by rule. So that their space is seen to be used again, done items
are here forgotten after a minute by the same task that forgets them after seven days. What seven
days would come to is reckoned from the bytes of a row.

    python -m bench.ingest_soak --minutes 60
    python -m bench.ingest_soak --rate 0
"""

import argparse
import asyncio
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

from bench.crawler import ITEMS, Novels, Request, Sent, send_all
from bench.ingest_site import TEXTS, Site, Watch, ingest_site, novels, push_stories
from bench.series import Table, begin, finish
from rensai.kit.clock import SystemClock
from rensai.kit.db import Database, DatabaseSettings
from rensai.kit.db_driver import Connection
from rensai.rooms.ingest.service.dead_letters import COMPLETED_KEPT, DEAD_KEPT, clear_away

MINUTES = 10.0
PEAK = 10_000
"""New chapters a minute."""
STORIES = 2_000
CONNECTIONS = 2
MOST_WAITING = 20
"""Requests that are accepted and not yet written; six thousand chapters."""

KEPT = timedelta(minutes=1)
EVERY_SECONDS = 15.0
_DAY = 86_400
_MIB = 2**20
_QUEUE = ("ingest_jobs", "ingest_payload_blobs")
_LISTS = ("ingest_jobs_completed", "ingest_requests")
_TABLES = (*_QUEUE, *_LISTS)

_SIZES = """
SELECT stat.relname, pg_total_relation_size(stat.relid), stat.n_dead_tup + coalesce(
    (SELECT apart.n_dead_tup FROM pg_stat_all_tables AS apart WHERE apart.relid = reltoastrelid), 0
)
FROM pg_stat_user_tables AS stat JOIN pg_class ON pg_class.oid = stat.relid
WHERE stat.relname = ANY($1::text [])
"""
"""Bodies lie apart in pieces of two kilobytes; dead pieces count like dead rows."""
_COUNTS = """
SELECT (SELECT count(*) FROM ingest_jobs), (SELECT count(*) FROM ingest_jobs_completed),
    (SELECT count(*) FROM ingest_requests)
"""


class _Later:
    """A clock that is ahead, for which the retention is over sooner."""

    def __init__(self, ahead: timedelta) -> None:
        self._ahead = ahead

    def now(self) -> datetime:
        return SystemClock().now() + self._ahead


def run(minutes: float = MINUTES, rate: int = PEAK, connections: int = CONNECTIONS) -> bool:
    """Whether the queue is as small at the end as in the first half."""
    pace = f"{rate:,} a minute" if rate else "as many as can be written"
    where = begin(f"{minutes:g} minutes of new chapters, {pace}")
    with ingest_site() as site:
        library = novels(STORIES, TEXTS)
        asyncio.run(push_stories(site, library))
        heads = ("seconds", "chapters/s", "waiting", "jobs MiB", "dead jobs", "blobs MiB")
        table = Table(*heads, "done rows", "done MiB", "dead done", "requests MiB", "worker MiB")
        soak = _Soak(site, library, table, rate / 60)
        totals = asyncio.run(soak.run(minutes * 60, connections))
    queue = [row["jobs MiB"] + row["blobs MiB"] for row in table.rows]
    lists = [row["done MiB"] for row in table.rows]
    half = len(queue) // 2
    targets = {
        "queue at the end <= 1.1 of its most in the first half": _flat(queue, half),
        "the list of what is done, kept a minute, likewise": _flat(lists, half),
        "worker <= 300 MiB": max(row["worker MiB"] for row in table.rows) <= 300,
    }
    return finish("ingest_soak", where, table, totals, targets)


def _flat(sizes: list[float], half: int) -> bool:
    return max(sizes[half:]) <= 1.1 * max(sizes[: half + 1])


class _Soak:
    def __init__(self, site: Site, library: Novels, table: Table, rate: float) -> None:
        self._site = site
        self._library = library
        self._table = table
        self._rate = rate
        self._room = threading.Semaphore(MOST_WAITING)
        self._over = threading.Event()
        self._waiting: set[str] = set()
        self._written = 0
        self._per_row = dict.fromkeys(_LISTS, 0.0)

    async def run(self, seconds: float, connections: int) -> dict[str, float]:
        """Send, sample and forget side by side; then sum up."""
        began = time.perf_counter()
        settings = DatabaseSettings(primary_url=self._site.database_url)
        database = await Database.open(settings)
        sending = asyncio.create_task(asyncio.to_thread(self._send, connections))
        async with self._site.connected() as connection:
            watching = asyncio.create_task(self._watch())
            forgetting = asyncio.create_task(self._forget(database))
            watch = Watch(self._site)
            try:
                while (passed := time.perf_counter() - began) < seconds and not sending.done():
                    before, since = self._written, time.perf_counter()
                    await asyncio.sleep(min(EVERY_SECONDS, seconds - passed))
                    rate = (self._written - before) / (time.perf_counter() - since)
                    await self._sample(connection, time.perf_counter() - began, rate, watch)
            finally:
                self._over.set()
                self._room.release(MOST_WAITING)
            await sending
            cores = watch.cores()
            forgetting.cancel()
            await asyncio.gather(watching, forgetting, return_exceptions=True)
        await database.close()
        return self._totals() | cores

    def _send(self, connections: int) -> None:
        requests = self._requests()
        send_all(self._site.url, self._site.key, requests, connections, self._note)

    def _requests(self) -> Iterator[Request]:
        """One after the other, each made when its time has come and there is room for it."""
        number = 0
        began = time.monotonic()
        while True:
            if self._rate:
                self._over.wait(began + number / self._rate - time.monotonic())
            self._room.acquire()
            if self._over.is_set():
                return
            yield from self._library.chapter_requests(number, ITEMS)
            number += ITEMS

    def _note(self, sent: Sent) -> None:
        self._waiting.add(sent.accepted.request_id)

    async def _watch(self) -> None:
        """Make room for as many requests as have been written."""
        async with self._site.connected() as connection:
            while self._waiting or not self._over.is_set():
                await asyncio.sleep(0.1)
                rows = await connection.fetch(
                    "SELECT request_id::text FROM ingest_requests"
                    " WHERE request_id = ANY($1::uuid []) AND status = 2",
                    list(self._waiting),
                )
                for (request_id,) in rows:
                    self._waiting.discard(str(request_id))
                    self._written += ITEMS
                    self._room.release()

    async def _forget(self, database: Database) -> None:
        """What the hourly task does, with a retention of a minute."""
        clock = _Later(COMPLETED_KEPT - KEPT)
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            await clear_away(database, clock)

    async def _sample(
        self, connection: Connection, seconds: float, rate: float, watch: Watch
    ) -> None:
        rows = await connection.fetch(_SIZES, list(_TABLES))
        size = {str(name): float(str(bytes_)) / _MIB for name, bytes_, _ in rows}
        dead = {str(name): float(str(count)) for name, _, count in rows}
        counts = await connection.fetchrow(_COUNTS)
        assert counts is not None
        waiting, *listed = (float(str(count)) for count in counts)
        if seconds <= KEPT.total_seconds():  # nothing has been forgotten yet
            for name, count in zip(_LISTS, listed, strict=True):
                self._per_row[name] = size[name] * _MIB / count if count else 0.0
        self._table.add(
            {
                "seconds": round(seconds),
                "chapters/s": round(rate),
                "waiting": waiting,
                "jobs MiB": size["ingest_jobs"],
                "dead jobs": dead["ingest_jobs"],
                "blobs MiB": size["ingest_payload_blobs"],
                "done rows": listed[0],
                "done MiB": size["ingest_jobs_completed"],
                "dead done": dead["ingest_jobs_completed"],
                "requests MiB": size["ingest_requests"],
                "worker MiB": watch.peaks()["worker MiB"],
            }
        )

    def _totals(self) -> dict[str, float]:
        rate = statistics.mean(row["chapters/s"] for row in self._table.rows)
        done, asked = (self._per_row[name] for name in _LISTS)
        kept, known = (days.days * _DAY / 2**30 for days in (COMPLETED_KEPT, DEAD_KEPT))
        return {
            "chapters written": self._written,
            "chapters per second": rate,
            "bytes of a done item": round(done),
            "bytes of a request": round(asked),
            "GiB of done items in 7 days at this rate": done * rate * kept,
            "GiB of done items in 7 days at 10,000 a minute": done * 10_000 / 60 * kept,
            "GiB of requests in 30 days at this rate": asked * rate / ITEMS * known,
        }


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="A soak of the ingest queue at peak rate.")
    options.add_argument("--minutes", type=float, default=MINUTES)
    options.add_argument("--rate", type=int, default=PEAK, help="a minute; 0: no limit")
    options.add_argument("--connections", type=int, default=CONNECTIONS)
    chosen = options.parse_args()
    sys.exit(0 if run(chosen.minutes, chosen.rate, chosen.connections) else 1)
