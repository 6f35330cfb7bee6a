"""One story with 500,000 comments and its chapter with as many: every order at any depth.

A web process as `rensai serve` starts it, nothing kept. Pages of 20, each with the first replies
to its comments, begin at places drawn by chance from all of the thread, so most of them lie deep.
Nobody has signed in; who has costs one look-up more. Then what counting the most liked comment
takes.

    python -m bench.talk --comments 50000      # a first look within a minute
"""

import argparse
import asyncio
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from bench.harness import Contender, Sample, compare
from bench.library import library, program
from bench.list_route import SECRET
from bench.load import fetch
from bench.search_asking import latencies
from bench.servers import ROOT, free_port, running, settings
from rensai.kit.db import Database, DatabaseSettings
from rensai.kit.db_driver import connect
from rensai.kit.web import cursor as cursors
from rensai.rooms.talk.model.comments import Order
from rensai.rooms.talk.service.counting import count

COMMENTS = 500_000
READERS = 100_000
STORIES = 1_000
HOT = 1
ROUND = 200
"""Requests of one turn."""

LIMIT_MS = 10
CLIENTS = (1, 4)

# In each thread one comment in five answers one of the others; the first is the most liked and
# the most answered one. Likes are few for most, as they are. A twentieth is hidden or deleted.
_FILL = """
INSERT INTO users (uid, username, email, password_hash, display_name)
SELECT gen_random_uuid(), 'reader-' || n, 'reader-' || n || '@example.com', '', 'Reader ' || n
FROM generate_series(1, :readers) AS n;
INSERT INTO comments (
    uid, story_id, chapter_id, user_id, content, likes_count, is_pinned, is_hidden, deleted_at,
    created_at, updated_at
)
SELECT gen_random_uuid(), :hot, CASE WHEN on_chapter THEN :hot END, 1 + n * 7919 % :readers,
    'Chương này hay quá! ' || repeat('Đọc lại lần nữa. ', (n % 20)::integer),
    (1000000 / (1 + n * 104729 % 1000003)), n % 100000 = 7, n % 40 = 3,
    CASE WHEN n % 40 = 13 THEN now() END,
    now() - (n * 104729 % 31536000) * interval '1 second', now()
FROM generate_series(1::bigint, :comments * 4 / 5) AS n, unnest(ARRAY[false, true]) AS on_chapter
ORDER BY n;
INSERT INTO comments (
    uid, story_id, chapter_id, parent_id, user_id, content, created_at, updated_at
)
SELECT gen_random_uuid(), story_id, chapter_id, parents.id, 1 + parents.id * 31 % :readers,
    'Đúng vậy.', parents.created_at + n * interval '1 minute', now()
FROM (
    SELECT *, CASE
        WHEN id <= 2 THEN :comments / 20 ELSE CASE WHEN id % 16 = 0 THEN 3 ELSE 0 END
    END AS answers FROM comments
) AS parents, generate_series(1, answers) AS n;
INSERT INTO comment_likes (comment_id, user_id, created_at)
SELECT 1, id, now() FROM users;
INSERT INTO comment_likes (comment_id, user_id, created_at)
SELECT id, 1 + id * 13 % :readers, now() FROM comments WHERE id > 1 AND id % 2 = 0;
VACUUM (ANALYZE) users, comments, comment_likes;
"""
_PLACES = """
SELECT is_pinned, likes_count, created_at, id FROM comments
WHERE story_id = $1 AND (chapter_id IS NOT NULL) = $2 AND parent_id IS NULL AND is_shown
    AND id % greatest(1, $3 / 2000) = 0
"""


class Place(NamedTuple):
    """A comment after which a page begins."""

    is_pinned: bool
    likes: int
    created_at: datetime
    id: int


