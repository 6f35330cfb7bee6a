"""Asking for tasks: inside the caller's transaction, and once for each dedupe key."""

import asyncio
from datetime import timedelta

import msgspec
import pytest

from rensai.kit.db import Database
from rensai.kit.db_driver import Connection, connect
from rensai.kit.tasks import TaskContext, enqueue, enqueue_many, task

pytestmark = pytest.mark.anyio


class ChangeOfMindError(Exception):
    pass


class Rebuild(msgspec.Struct):
    story: int


@task()
async def plain(context: TaskContext, args: Rebuild) -> None:
    """Each request stands for itself."""


@task(dedupe=lambda args: str(args.story))
async def rebuild(context: TaskContext, args: Rebuild) -> None:
    """Requests for the same story are one."""


async def _waiting(database: Database) -> list[tuple[object, ...]]:
    async with database.transaction() as tx:
        rows = await tx.connection.fetch("select id, payload from tasks.pgqueuer order by id")
    return [tuple(row) for row in rows]


async def test_a_task_exists_if_and_only_if_its_transaction_commits(database: Database) -> None:
    async def change_of_mind() -> None:
        async with database.transaction() as tx:
            await enqueue(tx, plain, Rebuild(1))
            raise ChangeOfMindError

    with pytest.raises(ChangeOfMindError):
        await change_of_mind()
    assert await _waiting(database) == []
    async with database.transaction() as tx:
        made = await enqueue(tx, plain, Rebuild(2))
    assert await _waiting(database) == [(made, b'{"story":2}')]


async def test_many_tasks_go_in_one_statement_and_answer_in_order(database: Database) -> None:
    async with database.transaction() as tx:
        plain_ids = await enqueue_many(tx, plain, (Rebuild(n) for n in range(500)))
        keyed_ids = await enqueue_many(tx, rebuild, [Rebuild(1), Rebuild(2), Rebuild(1)])
        none = await enqueue_many(tx, rebuild, [])
    rows = {row[0]: row[1] for row in await _waiting(database)}
    assert [rows[n or 0] for n in plain_ids] == [b'{"story":%d}' % n for n in range(500)]
    assert keyed_ids[2] is None
    assert [rows[n or 0] for n in keyed_ids[:2]] == [b'{"story":1}', b'{"story":2}']
    assert none == []


async def test_a_waiting_task_answers_for_a_later_request_with_its_key(
    database: Database,
) -> None:
    async with database.transaction() as tx:
        first = await enqueue(tx, rebuild, Rebuild(1))
    async with database.transaction() as tx:
        assert first is not None
        assert await enqueue(tx, rebuild, Rebuild(1)) is None
        assert await enqueue(tx, rebuild, Rebuild(2)) is not None


async def test_a_request_for_now_is_not_answered_by_a_task_that_waits_for_later(
    database: Database,
) -> None:
    async with database.transaction() as tx:
        await enqueue(tx, rebuild, Rebuild(1), delay=timedelta(hours=1))
        assert await enqueue(tx, rebuild, Rebuild(1)) is not None
        assert await enqueue(tx, rebuild, Rebuild(1), delay=timedelta(hours=1)) is None


async def _pick_all(connection: Connection) -> list[object]:
    rows = await connection.fetch(
        "update tasks.pgqueuer set status = 'picked', queue_manager_id = gen_random_uuid()"
        " where id in (select id from tasks.pgqueuer where status = 'queued'"
        " and execute_after <= now() for update skip locked) returning id, status"
    )
    return [row[0] for row in rows if row[1] == "picked"]


async def test_a_task_is_not_started_before_the_change_that_relies_on_it_commits(
    database: Database, database_url: str
) -> None:
    worker = await connect(database_url, seconds=5)
    async with database.transaction() as tx:
        made = await enqueue(tx, rebuild, Rebuild(1))
    async with database.transaction() as tx:
        assert await enqueue(tx, rebuild, Rebuild(1)) is None
        assert await _pick_all(worker) == []
    assert await _pick_all(worker) == [made]
    await worker.close()


async def test_a_request_while_the_task_runs_is_kept_and_waits_for_its_end(
    database: Database, database_url: str
) -> None:
    worker = await connect(database_url, seconds=5)
    async with database.transaction() as tx:
        first = await enqueue(tx, rebuild, Rebuild(1))
    assert await _pick_all(worker) == [first]
    async with database.transaction() as tx:
        later = await enqueue(tx, rebuild, Rebuild(1))
        assert await enqueue(tx, rebuild, Rebuild(1)) is None
    assert later is not None
    assert await _pick_all(worker) == []
    async with database.transaction() as tx:
        assert await enqueue(tx, rebuild, Rebuild(1)) is None
    await worker.execute("delete from tasks.pgqueuer where id = $1", first)
    await worker.execute("update tasks.pgqueuer set execute_after = now()")
    assert await _pick_all(worker) == [later]
    await worker.close()


async def test_two_that_ask_for_the_same_key_at_once_never_wait_for_each_other(
    database: Database,
) -> None:
    both_asked = asyncio.Barrier(2)

    async def ask(first: int, then: int) -> tuple[int | None, int | None]:
        async with database.transaction(timedelta(seconds=1)) as tx:
            one = await enqueue(tx, rebuild, Rebuild(first))
            await both_asked.wait()
            other = await enqueue(tx, rebuild, Rebuild(then))
            await both_asked.wait()
            return one, other

    made = await asyncio.gather(ask(1, 2), ask(2, 1))
    assert None not in {*made[0], *made[1]}
