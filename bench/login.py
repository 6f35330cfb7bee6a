"""Signing in against bare argon2: the hash is to be all that it costs, and nobody else's business.

Bare argon2 verifies on two threads in a process of its own, as many as the site has for passwords,
and as nice as those, so that what else the machine does takes the same from both.
The site signs people in over the novel API, each from an address of its own, while a list is asked
for beside it, fifty times a second. `list p95 ms` is how long that takes meanwhile.
"""

import asyncio
import itertools
import subprocess
import sys
import time

import httpx

from bench.harness import Contender, Sample, Target, compare
from bench.library import library
from bench.readers import HASHER, PASSWORD, fill
from bench.servers import ROOT, free_port, running, settings
from rensai.rooms.readers.adapters.passwords import NICE

ACCOUNTS = 5000
STORIES = 20_000
SECONDS = 5.0
APPS = 8
LIST_EVERY = 0.02
LIST_P95_MS = 30.0
_LOGIN = "/wp-json/novel/v1/auth/login"
_LIST = "/api/v1/series"
_BARE = """
import os, sys, time, threading, argon2
os.nice(int(sys.argv[4]))
hasher, until, done = argon2.PasswordHasher(), time.perf_counter() + float(sys.argv[3]), [0, 0]
def work(place):
    while time.perf_counter() < until:
        hasher.verify(sys.argv[1], sys.argv[2])
        done[place] += 1
threads = [threading.Thread(target=work, args=(place,)) for place in (0, 1)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(sum(done))
"""


def run() -> bool:
    """Whether both targets are reached."""
    with library(STORIES) as place:
        fill(place.url, ACCOUNTS)
        port = free_port()
        base = f"http://127.0.0.1:{port}"
        environment = settings(place.url, place.folder, port) | {
            "TRUSTED_PROXIES": "127.0.0.1",
            "ANSWER_CACHE_SECONDS": "0",
        }
        people = itertools.count()
        command = [str(ROOT / ".venv/bin/rensai"), "serve"]
        with running(command, environment, url=f"{base}/healthz"):
            outcome = compare(
                "login",
                "Signing in, with a list beside it",
                [
                    Contender("argon2", _bare),
                    Contender("rensai", lambda: asyncio.run(_sign_in(base, people))),
                ],
                baseline="argon2",
                unit="/s",
                target=Target("rensai", 0.8),
            )
    list_p95 = outcome.of("rensai").latencies["list p95 ms"]
    print(f"  target: list p95 <= {LIST_P95_MS:g} ms: {list_p95:.1f}")
    return bool(outcome.reached) and list_p95 <= LIST_P95_MS


def _bare() -> Sample:
    command = [
        sys.executable,
        "-c",
        _BARE,
        HASHER.hash(PASSWORD),
        PASSWORD,
        str(SECONDS),
        str(NICE),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Sample([int(done.stdout) / SECONDS], {"list p95 ms": 0.0})


async def _sign_in(base: str, people: "itertools.count[int]") -> Sample:
    done = 0
    lists: list[float] = []
    until = time.perf_counter() + SECONDS

    async def app(client: httpx.AsyncClient) -> None:
        nonlocal done
        while time.perf_counter() < until:
            number = next(people)
            address = f"198.18.{number >> 8 & 255}.{number & 255}"
            body = {"login": f"reader{number % ACCOUNTS + 1}", "password": PASSWORD}
            answer = await client.post(_LOGIN, json=body, headers={"X-Forwarded-For": address})
            answer.raise_for_status()
            done += 1

    async def browse(client: httpx.AsyncClient) -> None:
        asked: set[asyncio.Task[None]] = set()
        while time.perf_counter() < until:
            task = asyncio.create_task(one_list(client))
            asked.add(task)
            task.add_done_callback(asked.discard)
            await asyncio.sleep(LIST_EVERY)
        await asyncio.gather(*asked)

    async def one_list(client: httpx.AsyncClient) -> None:
        began = time.perf_counter()
        (await client.get(_LIST)).raise_for_status()
        lists.append((time.perf_counter() - began) * 1000)

    async with httpx.AsyncClient(base_url=base, timeout=30) as client:
        began = time.perf_counter()
        await asyncio.gather(browse(client), *(app(client) for _ in range(APPS)))
        seconds = time.perf_counter() - began
    return Sample([done / seconds], {"list p95 ms": sorted(lists)[int(len(lists) * 0.95)]})
