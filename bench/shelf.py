"""The shelf of 100,000 readers with 10,000,000 rows of history, on one web process.

Lists are asked for by readers drawn by chance, by one client and by four; `all` merges what is read
and what is kept. Then readers turn pages: each request is another reader's progress in another
chapter, and what counts is how many are accepted in a second while what was accepted is written
behind. `cpu us` is how long the process was busy with a request, what is written behind included:
250 allow 4,000 in a second.

    python -m bench.shelf --readers 2000      # a first look within a minute
"""

import argparse
import hashlib
import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

from bench.harness import Contender, Sample, compare
from bench.library import Library, library, program
from bench.load import ensure_wrk, fetch, requests_per_second
from bench.servers import ROOT, free_port, running, settings

READERS = 100_000
STORIES = 20_000
CHAPTERS = 10
HISTORY_OF_ONE = 100
SECONDS = 4
WRITERS = 32

_NOVEL = "/wp-json/novel/v1"

# Each reader reads 40 stories and keeps 30, 20 of which are among those; the history of each has
# a hundred chapters. Their tokens are made as any.
_FILL = """
INSERT INTO users (uid, username, email, password_hash, display_name)
SELECT gen_random_uuid(), 'reader' || n, 'reader' || n || '@example.com', 'x', 'Reader ' || n
FROM generate_series(1, :readers) AS n;
INSERT INTO api_tokens (id, user_id, name, token_hash, scopes)
SELECT gen_random_uuid(), users.id, 'bench',
    sha256(convert_to('rsn_' || rpad('reader' || n || 'x', 43, 'x'), 'UTF8')),
    ARRAY['library:read', 'library:write']
FROM generate_series(1, :readers) AS n JOIN users ON users.username = 'reader' || n;
INSERT INTO reading_progress
SELECT user_id, story_id, story_id, 1, 0.5, NULL,
    now() - (n * 7919 % 43200) * interval '1 minute'
FROM (
    SELECT DISTINCT ON (users.id, story_id) users.id AS user_id, n, story_id
    FROM users, generate_series(1, 40) AS n,
        LATERAL (SELECT 1 + (users.id * 104729 + n * 7919) % :stories AS story_id) AS story
    ORDER BY users.id, story_id, n
) AS chosen;
INSERT INTO bookmarks
SELECT user_id, story_id, n % 4, true, now() - interval '60 days',
    now() - (n * 3571 % 43200) * interval '1 minute'
FROM (
    SELECT DISTINCT ON (users.id, story_id) users.id AS user_id, n, story_id
    FROM users, generate_series(21, 50) AS n,
        LATERAL (SELECT 1 + (users.id * 104729 + n * 7919) % :stories AS story_id) AS story
    ORDER BY users.id, story_id, n
) AS chosen;
INSERT INTO reading_history (user_id, chapter_id, story_id, read_at, updated_at)
SELECT user_id, chapter_id, 1 + (chapter_id - 1) % :stories, at, at
FROM (
    SELECT DISTINCT ON (users.id, chapter_id) users.id AS user_id, chapter_id,
        now() - n * interval '20 minutes' AS at
    FROM users, generate_series(1, :history) AS n,
        LATERAL (
            SELECT 1 + (users.id * 15485863 + n::bigint * 32452843) % (:stories * :chapters)
                AS chapter_id
        ) AS chapter
    ORDER BY users.id, chapter_id, n
) AS chosen;
UPDATE stories SET status = 1 WHERE status = 0;
"""
_READER = """
  local reader = math.random(1, {readers})
  local token = ("reader" .. reader .. "x"):sub(1, 43)
  token = token .. string.rep("x", 43 - #token)
"""
_ASK = (
    _READER
    + """
  wrk.headers["Authorization"] = "Bearer rsn_" .. token
  return "{path}"
"""
)
_TURN = (
    _READER
    + """
  local chapter = math.random(1, {chapters})
  local story = 1 + (chapter - 1) % {stories}
  wrk.method = "PUT"
  wrk.headers["Authorization"] = "Bearer rsn_" .. token
  wrk.headers["Content-Type"] = "application/json"
  wrk.body = '{{"chapter_id":' .. chapter .. ',"chapter_no":1,"scroll_position":0.5}}'
  return "{novel}/me/progress/" .. story
"""
)
LISTS = {
    "bookmarks": (f"{_NOVEL}/me/library?type=bookmarks", 10.0),
    "reading": (f"{_NOVEL}/me/library?type=reading", 10.0),
    "all": (f"{_NOVEL}/me/library", 20.0),
    "favorites": (f"{_NOVEL}/me/library?bookmark_status=1", 10.0),
    "history": (f"{_NOVEL}/me/history", 10.0),
    "library (v1)": ("/api/v1/library", 10.0),
}


