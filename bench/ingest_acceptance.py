"""A steady crawler of 10,000 chapters a minute: how long it waits, and how soon all is written.

Thirty-four requests of 300 chapters a minute are sent at even distances while the worker writes.
Measured are the time from the first byte of a request to its answer, and the time from the
answer to the moment at which the last of its chapters can be read.

    python -m bench.ingest_acceptance --minutes 10
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Callable

from bench.crawler import ITEMS, Crawler, Novels, Sent
from bench.harness import Contender, Sample, Target, compare
from bench.ingest_site import TEXTS, Site, Watch, ingest_site, novels, push_stories, readable
from rensai.kit.db_driver import Connection

MINUTES = 3.0
A_MINUTE = 34
STORIES = 300

TARGETS = (
    Target("acceptance", 150, of="p95", at_least=False),
    Target("queue lag", 5_000, of="p95", at_least=False),
)
MOST_MEMORY = 300.0
_POLL_SECONDS = 0.01


def run(minutes: float = MINUTES, a_minute: int = A_MINUTE) -> bool:
    """Whether all targets are reached."""
    lags: list[float] = []
    with ingest_site() as site:
        library = novels(STORIES, TEXTS)
        asyncio.run(push_stories(site, library))
        outcome = compare(
            "ingest_acceptance",
            f"{a_minute} requests of {ITEMS} chapters a minute, for {minutes:g} minutes",
            [
                Contender("acceptance", _accepted(site, library, minutes, a_minute, lags)),
                Contender("queue lag", lambda: Sample(lags)),  # of the same requests
            ],
            baseline="acceptance",
            unit="ms",
            target=TARGETS[0],
            rounds=1,
            warm_ups=0,
            more_is_better=False,
        )
    soon = TARGETS[1].reached(outcome.of("queue lag"))
    print(f"  target: {TARGETS[1]}: {'reached' if soon else 'MISSED'}")
    small = outcome.of("acceptance").latencies["worker MiB"] <= MOST_MEMORY
    print(f"  target: worker <= {MOST_MEMORY:g} MiB: {'reached' if small else 'MISSED'}")
    return bool(outcome.reached) and soon and small


def _accepted(
    site: Site, library: Novels, minutes: float, a_minute: int, lags: list[float]
) -> Callable[[], Sample]:
    async def measure() -> Sample:
        number = max(1, round(minutes * a_minute))
        async with site.connected() as connection:
            paced = _Paced(site, library, 60 / a_minute, connection)
            await paced.warm_up()
            watch = Watch(site)
            milliseconds = await paced.send(number)
            lags.extend(paced.lags)
            columns = watch.cores() | watch.peaks()
            await readable(connection, (number + 1) * ITEMS)
        return Sample(milliseconds, columns)

    return lambda: asyncio.run(measure())


class _Paced:
    """Sends one request after another at even distances, and watches when each is done."""

    def __init__(self, site: Site, library: Novels, every: float, connection: Connection) -> None:
        self._crawler = Crawler(site.url, site.key)
        self._library = library
        self._every = every
        self._connection = connection
        self._waiting: dict[str, Sent] = {}
        self.lags: list[float] = []

    async def warm_up(self) -> None:
        """One request that does not count."""
        await self._send(0)
        await self._watch(1)
        self.lags.clear()

    async def send(self, number: int) -> list[float]:
        """The milliseconds that each answer took."""
        watching = asyncio.create_task(self._watch(number))
        took: list[float] = []
        began = time.perf_counter()
        for turn in range(number):
            await asyncio.sleep(max(0.0, began + turn * self._every - time.perf_counter()))
            sent = await self._send(turn + 1)
            took.append(1_000 * (sent.answered - sent.began))
        await watching
        self._crawler.close()
        return took

    async def _send(self, turn: int) -> Sent:
        """Made just before it is sent, outside of the measured time."""
        (request,) = self._library.chapter_requests(turn * ITEMS, ITEMS)
        sent = await asyncio.to_thread(self._crawler.send, request)
        self._waiting[sent.accepted.request_id] = sent
        return sent

    async def _watch(self, number: int) -> None:
        while len(self.lags) < number:
            await asyncio.sleep(_POLL_SECONDS)
            if not self._waiting:
                continue
            found = await self._connection.fetch(
                "SELECT request_id::text FROM ingest_requests"
                " WHERE request_id = ANY($1::uuid []) AND status = 2",
                list(self._waiting),
            )
            now = time.perf_counter()
            for (request_id,) in found:
                sent = self._waiting.pop(str(request_id))
                self.lags.append(1_000 * max(0.0, now - sent.answered))


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="Acceptance and queue lag at a steady pace.")
    options.add_argument("--minutes", type=float, default=MINUTES)
    options.add_argument("--a-minute", type=int, default=A_MINUTE, help="requests of 300 chapters")
    chosen = options.parse_args()
    sys.exit(0 if run(chosen.minutes, chosen.a_minute) else 1)
