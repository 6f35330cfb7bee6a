"""Small tasks from being asked for to being done, beside BullMQ on an in-memory Redis.

Each side is one process that first asks for many tasks in batches of a thousand and then works
them off. Ours are durable: each batch is a transaction on disk before it counts as asked for.
The second case is the time from asking for one task to its start, with a worker that is idle.

As a program (`python -m bench.tasks URL`) it is our side: each line on standard input is an
order, each answer a line of JSON, as in `peers/bullmq/worker.mjs`.
"""

import asyncio
import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from time import perf_counter

import msgspec
import uvloop

from bench.harness import Contender, Sample, Target, compare, wait_until
from bench.library import library
from bench.node import install, node
from bench.servers import ROOT, free_port
from rensai.config import load
from rensai.kit.services import Services
from rensai.kit.tasks import TaskContext, enqueue, enqueue_many, task
from rensai.kit.tasks.line import direct
from rensai.kit.tasks.worker import Pace, Worker
from rensai.wiring.services import open_services

BATCH = 1_000
TASKS = 20_000
# The best of 32, 64, 128, 250 and 500 for each side on two cores.
SLOTS = {"ours": 250, "bullmq": 250}
LATENCIES = 200
PAUSE = 0.02

Order = dict[str, object]
Ask = Callable[[Order], dict[str, object]]


class Small(msgspec.Struct):
    """What a small task takes."""

    n: int


class _Bell:
    """Rings when as many tasks have started as were awaited."""

    def __init__(self) -> None:
        self.left = 0
        self.rung = asyncio.Event()

    def expect(self, number: int) -> None:
        self.left = number
        self.rung.clear()

    def strike(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.rung.set()


BELL = _Bell()


@task(name="bench.small")
async def small(context: TaskContext, args: Small) -> None:
    """Nothing, as fast as it can be done."""
    BELL.strike()


def run() -> bool:
    """Whether both targets are reached."""
    ours = [sys.executable, "-m", "bench.tasks"]
    with library(0) as place, _redis() as port:
        peer = [node(), str(install("bullmq") / "worker.mjs"), str(port)]
        with _side([*ours, place.url, str(place.folder)]) as rensai, _side(peer) as bullmq:
            sides = {"ours": rensai, "bullmq": bullmq}
            rates = compare(
                "tasks",
                f"{TASKS:,} small tasks, durable, beside BullMQ on an in-memory Redis",
                [Contender(name, _throughput(name, ask)) for name, ask in sides.items()],
                baseline="bullmq",
                unit="done/s",
                target=Target("ours", 0.5),
            )
            delays = compare(
                "task_latency",
                "From asking for a task to its start, with an idle worker",
                [Contender(name, _latency(ask)) for name, ask in sides.items()],
                baseline="bullmq",
                unit="ms",
                target=Target("ours", 50, of="p95", at_least=False),
                rounds=3,
                more_is_better=False,
            )
    return bool(rates.reached) and bool(delays.reached)


def _throughput(name: str, ask: Ask) -> Callable[[], Sample]:
    def measure() -> Sample:
        answer = ask({"do": "throughput", "tasks": TASKS, "slots": SLOTS[name]})
        return Sample([_figure(answer["done"])], {"enqueued/s": _figure(answer["enqueued"])})

    return measure


def _latency(ask: Ask) -> Callable[[], Sample]:
    def measure() -> Sample:
        answer = ask({"do": "latency", "tasks": LATENCIES, "pause": PAUSE})
        return Sample(msgspec.convert(answer["ms"], list[float]))

    return measure


def _figure(value: object) -> float:
    return msgspec.convert(value, float)


@contextmanager
def _side(command: Sequence[str]) -> Generator[Ask]:
    """A process that takes orders."""
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    taking, giving = process.stdin, process.stdout
    assert taking is not None
    assert giving is not None

    def ask(order: Order) -> dict[str, object]:
        print(json.dumps(order), file=taking, flush=True)
        return msgspec.json.decode(giving.readline(), type=dict[str, object])

    try:
        yield ask
    finally:
        taking.close()
        process.wait(timeout=30)


@contextmanager
def _redis() -> Generator[int]:
    """A Redis that keeps nothing on disk."""
    port = free_port()
    options = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            ["redis-server", *options], cwd=folder, stdout=subprocess.DEVNULL
        )
        try:
            wait_until(lambda: _answers(port), seconds=10, what="Redis answers")
            yield port
        finally:
            process.terminate()
            process.wait(timeout=10)


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as probe:
            probe.sendall(b"PING\r\n")
            return probe.recv(16).startswith(b"+PONG")
    except OSError:
        return False


async def _serve(url: str, folder: Path) -> None:
    config = load({"RENSAI_DATA_DIR": str(folder), "DATABASE_PRIMARY_URL": url})
    async with open_services(config) as services:
        while line := await asyncio.to_thread(sys.stdin.readline):
            order = msgspec.json.decode(line, type=dict[str, int | float | str])
            measure = _work_off if order["do"] == "throughput" else _time_starts
            print(json.dumps(await measure(services, order)), flush=True)


async def _work_off(services: Services, order: dict[str, int | float | str]) -> Order:
    number, slots = int(order["tasks"]), int(order["slots"])
    began = perf_counter()
    for first in range(0, number, BATCH):
        async with services.db.transaction() as tx:
            await enqueue_many(tx, small, [Small(first + n) for n in range(BATCH)])
    enqueued = perf_counter()
    BELL.expect(number)
    stop = asyncio.Event()
    working = asyncio.create_task(_worker(services, slots).run(stop, timedelta(0)))
    await BELL.rung.wait()
    stop.set()
    await working  # it ends when the last ending is written
    done = perf_counter()
    return {"enqueued": number / (enqueued - began), "done": number / (done - enqueued)}


async def _time_starts(services: Services, order: dict[str, int | float | str]) -> Order:
    stop = asyncio.Event()
    working = asyncio.create_task(_worker(services, 64).run(stop, timedelta(0)))
    await asyncio.sleep(0.5)
    delays: list[float] = []
    for n in range(int(order["tasks"])):
        await asyncio.sleep(float(order["pause"]))
        BELL.expect(1)
        asked = perf_counter()
        async with services.db.transaction() as tx:
            await enqueue(tx, small, Small(n))
        await BELL.rung.wait()
        delays.append(1_000 * (perf_counter() - asked))
    stop.set()
    await working
    return {"ms": delays}


def _worker(services: Services, slots: int) -> Worker:
    return Worker(services, (small,), direct(services.db.queue.url), Pace(slots=slots))


if __name__ == "__main__":
    uvloop.run(_serve(sys.argv[1], Path(sys.argv[2])))
