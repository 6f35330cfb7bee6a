"""Kills workers at random moments under load, and counts what that cost.

`python -m bench.task_crashes [KILLS] [SEED]` runs workers and a process that asks for tasks, kills
them with signal 9 in the order and rhythm that the seed says, starts new ones, and in the end
lets the queue run empty. Nothing may be lost and nothing may be stuck. A task may run again
(that is what "at least once" means); its effect must be there once.
"""

import asyncio
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from datetime import timedelta
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import cast

import msgspec
import uvloop

from rensai.config import load
from rensai.kit import log
from rensai.kit.db import Database, DatabaseSettings, Tx
from rensai.kit.embedded import EmbeddedPostgres
from rensai.kit.migrate import migrate
from rensai.kit.tasks import Retry, TaskContext, enqueue, enqueue_many, task
from rensai.kit.tasks.line import direct
from rensai.kit.tasks.worker import Pace, Worker
from rensai.wiring.services import open_services

PACE = Pace(slots=32, heartbeat=timedelta(seconds=1.5), poll=timedelta(milliseconds=300))
STORIES = 20
BACKLOG = 400
PATIENT = Retry(attempts=50, first=timedelta(milliseconds=50), factor=1)

_TABLES = """
create table asked (n bigint primary key);
create table effect (n bigint primary key, runs integer not null);
create table story (id bigint primary key, version bigint not null, built bigint not null);
create table overlap (story bigint not null);
insert into story select n, 0, 0 from generate_series(1, $stories) as n;
"""
_ASK = (
    "insert into asked select coalesce((select max(n) from asked), 0) + generate_series(1, $1)"
    " returning n"
)
_EFFECT = (
    "insert into effect (n, runs) values ($1, 1)"
    " on conflict (n) do update set runs = effect.runs + 1"
)
_LEFT = "select count(*) from tasks.pgqueuer"
_COUNTS = {
    "asked": "select count(*) from asked",
    "changes": "select sum(version)::bigint from story",
    "lost": "select count(*) from asked where n not in (select n from effect)",
    "dead": "select count(*) from tasks.dead",
    "changes_lost": "select count(*) from story where built <> version",
    "overlaps": "select count(*) from overlap",
    "run_again": "select count(*) from effect where runs > 1",
}


class Numbered(msgspec.Struct):
    """A task of its own."""

    n: int


class Story(msgspec.Struct):
    """A task that stands for every change until it starts."""

    story: int


@task(name="crash.effect", retry=PATIENT)
async def effect(context: TaskContext, args: Numbered) -> None:
    """Leave a mark; sometimes slowly, and now and then only at the second try."""
    await asyncio.sleep((args.n * 7919 % 20) / 1000)
    if args.n % 29 == 0 and context.attempt == 1:
        raise RuntimeError("the first attempt fails")
    async with context.db.transaction() as tx:
        await tx.connection.execute(_EFFECT, args.n)


