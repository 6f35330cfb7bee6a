"""A large library with a clumsy crawler: retries and stale items, and nothing twice.

100,000 stories and 1,000,000 short chapters, ten of each story in a row, the stories in no order.
One request in five is sent a second time with the same idempotency key, often while the first is
still being answered. One item in ten is an older version of a chapter that was sent before.
Afterwards SQL counts what is there twice, what is missing, and where an older version won.

    python -m bench.ingest_large --scale 0.01
"""

import argparse
import asyncio
import random
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from bench.crawler import ITEMS, Novels, Request, Sent, send_all
from bench.ingest_site import Site, Watch, committed, empty, ingest_site, whole_numbers
from bench.prose import Writer
from bench.series import Table, begin, finish
from rensai.client import Kind
from rensai.kit.db_driver import Connection

STORIES = 100_000
OF_EACH = 10
RETRIED = 0.2
STALE = 0.1
CONNECTIONS = 2
TENTHS = 10

_AT = datetime(2025, 6, 1, tzinfo=UTC)
_NOW, _BEFORE = (f"{at:%Y-%m-%dT%H:%M:%SZ}" for at in (_AT, _AT - timedelta(days=1)))

_CHECKS = {
    "chapters twice by number": """
        SELECT count(*) FROM (
            SELECT FROM chapters GROUP BY story_id, chapter_no HAVING count(*) > 1
        ) AS twice
    """,
    "chapters twice by id": """
        SELECT count(*) FROM (
            SELECT FROM chapters WHERE source_chapter_id IS NOT NULL
            GROUP BY story_id, source_chapter_id HAVING count(*) > 1
        ) AS twice
    """,
    "stories twice": """
        SELECT count(*) FROM (
            SELECT FROM stories GROUP BY source, source_story_id HAVING count(*) > 1
        ) AS twice
    """,
    "requests twice": """
        SELECT count(*) FROM (
            SELECT FROM ingest_requests
            GROUP BY source, job_type, idempotency_key HAVING count(*) > 1
        ) AS twice
    """,
    "chapters without a body": """
        SELECT count(*) FROM chapters
        LEFT JOIN chapter_bodies ON chapter_id = chapters.id WHERE chapter_id IS NULL
    """,
    "chapters of an older version": """
        SELECT count(*) FROM chapters WHERE title LIKE '%cũ' OR updated_at_source < $1
    """,
    "requests that do not add up": """
        SELECT count(*) FROM ingest_requests
        WHERE processed_items <> accepted_items OR failed_items > 0
            OR accepted_items <> total_items OR status <> 2
    """,
    "items left in the queue": "SELECT count(*) FROM ingest_jobs",
}


