"""The largest requests that are taken, many at once: how much memory the web process needs.

Each body is as close to 12 MB as 300 chapters get, and travels as it is or packed. Those for
which there is no room just now are answered with 503 and sent again, as crawlers do.

    python -m bench.ingest_largest --at-once 16
"""

import argparse
import asyncio
import hashlib
import sys
import threading
import time
from collections.abc import Callable, Sequence

import zstandard

from bench.crawler import ITEMS, Crawler, Novels, Request, SendError
from bench.harness import Contender, Sample, Target, compare
from bench.ingest_site import Site, Watch, committed, empty, ingest_site, push_stories
from bench.prose import Writer
from rensai.client import Kind

AT_ONCE = 16
STORIES = 50
TEXTS = 20
MOST_MEMORY = 600.0

_SHARE = Kind.CHAPTERS.most_bytes // ITEMS
_METADATA = 1_200
"""Bytes of an item besides its text, generously; line feeds take two bytes on their way."""


def run(at_once: int = AT_ONCE) -> bool:
    """Whether the web process stays as small as it should."""
    with ingest_site() as site:
        print("  writing the requests", flush=True)
        writer = Writer(seed=3)
        library = Novels(STORIES, [_cut(writer.text(_SHARE)) for _ in range(TEXTS)])
        asyncio.run(push_stories(site, library))
        plain = list(library.chapter_requests(0, at_once * ITEMS))
        packed = [_packed(request) for request in plain]
        first = _taken(site, plain[:1])()  # later ones find memory that others have needed
        outcome = compare(
            "ingest_largest",
            f"{at_once} requests of {len(plain[0].body) / 2**20:.1f} MiB at once",
            [
                Contender("the first", lambda: first),
                Contender("as they are", _taken(site, plain)),
                Contender("packed", _taken(site, packed)),
            ],
            baseline="the first",
            unit="web MiB",
            target=Target("packed", MOST_MEMORY, of="worst", at_least=False),
            rounds=3,
            warm_ups=0,
            more_is_better=False,
        )
    return bool(outcome.reached)


def _cut(text: str) -> str:
    return text.encode()[: _SHARE - _METADATA].decode(errors="ignore")


def _packed(request: Request) -> Request:
    body = zstandard.ZstdCompressor(level=3).compress(request.body)
    digest = hashlib.sha256(body).hexdigest()
    return Request(Kind.CHAPTERS, body, request.items, digest, encoding="zstd")


def _taken(site: Site, requests: Sequence[Request]) -> Callable[[], Sample]:
    async def measure() -> Sample:
        async with site.connected() as connection:
            await empty(connection)
            watch = Watch(site)
            began = time.perf_counter()
            put_off = await asyncio.to_thread(_send_at_once, site, requests)
            seconds = time.perf_counter() - began
            await committed(connection, len(requests) * ITEMS)
        peaks = watch.peaks()
        columns = {"put off": float(put_off), "s": seconds, "worker MiB": peaks["worker MiB"]}
        return Sample([peaks["web MiB"]], columns)

    return lambda: asyncio.run(measure())


def _send_at_once(site: Site, requests: Sequence[Request]) -> int:
    """Send each over a connection of its own; how often one was put off."""
    put_off: list[str] = []
    errors: list[BaseException] = []

    def send(request: Request) -> None:
        try:
            while True:
                crawler = Crawler(site.url, site.key)
                try:
                    crawler.send(request)
                    return
                except SendError as error:
                    if not str(error).startswith("503"):
                        raise
                    put_off.append(str(error))
                    time.sleep(0.2)
                finally:
                    crawler.close()
        except BaseException as error:  # noqa: BLE001 - whoever started us raises it
            errors.append(error)

    threads = [threading.Thread(target=send, args=(request,)) for request in requests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return len(put_off)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="Memory of the web process at its limits.")
    options.add_argument("--at-once", type=int, default=AT_ONCE)
    sys.exit(0 if run(options.parse_args().at_once) else 1)
