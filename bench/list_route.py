"""Twenty rows of 100,000 over HTTP, uncached: ours, the same on Hono, and the bare statement.

Ours is the real route behind the whole application, in one web process as `rensai serve` starts
it. The peer is the usual stack of Node for such a site: Hono, Drizzle and postgres.js on the
same table, with the same pool size and no middleware at all. pgbench runs the same statement
without any HTTP: the floor that no server can be faster than.
"""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from bench.harness import Contender, Sample, Target, compare
from bench.library import library, program
from bench.load import LoadError, ensure_wrk, fetch, requests_per_second
from bench.node import install, node
from bench.servers import ROOT, free_port, running, settings
from rensai.kit.db import STATEMENTS
from rensai.rooms.catalogue.model import ListedStory

STORIES = 100_000
POOL = 10
SECRET = "a secret for the cursors of this measurement"  # noqa: S105 - protects nothing


def run() -> bool:
    """Whether the target is reached."""
    ensure_wrk()
    hono = install("hono")
    ours_port, hono_port = free_port(), free_port()
    ours = f"http://127.0.0.1:{ours_port}/api/v1/series"
    theirs = f"http://127.0.0.1:{hono_port}/api/v1/series"
    serve = str(ROOT / ".venv/bin/rensai")
    with library(STORIES) as place:
        environment = settings(place.url, place.folder, ours_port)
        environment["SESSION_SECRET"] = SECRET
        environment["ANSWER_CACHE_SECONDS"] = "0"
        with (
            running([serve, "serve"], environment, url=ours),
            running([node(), "server.mjs"], peer(place.url, hono_port), url=theirs, folder=hono),
        ):
            expect_the_same(ours, theirs)
            outcome = compare(
                "list_route",
                "20 rows of 100,000 over HTTP, uncached, 16 clients, one process each",
                [
                    Contender("rensai", requests_per_second(ours)),
                    Contender("hono", requests_per_second(theirs)),
                    Contender("pgbench", _bare_statement(place.url)),
                ],
                baseline="hono",
                unit="req/s",
                target=Target("rensai", 1.3),
            )
    return bool(outcome.reached)


def peer(url: str, port: int) -> dict[str, str]:
    parts = urlsplit(url)
    return {
        "PGHOST": parse_qs(parts.query)["host"][0],
        "PGUSER": parts.username or "",
        "PGDATABASE": parts.path.lstrip("/"),
        "PORT": str(port),
        "SESSION_SECRET": SECRET,
        "NODE_ENV": "production",
    }


def expect_the_same(ours: str, theirs: str) -> None:
    """Both must give the same rows and fields, on the first page and on the next."""
    pages = [json.loads(fetch(url)) for url in (ours, theirs)]
    following = [
        json.loads(fetch(f"{url}?cursor={page['nextCursor']}"))
        for url, page in zip((ours, theirs), pages, strict=True)
    ]
    for one, other in (pages, following):
        if len(one["items"]) != 20 or [_comparable(item) for item in one["items"]] != [
            _comparable(item) for item in other["items"]
        ]:
            raise LoadError("the two servers do not give the same list")


def _comparable(item: dict[str, object]) -> dict[str, object]:
    """Times to the second: one writes microseconds, the other milliseconds."""
    return {k: str(v)[:19] if k.endswith("At") else v for k, v in item.items()}


def _bare_statement(url: str) -> Callable[[], Sample]:
    """The statement of the route in pgbench, prepared, over as many connections as the pools."""
    first_page = re.compile(r"ORDER BY updated_at DESC, id DESC\s+LIMIT \$1\s*$")
    (text,) = {
        statement.text
        for statement in STATEMENTS
        if getattr(statement, "row", None) is ListedStory
        and first_page.search(statement.text)
        and "$2" not in statement.text
    }

    def measure() -> Sample:
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "list.sql"
            script.write_text(" ".join(text.replace("$1", "21").split()) + ";\n")
            command = [program("pgbench"), "-n", "-M", "prepared", "-c", str(POOL), "-j", "1"]
            command += ["-T", "4", "-f", str(script), url]
            done = subprocess.run(
                command, capture_output=True, text=True, check=True, env={**os.environ}
            )
        return Sample([float(re.findall(r"tps = ([0-9.]+)", done.stdout)[-1])])

    return measure
