"""Several web processes share a port, and one answer tells of all of them."""

import asyncio
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from rensai.kit.web.siblings import PUBLISH_SECONDS
from tests import postgres
from tests.web.served import Served

REQUESTS = 200
_COUNT = re.compile(
    r'rensai_http_request_seconds_count\{[^}]*process="(\d+)"[^}]*'
    r'route="/api/v1/instance"[^}]*\} (\d+)'
)


def counts(served: Served) -> dict[str, int]:
    text = httpx.get(f"{served.url}/metrics").text
    return {process: int(count) for process, count in _COUNT.findall(text)}


def call(ask: Callable[[], int]) -> int:
    return ask()


def test_one_answer_tells_of_every_process(
    postgres_server: postgres.TestServer, tmp_path: Path
) -> None:
    async def with_database() -> None:
        async with postgres.fresh_database(postgres_server) as url:
            await asyncio.to_thread(try_it, url)

    def try_it(url: str) -> None:
        served = Served(tmp_path, url, WEB_PROCESSES="2")
        try:
            # A new connection for each request, so that each finds a process anew.
            anew = httpx.Limits(max_keepalive_connections=0)
            with httpx.Client(base_url=served.url, limits=anew) as client:
                asked = 0
                # The second process may start later, or be slower to take its share.
                deadline = time.monotonic() + 60
                while len(counts(served)) < 2 and time.monotonic() < deadline:
                    asking = [lambda: client.get("/api/v1/instance").status_code] * REQUESTS
                    with ThreadPoolExecutor(16) as crowd:
                        assert set(crowd.map(call, asking)) == {200}
                    asked += REQUESTS
                    time.sleep(2 * PUBLISH_SECONDS)
            assert len(counts(served)) == 2
            assert sum(counts(served).values()) == asked
        finally:
            served.stop()
        assert list((tmp_path / "data" / "run" / "metrics").iterdir()) == []

    asyncio.run(with_database())