def run(comments: int = COMMENTS) -> bool:
    """Whether every target is reached."""
    port = free_port()
    site = f"http://127.0.0.1:{port}"
    with library(STORIES, 1) as place:
        _fill(place.url, comments)
        environment = settings(place.url, place.folder, port) | {"SESSION_SECRET": SECRET}
        threads = {
            path: asyncio.run(_places(place.url, comments, on_chapter=on_chapter))
            for path, on_chapter in ((_path("stories"), False), (_path("chapters"), True))
        }
        serve = [str(ROOT / ".venv/bin/rensai"), "serve"]
        with running(serve, environment, url=site + _path("stories")):
            reached = [_pages(site, threads, clients) for clients in CLIENTS]
        spent = asyncio.run(_count(place.url))
    print(f"\ncounting {READERS:,} likes of one comment: {sorted(spent)[4]:.1f} ms (median of 9)")
    return all(reached)


def _path(things: str) -> str:
    return f"/wp-json/novel/v1/{things}/{HOT}/comments"


def _fill(url: str, comments: int) -> None:
    print(f"  loading {READERS:,} readers and twice {comments:,} comments", flush=True)
    script = _FILL
    for name, value in (("comments", comments), ("readers", READERS), ("hot", HOT)):
        script = script.replace(f":{name}", str(value))
    command = [program("psql"), "-q", "-v", "ON_ERROR_STOP=1", url]
    subprocess.run(command, input=script, text=True, check=True)


async def _places(url: str, comments: int, *, on_chapter: bool) -> list[Place]:
    """Where pages may begin: about two thousand of the comments of a thread."""
    connection = await connect(url, seconds=60)
    rows = await connection.fetch(_PLACES, HOT, on_chapter, comments)
    await connection.close()
    return [Place(*row) for row in rows]  # type: ignore[arg-type]  # columns in its order


def _pages(site: str, threads: dict[str, list[Place]], clients: int) -> bool:
    chance = random.Random(11)  # noqa: S311 - places to begin at
    contenders: list[Contender] = []
    for path, places in threads.items():
        on_chapter = "chapters" in path
        thing = "chapter" if on_chapter else "story"
        for order in Order:
            first = f"{path}?sort={order.value}"
            fetch(site + first)
            deep = [
                f"{first}&cursor={_cursor(one, order, on_chapter=on_chapter)}" for one in places
            ]
            named = f"{thing}, {order.value}"
            contenders.append(_asked(f"{named}, page 1", site, [first], clients, chance))
            contenders.append(_asked(f"{named}, anywhere", site, deep, clients, chance))
    outcome = compare(
        f"talk_{clients}",
        f"20 of all comments of a thread, {clients} client{'s' if clients > 1 else ''}",
        contenders,
        baseline=contenders[0].name,
        unit="ms",
        more_is_better=False,
    )
    worst = max(figures.p95 for figures in outcome.figures)
    if clients == 1:
        print(f"  target: p95 <= {LIMIT_MS} ms for every order at any depth: {worst:.1f}")
    return clients > 1 or worst <= LIMIT_MS


def _cursor(place: Place, order: Order, *, on_chapter: bool) -> str:
    chapter_id = HOT if on_chapter else None
    listing = cursors.kind("novel-comments", HOT, chapter_id, order.value)
    likes = (place.likes,) if order is Order.TOP else ()
    return cursors.encode(SECRET, listing, (place.is_pinned, *likes, place.created_at, place.id))


def _asked(
    name: str, site: str, paths: Sequence[str], clients: int, chance: random.Random
) -> Contender:
    def measure() -> Sample:
        return Sample(latencies(site, chance.choices(paths, k=ROUND), clients))

    return Contender(name, measure)


async def _count(url: str) -> list[float]:
    """Milliseconds of counting the most liked comment, as a worker does it."""
    database = await Database.open(DatabaseSettings(primary_url=url, pool_size=2))
    spent: list[float] = []
    for _ in range(9):
        began = time.perf_counter()
        async with database.transaction() as tx:
            await count(tx, 1)
        spent.append(1_000 * (time.perf_counter() - began))
    await database.close()
    return spent


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--comments", type=int, default=COMMENTS)
    sys.exit(not run(parser.parse_args().comments))
