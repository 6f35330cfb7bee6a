"""A whole site under measurement: `rensai serve` with its own database, a key, and watching it."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.crawler import Novels, send_all
from bench.load import wait_for
from bench.prose import Writer
from bench.servers import free_port
from bench.tree import PATIENCE, data_folder
from rensai.client.signing import Key
from rensai.kit.db_driver import Connection, connect
from rensai.kit.embedded import EmbeddedPostgres

ROLES = ("web", "worker", "postgres")
TEXTS = 1_500
_POLL_SECONDS = 0.03

_FILLED = (
    "chapters, ingest_jobs, ingest_jobs_completed, ingest_payload_blobs, ingest_requests, "
    "nonces, recount_queue"
)


@dataclass(frozen=True)
class Site:
    """Where it is, and the key that may send as much as it likes."""

    url: str
    key: Key
    database_url: str
    supervisor: int
    folder: Path

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[Connection]:
        """A connection of our own to its database."""
        connection = await connect(self.database_url, seconds=10)
        try:
            yield connection
        finally:
            await connection.close()

    def processes(self) -> dict[str, list[psutil.Process]]:
        """Its processes by what they do."""
        found: dict[str, list[psutil.Process]] = {role: [] for role in ROLES}
        parent = psutil.Process(self.supervisor)
        for process in parent.children(recursive=True):
            try:
                line = " ".join(process.cmdline())
                name = "postgres" if process.name() == "postgres" else ""
            except psutil.NoSuchProcess:
                continue
            role = next((role for role in ("web", "worker") if f"serve_child {role}" in line), name)
            if role:
                found[role].append(process)
        return found


@contextmanager
def ingest_site(settings: Mapping[str, str] | None = None) -> Generator[Site]:
    """One web process, one worker process and PostgreSQL, all settings at their defaults."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with data_folder() as folder:
        data = folder / "data"
        environment = {
            **os.environ,
            "RENSAI_DATA_DIR": str(data),
            "PORT": str(port),
            "BASE_URL": url,
            **(settings or {}),
        }
        log = folder / "site.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "rensai", "serve"],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            wait_for(url, process, log)
            key = _make_key(environment)
            with EmbeddedPostgres(data) as database:
                yield Site(url, key, database.url, process.pid, folder)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)


def _make_key(environment: Mapping[str, str]) -> Key:
    command = [sys.executable, "-P", "-m", "rensai", "key", "create", "--name", "bench", "--json"]
    command += ["--permissions", "ingest:stories,ingest:chapters"]
    command += ["--requests-per-minute", "0", "--bytes-per-minute", "0"]
    done = subprocess.run(command, env=dict(environment), capture_output=True, check=True)
    made = json.loads(done.stdout)
    return Key(made["key_id"], made["secret"])


def novels(stories: int, texts: int) -> Novels:
    """Chapters of the usual sizes; texts are few, but no two chapters are the same."""
    print(f"  writing {texts:,} texts", flush=True)
    return Novels(stories, Writer(seed=7).texts(texts))


async def push_stories(site: Site, library: Novels) -> None:
    """Have every story in the catalogue, so that chapters find theirs."""
    requests = list(library.story_requests())
    async with site.connected() as connection:
        await asyncio.to_thread(send_all, site.url, site.key, requests, 1)
        await committed(connection, library.stories)
        await empty(connection)


async def empty(connection: Connection) -> None:
    """Take away all chapters and all traces of requests; what is dirty goes to disk before."""
    await connection.execute(f"TRUNCATE {_FILLED} CASCADE")
    await connection.execute("CHECKPOINT")


async def committed(connection: Connection, items: int, *, patience: float = 600.0) -> float:
    """Wait until so many items are written for good; the time at which that was seen."""
    until = time.perf_counter() + patience
    query = (
        "SELECT ARRAY[coalesce(sum(processed_items), 0), coalesce(sum(failed_items), 0)]::bigint []"
        " FROM ingest_requests"
    )
    while True:
        done, failed = whole_numbers(await connection.fetchval(query))
        if failed:
            raise RuntimeError(f"{failed} items failed")
        if done >= items:
            return time.perf_counter()
        if time.perf_counter() > until:
            raise TimeoutError(f"{done:,} of {items:,} items within {patience:g} s")
        await asyncio.sleep(_POLL_SECONDS)


async def readable(connection: Connection, chapters: int) -> None:
    """Make sure that so many chapters can be read, with their bodies, and no more."""
    found = await connection.fetchval(
        "SELECT ARRAY[count(*), count(DISTINCT (story_id, chapter_no)), count(content_size)]"
        " FROM chapters LEFT JOIN chapter_bodies ON chapter_id = chapters.id"
        " WHERE is_published AND deleted_at IS NULL"
    )
    if whole_numbers(found) != [chapters] * 3:
        raise RuntimeError(f"{chapters:,} chapters were sent, and there are {found}")


def whole_numbers(array: object) -> list[int]:
    """An array of the database."""
    assert isinstance(array, list)
    return [int(str(each)) for each in array]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


class Watch:
    """How much of the processor each part uses from now on, and how large it gets."""

    def __init__(self, site: Site) -> None:
        self._site = site
        for role in ("web", "worker"):  # those of the database come and go
            for process in site.processes()[role]:
                Path(f"/proc/{process.pid}/clear_refs").write_text("5")  # forget the peak so far
        self._began = time.perf_counter()
        self._before = self._seconds()

    def cores(self) -> dict[str, float]:
        """Cores that each part has kept busy since then, on average."""
        passed = time.perf_counter() - self._began
        now = self._seconds()
        return {f"{role} cores": (now[role] - self._before[role]) / passed for role in now}

    def peaks(self) -> dict[str, float]:
        """The most memory that a process of each kind has held since then, in MiB."""
        found = self._site.processes()
        return {
            f"{role} MiB": max((peak_memory(each.pid) for each in found[role]), default=0.0)
            for role in ("worker", "web")
        }

    def _seconds(self) -> dict[str, float]:
        """A server process of the database that ends leaves its time to the one above it."""
        seconds: dict[str, float] = dict.fromkeys((*ROLES, "client"), 0.0)
        for role, processes in self._site.processes().items():
            for process in processes:
                try:
                    times = process.cpu_times()
                except psutil.NoSuchProcess:
                    continue
                seconds[role] += times.user + times.system
                if role == "postgres":
                    seconds[role] += times.children_user + times.children_system
        own = psutil.Process().cpu_times()
        seconds["client"] = own.user + own.system + own.children_user + own.children_system
        return seconds


def peak_memory(pid: int) -> float:
    """MiB of resident memory at its largest."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0
