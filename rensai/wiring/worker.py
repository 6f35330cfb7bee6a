"""The worker of this installation: every task and every loop of every room."""

import asyncio
from datetime import timedelta

from rensai.kit.services import Services
from rensai.kit.tasks.line import direct
from rensai.kit.tasks.worker import Pace, Worker
from rensai.wiring.loops import LOOPS
from rensai.wiring.task_table import TASKS


async def run_worker(services: Services, stop: asyncio.Event, *, pace: Pace | None = None) -> None:
    """Run tasks until `stop`; what cannot end in time goes back to the queue."""
    worker = Worker(services, TASKS, direct(services.db.queue.url), pace)
    await worker.run(stop, timedelta(seconds=services.config.shutdown_seconds))


async def run_background(services: Services, stop: asyncio.Event) -> None:
    """All that a worker process does, until `stop`. None of it ends by itself."""
    async with asyncio.TaskGroup() as everything:
        everything.create_task(run_worker(services, stop))
        for loop in LOOPS:
            everything.create_task(loop(services, stop))
