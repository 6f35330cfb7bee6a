"""What readers read survives a process that is told to stop, and mostly one that is killed."""

import asyncio
import os
import signal
import socket
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import msgspec
import psutil
import pytest

from rensai.kit.db import Database, Query
from tests.rooms.catalogue.incoming import Shelf, chapter, story
from tests.web.served import ADMIN, PASSWORD, Served

pytestmark = pytest.mark.anyio

CHAPTERS = 30


class Row(msgspec.Struct, frozen=True):
    id: int
    story_id: int


_CHAPTERS = Query("SELECT id, story_id FROM chapters ORDER BY chapter_no", Row)
_READ = Query("SELECT chapter_id FROM reading_history ORDER BY updated_at", int)

Serve = Callable[..., Served]


@pytest.fixture
async def chapters(database: Database) -> list[Row]:
    shelf = Shelf(database)
    await shelf.stories(story("s1", status=1))
    await shelf.chapters(*(chapter(number) for number in range(1, CHAPTERS + 1)))
    return await database.primary.all(_CHAPTERS)


@pytest.fixture
def serve(database_url: str, tmp_path: Path) -> Iterator[Serve]:
    started: list[Served] = []

    def start(**settings: str) -> Served:
        started.append(Served(tmp_path, database_url, **settings))
        return started[-1]

    yield start
    for served in started:
        served.stop()


@contextmanager
def a_reader(served: Served) -> Generator[httpx.Client]:
    with httpx.Client(base_url=served.url) as client:
        login = {"username": ADMIN, "password": PASSWORD}
        assert client.post("/api/v1/auth/login", json=login).status_code == 200
        app = {"login": ADMIN, "password": PASSWORD}
        tokens = client.post("/wp-json/novel/v1/auth/login", json=app).json()
        client.headers["Authorization"] = f"Bearer {tokens['access_token']}"
        yield client


def read(client: httpx.Client, row: Row) -> None:
    body = {"chapter_id": row.id, "chapter_no": 1}
    answer = client.put(f"/wp-json/novel/v1/me/progress/{row.story_id}", json=body)
    assert answer.status_code == 200, answer.text


async def test_a_process_that_is_told_to_stop_writes_everything_first(
    serve: Serve, database: Database, chapters: list[Row]
) -> None:
    served = serve(PROGRESS_FLUSH_SECONDS="60")
    served.run("admin", "create")
    with a_reader(served) as client:
        for row in chapters:
            read(client, row)
    assert await database.primary.all(_READ) == []
    served.stop()
    assert sorted(await database.primary.all(_READ)) == [row.id for row in chapters]


async def test_so_it_does_when_somebody_keeps_it_from_ending_in_peace(
    serve: Serve, database: Database, chapters: list[Row]
) -> None:
    served = serve(PROGRESS_FLUSH_SECONDS="60", SHUTDOWN_SECONDS="1")
    served.run("admin", "create")
    with a_reader(served) as client:
        cookie = client.cookies["rensai_session"]
        read(client, chapters[0])
        with socket.create_connection(("127.0.0.1", served.port)) as slow:
            slow.sendall(
                b"POST /api/v1/progress HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                b"Content-Length: 100\r\nCookie: rensai_session=" + cookie.encode() + b"\r\n\r\n{"
            )
            await asyncio.sleep(0.2)
            served.stop()
    assert await database.primary.all(_READ) == [chapters[0].id]


async def test_a_killed_process_loses_no_more_than_the_interval(
    serve: Serve, database: Database, chapters: list[Row]
) -> None:
    served = serve(PROGRESS_FLUSH_SECONDS="1")
    served.run("admin", "create")
    accepted: list[tuple[float, int]] = []
    with a_reader(served) as client:
        for row in chapters:
            read(client, row)
            accepted.append((time.monotonic(), row.id))
            await asyncio.sleep(0.1)
        killed = time.monotonic()
        tree = [served.process, *psutil.Process(served.process.pid).children(recursive=True)]
        for process in tree:
            os.kill(process.pid, signal.SIGKILL)
    served.process.wait(10)
    known = set(await database.primary.all(_READ))
    # Beyond the interval lies only the time that writing itself takes.
    safe = {id_ for when, id_ in accepted if when < killed - 1.5}
    assert len(safe) > 10
    assert safe <= known
