"""One story with 200,000 ratings: every order at any depth, and what counting them takes.

A web process as `rensai serve` starts it, nothing kept; pages of 20 after places drawn by chance
from all ratings of the story, so most of them lie deep. Whoever rates waits for nobody but the
counting of that very story, so that is measured too, as it runs in a worker.

    python -m bench.opinion --ratings 20000      # a first look within a minute
"""

import argparse
import asyncio
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from typing import cast

from bench.harness import Contender, Sample, compare
from bench.library import library, program
from bench.list_route import SECRET
from bench.load import fetch
from bench.search_asking import latencies
from bench.servers import ROOT, free_port, running, settings
from rensai.kit.db import Database, DatabaseSettings
from rensai.kit.db_driver import connect
from rensai.kit.web import cursor as cursors
from rensai.rooms.catalogue.door import StoriesCounted
from rensai.rooms.shelf.door import count_opinions
from rensai.rooms.shelf.model.ratings import RatingSort

RATINGS = 200_000
STORIES = 1_000
HOT = 1
ON_PAGE = 200
"""Requests of one turn."""

LIMIT_MS = 10
CLIENTS = (1, 4)

# Every reader has rated the hot story, and every second one another story.
_FILL = """
INSERT INTO users (uid, username, email, password_hash, display_name)
SELECT gen_random_uuid(), 'reader-' || n, 'reader-' || n || '@example.com', '', 'Reader ' || n
FROM generate_series(1, :ratings) AS n;
INSERT INTO ratings (uid, user_id, story_id, score, review_text, created_at, updated_at)
SELECT gen_random_uuid(), id, :hot, 1 + (id * 7919 % 23) % 10,
    CASE WHEN id % 2 = 0 THEN 'Chương này hay quá. ' || repeat('Đọc lại. ', id::integer % 40) END,
    now() - (id * 104729 % 31536000) * interval '1 second', now()
FROM users ORDER BY id * 104729 % 1000003;
INSERT INTO ratings (uid, user_id, story_id, score, created_at, updated_at)
SELECT gen_random_uuid(), id, 2 + id % (:stories - 1), 1 + id % 10, now(), now()
FROM users WHERE id % 2 = 0;
VACUUM (ANALYZE) users, ratings;
"""
_PLACES = """
SELECT score, created_at, id FROM ratings
WHERE story_id = $1 AND id % greatest(1, $2 / 2000) = 0
"""

Place = tuple[int, datetime, int]


def run(ratings: int = RATINGS) -> bool:
    """Whether every target is reached."""
    port = free_port()
    site = f"http://127.0.0.1:{port}"
    path = f"/wp-json/novel/v1/stories/source-{HOT}/story-{HOT}/ratings"
    with library(STORIES) as place:
        _fill(place.url, ratings)
        environment = settings(place.url, place.folder, port) | {"SESSION_SECRET": SECRET}
        places = asyncio.run(_places(place.url, ratings))
        asyncio.run(_count(place.url, rounds=1))  # so that the summary is a whole one
        serve = [str(ROOT / ".venv/bin/rensai"), "serve"]
        with running(serve, environment, url=site + path):
            reached = [_pages(site, path, places, clients) for clients in CLIENTS]
        spent = asyncio.run(_count(place.url, rounds=9))
    print(f"\ncounting {ratings:,} ratings of one story: {sorted(spent)[4]:.1f} ms (median of 9)")
    return all(reached)


def _fill(url: str, ratings: int) -> None:
    print(f"  loading {ratings:,} readers and {ratings * 3 // 2:,} ratings", flush=True)
    script = _FILL
    for name, value in (("ratings", ratings), ("hot", HOT), ("stories", STORIES)):
        script = script.replace(f":{name}", str(value))
    command = [program("psql"), "-q", "-v", "ON_ERROR_STOP=1", url]
    subprocess.run(command, input=script, text=True, check=True)


async def _places(url: str, ratings: int) -> list[Place]:
    """Where pages may begin: about two thousand of the ratings of the hot story."""
    connection = await connect(url, seconds=60)
    rows = await connection.fetch(_PLACES, HOT, ratings)
    await connection.close()
    return cast("list[Place]", [(row[0], row[1], row[2]) for row in rows])


def _pages(site: str, path: str, places: Sequence[Place], clients: int) -> bool:
    chance = random.Random(11)  # noqa: S311 - places to begin at
    contenders = [_asked("an empty answer", site, ["/healthz"], clients, chance)]
    for sort in RatingSort:
        first = f"{path}?sort={sort.value}"
        fetch(site + first)
        deep = [f"{first}&cursor={_cursor(sort, one)}" for one in places]
        contenders.append(_asked(f"{sort.value}, page 1", site, [first], clients, chance))
        contenders.append(_asked(f"{sort.value}, anywhere", site, deep, clients, chance))
    outcome = compare(
        f"opinion_{clients}",
        f"20 of all ratings of one story, {clients} client{'s' if clients > 1 else ''}",
        contenders,
        baseline=contenders[0].name,
        unit="ms",
        more_is_better=False,
    )
    worst = max(figures.p95 for figures in outcome.figures[1:])
    if clients == 1:
        print(f"  target: p95 <= {LIMIT_MS} ms for every order at any depth: {worst:.1f}")
    return clients > 1 or worst <= LIMIT_MS


def _cursor(sort: RatingSort, place: Place) -> str:
    score, created_at, id_ = place
    key = {
        RatingSort.NEWEST: (created_at, id_),
        RatingSort.HIGHEST: (score, created_at, id_),
        RatingSort.LOWEST: (-score, created_at, id_),
    }[sort]
    return cursors.encode(SECRET, cursors.kind("novel-ratings", HOT, sort.value), key)


def _asked(
    name: str, site: str, paths: Sequence[str], clients: int, chance: random.Random
) -> Contender:
    def measure() -> Sample:
        return Sample(latencies(site, chance.choices(paths, k=ON_PAGE), clients))

    return Contender(name, measure)


async def _count(url: str, rounds: int) -> list[float]:
    """Milliseconds of counting the hot story, as a worker does it."""
    database = await Database.open(DatabaseSettings(primary_url=url, pool_size=2))
    spent: list[float] = []
    for _ in range(rounds):
        began = time.perf_counter()
        async with database.transaction() as tx:
            await count_opinions(tx, StoriesCounted([HOT]))
        spent.append(1_000 * (time.perf_counter() - began))
    await database.close()
    return spent


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratings", type=int, default=RATINGS)
    sys.exit(not run(parser.parse_args().ratings))