class _Clumsy:
    """The requests of this crawler, in their order."""

    def __init__(self, stories: int, seed: int = 11) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - not a secret
        writer = Writer(seed)
        self._texts = [writer.text(self._chance.randint(150, 500)) for _ in range(200)]
        self._library = Novels(stories, self._texts)
        self._order = list(range(stories))
        self._chance.shuffle(self._order)
        self.chapters = stories * OF_EACH
        self.items = 0
        self.retries = 0
        self.stale = 0

    def stories(self) -> Iterator[Request]:
        return self._library.story_requests()

    def requests(self, first: int, last: int) -> Iterator[Request]:
        """The new chapters from the first to the last, with old ones among them."""
        number = first
        while number < last:
            items: list[bytes] = []
            taken: set[int] = set()
            while len(items) < ITEMS and number < last:
                if number > ITEMS and self._chance.random() < STALE:
                    old = self._chance.randrange(number)
                    if old in taken:
                        continue  # twice in one request is another case
                    self.stale += 1
                    items.append(self._item(old, stale=True))
                    taken.add(old)
                else:
                    items.append(self._item(number, stale=False))
                    taken.add(number)
                    number += 1
            request = Request.of(Kind.CHAPTERS, items)
            self.items += len(items)
            yield request
            if self._chance.random() < RETRIED:
                self.retries += 1
                yield request

    def _item(self, number: int, *, stale: bool) -> bytes:
        """Every other story names its chapters by number alone."""
        story, place = self._order[number // OF_EACH], number % OF_EACH + 1
        named = f'"source_chapter_id":"{story}-{place}",' if story % 2 else ""
        text = self._texts[(number + stale) % len(self._texts)].replace("\n", "\\n")
        item = (
            f'{{"source_story_id":"s{story}",{named}"chapter_no":{place},'
            f'"slug":"chuong-{place}","title":"Chương {place}{" cũ" if stale else ""}",'
            f'"is_published":true,"updated_at_source":"{_BEFORE if stale else _NOW}",'
            f'"content_raw":"{number}\\n{text}"}}'
        )
        return item.encode()


def run(scale: float = 1.0, connections: int = CONNECTIONS) -> bool:
    """Whether nothing is there twice, and the end is about as quick as the beginning."""
    stories = max(60, round(STORIES * scale))
    where = begin(
        f"{stories:,} stories and {stories * OF_EACH:,} chapters, with retries and stale items"
    )
    table = Table("tenth", "seconds", "chapters/s", "items/s", "accepted/s", "worker MiB")
    with ingest_site() as site:
        clumsy = _Clumsy(stories)
        rate = asyncio.run(_stories(site, clumsy, connections))
        rates, found = asyncio.run(_chapters(site, clumsy, table, connections))
    totals = {
        "stories per second": rate,
        "chapters": clumsy.chapters,
        "items accepted": clumsy.items,
        "stale items": clumsy.stale,
        "requests sent a second time": clumsy.retries,
        "last tenth to first": rates[-1] / rates[0],
        **found,
    }
    return finish(
        "ingest_large",
        where,
        table,
        totals,
        {
            "nothing twice, missing, old or left": not any(found.values()),
            "last tenth >= 0.8 of the first": rates[-1] / rates[0] >= 0.8,
        },
    )


async def _stories(site: Site, clumsy: _Clumsy, connections: int) -> float:
    requests = list(clumsy.stories())
    number = sum(request.items for request in requests)
    async with site.connected() as connection:
        began = time.perf_counter()
        await asyncio.to_thread(send_all, site.url, site.key, requests, connections)
        done = await committed(connection, number)
        await empty(connection)
    return number / (done - began)


async def _chapters(
    site: Site, clumsy: _Clumsy, table: Table, connections: int
) -> tuple[list[float], dict[str, float]]:
    """Chapters per second of each tenth, and how much is wrong in the end."""
    rates: list[float] = []
    async with site.connected() as connection:
        for tenth in range(TENTHS):
            first, last = (clumsy.chapters * n // TENTHS for n in (tenth, tenth + 1))
            before = clumsy.items
            requests = list(clumsy.requests(first, last))
            watch = Watch(site)
            began = time.perf_counter()
            sent = await asyncio.to_thread(send_all, site.url, site.key, requests, connections)
            done = await committed(connection, clumsy.items)
            _check_replays(sent)
            seconds = done - began
            rates.append((last - first) / seconds)
            accepted = max(one.answered for one in sent) - began
            table.add(
                {
                    "tenth": tenth + 1,
                    "seconds": seconds,
                    "chapters/s": round(rates[-1]),
                    "items/s": round((clumsy.items - before) / seconds),
                    "accepted/s": round((clumsy.items - before) / accepted),
                    **watch.peaks(),
                }
            )
        found = await _wrong(connection, clumsy)
    return rates, found


def _check_replays(sent: list[Sent]) -> None:
    """A request that is sent again gets the answer of the first."""
    first: dict[str, str] = {}
    for one in sent:
        known = first.setdefault(one.request.name, one.accepted.request_id)
        if known != one.accepted.request_id:
            raise RuntimeError("a retry was taken for a new request")


async def _wrong(connection: Connection, clumsy: _Clumsy) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, query in _CHECKS.items():
        arguments = [_AT] if "$1" in query else []
        found[name] = float(str(await connection.fetchval(query, *arguments)))
    counted = await connection.fetchval(
        "SELECT ARRAY[(SELECT count(*) FROM chapters), (SELECT count(*) FROM stories),"
        " (SELECT sum(processed_items) FROM ingest_requests)]"
    )
    chapters, stories, processed = whole_numbers(counted)
    found["chapters too many or too few"] = abs(chapters - clumsy.chapters)
    found["stories too many or too few"] = abs(stories - clumsy.chapters // OF_EACH)
    found["items too many or too few"] = abs(processed - clumsy.items)
    return found


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="A large library, with retries and stale items.")
    options.add_argument("--scale", type=float, default=1.0, help="0.01 is a smoke test")
    options.add_argument("--connections", type=int, default=CONNECTIONS)
    chosen = options.parse_args()
    sys.exit(0 if run(chosen.scale, chosen.connections) else 1)
