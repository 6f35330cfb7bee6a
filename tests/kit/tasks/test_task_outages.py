"""The database goes away and comes back; the worker is still there."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from rensai.kit.db import Database, DatabaseSettings
from rensai.kit.embedded import EmbeddedPostgres
from rensai.kit.migrate import migrate
from rensai.kit.tasks import TaskContext, enqueue, task
from tests.kit.tasks.workshop import N, Workshop, until

pytestmark = pytest.mark.anyio

ended: list[int] = []


@task()
async def crosses(context: TaskContext, args: N) -> None:
    """Is at work while the server is away."""
    await asyncio.sleep(args.n)
    ended.append(args.n)


@pytest.fixture
def own_server() -> Generator[EmbeddedPostgres]:
    memory = Path("/dev/shm")  # noqa: S108 - much faster than a disk, where there is one
    where = memory if os.access(memory, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="rensai-tasks-", dir=where))
    folder.chmod(0o711)
    server = EmbeddedPostgres(folder, durable=False)
    server.start()
    yield server
    server.stop()
    if (folder / "postgres").is_symlink():
        shutil.rmtree((folder / "postgres").resolve())
    shutil.rmtree(folder)


async def test_a_restart_of_the_server_costs_nothing_but_time(
    own_server: EmbeddedPostgres, tmp_path: Path
) -> None:
    ended.clear()
    await migrate(own_server.url)
    db = await Database.open(DatabaseSettings(primary_url=own_server.url))
    workshop = Workshop(db, tmp_path)

    async def empty() -> bool:
        return await workshop.queue() == []

    async with workshop.working(crosses):
        async with db.transaction() as tx:
            for n in (0, 1):
                await enqueue(tx, crosses, N(n))
        await until(lambda: ended == [0])
        await asyncio.to_thread(own_server.stop)
        await until(lambda: ended == [0, 1])
        await asyncio.sleep(1.5)
        await asyncio.to_thread(own_server.start)
        await until(empty, seconds=20)
        await workshop.ask(crosses, 0)
        await until(lambda: ended.count(0) == 2)
        await until(empty)
    assert ended.count(1) in {1, 2}
    await db.close()