@task(name="crash.rebuild", retry=PATIENT, concurrency=8, dedupe=lambda args: str(args.story))
async def rebuild(context: TaskContext, args: Story) -> None:
    """Build from the newest version, one at a time for each story."""
    async with context.db.transaction() as tx:
        run, story = tx.connection, args.story
        if not await run.fetchval("select pg_try_advisory_xact_lock(4711, $1::int)", story):
            await run.execute("insert into overlap (story) values ($1)", story)
        version = await run.fetchval("select version from story where id = $1", story)
        await asyncio.sleep(0.01)
        await run.execute("update story set built = $2 where id = $1", story, version)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run of crashes has cost."""

    seed: int
    kills: int
    asked: int
    changes: int
    lost: int
    stuck: int
    dead: int
    changes_lost: int
    overlaps: int
    run_again: int
    seconds: float

    @property
    def harmless(self) -> bool:
        """Whether nothing was lost, doubled or forgotten."""
        return not (self.lost or self.stuck or self.dead or self.changes_lost or self.overlaps)


def crash(url: str, folder: Path, *, kills: int, seed: int, workers: int = 3) -> Outcome:
    """Kill so often, on a migrated database, and count."""
    began = time.monotonic()
    asyncio.run(_prepare(url))
    chance = random.Random(seed)  # noqa: S311 - it must be the same again
    forks = multiprocessing.get_context("fork")

    def start(role: str) -> BaseProcess:
        target = _work if role == "worker" else _ask
        process = forks.Process(target=target, args=(url, folder, chance.random()), daemon=True)
        process.start()
        return process

    roles = ["worker"] * workers + ["asker"]
    running = [start(role) for role in roles]
    try:
        time.sleep(1)
        for _ in range(kills):
            time.sleep(chance.uniform(0.02, 0.6))
            victim = chance.choice(range(len(running)))
            _kill(running[victim])
            running[victim] = start(roles[victim])
        _kill(running[-1])
        stuck = asyncio.run(_drained(url, seconds=60))
    finally:
        for process in running:
            _kill(process)
    seconds = round(time.monotonic() - began, 1)
    counts = asyncio.run(_count(url))
    return Outcome(seed=seed, kills=kills, stuck=stuck, seconds=seconds, **counts)


def _kill(process: BaseProcess) -> None:
    if process.pid is not None and process.is_alive():
        os.kill(process.pid, signal.SIGKILL)
    process.join()


def _work(url: str, folder: Path, seed: float) -> None:
    del seed

    log.configure("error", "text")

    async def work() -> None:
        config = load({"RENSAI_DATA_DIR": str(folder), "DATABASE_PRIMARY_URL": url})
        async with open_services(config) as services:
            worker = Worker(services, (effect, rebuild), direct(url), PACE)
            await worker.run(asyncio.Event(), timedelta(0))

    uvloop.run(work())


def _ask(url: str, folder: Path, seed: float) -> None:
    del folder
    chance = random.Random(seed)  # noqa: S311 - it must be the same again

    async def ask() -> None:
        db = await Database.open(DatabaseSettings(primary_url=url, pool_size=2))
        while True:
            async with db.transaction() as tx:
                busy = await _number(tx, _LEFT) > BACKLOG
                asked = await tx.connection.fetch(_ASK, chance.randint(1, 60))
                await enqueue_many(tx, effect, [Numbered(cast("int", row[0])) for row in asked])
                story = chance.randint(1, STORIES)
                await tx.connection.execute(
                    "update story set version = version + 1 where id = $1", story
                )
                await enqueue(tx, rebuild, Story(story))
            await asyncio.sleep(0.05 if busy else 0)

    uvloop.run(ask())


async def _number(tx: Tx, statement: str) -> int:
    return cast("int", await tx.connection.fetchval(statement))


async def _prepare(url: str) -> None:
    db = await Database.open(DatabaseSettings(primary_url=url, pool_size=1))
    async with db.transaction() as tx:
        await tx.connection.execute(_TABLES.replace("$stories", str(STORIES)))
    await db.close()


async def _drained(url: str, *, seconds: float) -> int:
    """Wait for the queue to run empty; what is left in it then is stuck."""
    db = await Database.open(DatabaseSettings(primary_url=url, pool_size=1))
    left = 1
    for _ in range(int(seconds * 10)):
        await asyncio.sleep(0.1)
        async with db.transaction() as tx:
            left = await _number(tx, _LEFT)
        if not left:
            break
    await db.close()
    return left


async def _count(url: str) -> dict[str, int]:
    db = await Database.open(DatabaseSettings(primary_url=url, pool_size=1))
    async with db.transaction() as tx:
        counts = {name: await _number(tx, statement) for name, statement in _COUNTS.items()}
    await db.close()
    return counts


def main(kills: int = 200, seed: int | None = None) -> int:
    """Run once on a database of its own and print the outcome."""
    seed = random.randrange(10**6) if seed is None else seed  # noqa: S311 - it is printed
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o711)  # started by root, the server runs as another user
        with EmbeddedPostgres(Path(name)) as postgres:
            asyncio.run(migrate(postgres.url))
            outcome = crash(postgres.url, Path(name), kills=kills, seed=seed)
    for key, value in asdict(outcome).items():
        print(f"{key:>14}  {value}")
    return 0 if outcome.harmless else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
