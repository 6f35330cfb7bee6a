"""The worker of this installation: every task of every room."""

import asyncio
from datetime import timedelta

from rensai.kit.services import Services
from rensai.kit.tasks.line import direct
from rensai.kit.tasks.worker import Pace, Worker
from rensai.wiring.task_table import TASKS


async def run_worker(services: Services, stop: asyncio.Event, *, pace: Pace | None = None) -> None:
    """Run tasks until `stop`; what cannot end in time goes back to the queue."""
    worker = Worker(services, TASKS, direct(services.db.queue.url), pace)
    await worker.run(stop, timedelta(seconds=services.config.shutdown_seconds))