@dataclass(frozen=True)
class Site:
    """The web process, and how many readers it has."""

    url: str
    process: psutil.Process
    readers: int
    place: Library

    def busy(self) -> float:
        tree = [self.process, *self.process.children(recursive=True)]
        return sum(sum(one.cpu_times()[:2]) for one in tree)


def run(readers: int = READERS) -> bool:
    """Whether every target is reached."""
    ensure_wrk()
    with library(STORIES, CHAPTERS) as place:
        _fill(place, readers)
        with _site(place, readers) as site:
            _expect_lists(site)
            reached = [_lists(site, clients) for clients in (1, 4)]
            reached.append(_turning(site))
    return all(reached)


def _fill(place: Library, readers: int) -> None:
    print(f"  loading {readers:,} readers, {readers * HISTORY_OF_ONE:,} chapters read", flush=True)
    script = _FILL
    for name, value in (
        ("readers", readers),
        ("stories", STORIES),
        ("chapters", CHAPTERS),
        ("history", HISTORY_OF_ONE),
    ):
        script = script.replace(f":{name}", str(value))
    _psql(place, f"{script}; VACUUM (ANALYZE, FREEZE);")


def _psql(place: Library, script: str) -> str:
    command = [program("psql"), "-qAt", "-v", "ON_ERROR_STOP=1", place.url]
    done = subprocess.run(command, input=script, text=True, check=True, stdout=subprocess.PIPE)
    return done.stdout.strip()


@contextmanager
def _site(place: Library, readers: int) -> Generator[Site]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [str(ROOT / ".venv/bin/rensai"), "serve"]
    with running(command, settings(place.url, place.folder, port), url=f"{url}/healthz") as process:
        yield Site(url, psutil.Process(process.pid), readers, place)


def _token(reader: int) -> str:
    return "rsn_" + f"reader{reader}".ljust(43, "x")


def _expect_lists(site: Site) -> None:
    """Signed in as a reader, every list has something in it."""
    assert len(hashlib.sha256(_token(1).encode()).digest()) == 32
    for name, (path, _) in LISTS.items():
        page = json.loads(fetch(site.url + path, {"Authorization": f"Bearer {_token(7)}"}))
        assert len(page["items"]) >= 5, f"{name} has {len(page['items'])} items"


def _contender(site: Site, name: str, paths: str, clients: int) -> Contender:
    load = requests_per_second(f"{site.url}/", seconds=SECONDS, clients=clients, paths=paths)

    def measure() -> Sample:
        before = site.busy()
        sample = load()
        micros = (site.busy() - before) / (sample.values[0] * SECONDS) * 1e6
        return Sample(sample.values, {**sample.latencies, "cpu us": micros})

    return Contender(name, measure)


def _lists(site: Site, clients: int) -> bool:
    outcome = compare(
        f"shelf_lists_{clients}",
        f"Lists of {site.readers:,} readers by chance, {clients} client(s), one process",
        [
            _contender(site, name, _ASK.format(readers=site.readers, path=path), clients)
            for name, (path, _) in LISTS.items()
        ],
        baseline="bookmarks",
        unit="req/s",
    )
    reached = True
    for name, (_, limit) in LISTS.items():
        p95 = outcome.of(name).latencies["p95 ms"]
        print(f"  target: p95 of {name} <= {limit:g} ms: {p95:.1f}", flush=True)
        reached &= p95 <= limit
    return reached


def _turning(site: Site) -> bool:
    paths = _TURN.format(
        readers=site.readers, chapters=STORIES * CHAPTERS, stories=STORIES, novel=_NOVEL
    )
    outcome = compare(
        "shelf_progress",
        f"Progress of {site.readers:,} readers by chance, {WRITERS} clients, one process",
        [_contender(site, "progress", paths, WRITERS)],
        baseline="progress",
        unit="req/s",
    )
    reached = outcome.of("progress").median >= 3_000
    print(f"  target: progress >= 3,000/s: {outcome.of('progress').median:,.0f}", flush=True)
    return reached


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=READERS)
    sys.exit(not run(parser.parse_args().readers))
