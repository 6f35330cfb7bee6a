"""Asks our own API over connections that stay open, and measures each answer."""

import http.client
import itertools
import json
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

from bench.load import LoadError
from bench.search_queries import Found

Answer = dict[str, Any]  # Any: decoded JSON
IDLE_SECONDS = 5.0


class Asker:
    """One client with one connection."""

    def __init__(self, url: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
        self._used = time.monotonic()

    def raw(self, path: str) -> bytes:
        """The body of one answer."""
        if time.monotonic() - self._used > IDLE_SECONDS:
            self._connection.close()  # the server is about to; a new one opens by itself
        self._used = time.monotonic()
        self._connection.request("GET", path)
        answer = self._connection.getresponse()
        body = answer.read()
        if answer.status != http.client.OK:
            raise LoadError(f"{answer.status} for {path}: {body[:300]!r}")
        return body

    def ask(self, path: str) -> Answer:
        """One answer, decoded."""
        return json.loads(self.raw(path))

    def milliseconds(self, path: str) -> float:
        """How long an answer takes, from the first byte that is sent to the last that comes."""
        began = time.perf_counter()
        self.raw(path)
        return 1_000 * (time.perf_counter() - began)

    def close(self) -> None:
        self._connection.close()


def found(answer: Answer) -> Found:
    """The total and the first page; the slugs of the library end with the number of the story."""
    return Found(answer["total"], [int(item["slug"].split("-")[-1]) for item in answer["items"]])


def latencies(url: str, paths: Sequence[str], clients: int = 1) -> list[float]:
    """Milliseconds of each request, in the order of the paths, by so many clients at once."""
    shares = [range(first, len(paths), clients) for first in range(clients)]

    def work(share: Iterable[int]) -> list[tuple[int, float]]:
        asker = Asker(url)
        try:
            return [(number, asker.milliseconds(paths[number])) for number in share]
        finally:
            asker.close()

    with ThreadPoolExecutor(clients) as pool:
        taken = itertools.chain.from_iterable(pool.map(work, shares))
    return [milliseconds for _, milliseconds in sorted(taken)]


def percentile(values: Sequence[float], part: float) -> float:
    """The value that so many of a hundred reach or stay below."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part / 100))]
