"""Our tables are PgQueuer's, so that an upgrade of the package is noticed here."""

import json
from datetime import timedelta
from importlib.resources import files
from uuid import uuid4

import pytest
from pgqueuer.adapters.persistence import schema_inspect, schema_plan
from pgqueuer.adapters.persistence.qb import QueryQueueBuilder
from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.adapters.persistence.schema_ddl import render_install
from pgqueuer.domain.schema.declaration import target
from pgqueuer.domain.types import QueueEntrypoint, QueueManagerId

from rensai.kit.db import Database
from rensai.kit.db_driver import connect
from rensai.kit.tasks.line import direct
from rensai.kit.tasks.pick import SETTINGS
from tests.kit.tasks.workshop import Workshop

pytestmark = pytest.mark.anyio


def test_the_migration_is_what_the_installed_pgqueuer_would_make() -> None:
    migration = (files("rensai") / "migrations" / "0001_task_queue.sql").read_text("utf-8")
    wanted = render_install(SETTINGS).split("\n\n")[2:]
    missing = [statement for statement in wanted if statement not in migration]
    assert missing == []


async def test_pgqueuer_finds_nothing_to_change(database: Database, database_url: str) -> None:
    del database
    connection = await connect(database_url, seconds=5)
    queries = Queries.from_asyncpg_connection(connection)  # pyright: ignore[reportArgumentType]
    live = await schema_inspect.inspect(queries.driver, SETTINGS)
    plan = schema_plan.plan(live, target(SETTINGS), SETTINGS)
    await connection.close()
    assert plan.statements == ()


async def test_only_history_may_be_lost_in_a_crash_of_the_server(workshop: Workshop) -> None:
    unlogged = await workshop.rows(
        "select relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace"
        " where nspname = 'tasks' and relkind = 'r' and relpersistence = 'u' order by relname"
    )
    assert unlogged == [("pgqueuer_log",), ("pgqueuer_statistics",)]


async def test_a_pick_reads_little_however_suddenly_the_queue_has_filled(
    database_url: str,
) -> None:
    connection = await direct(database_url)()
    await connection.execute("alter table tasks.pgqueuer set (autovacuum_enabled = off)")
    await connection.execute("analyze tasks.pgqueuer")
    await connection.execute(
        "insert into tasks.pgqueuer (priority, status, entrypoint)"
        " select 0, 'queued', 'task' || n % 5 from generate_series(1, 30000) as n"
    )
    names = [QueueEntrypoint(f"task{n}") for n in range(5)]
    pick = QueryQueueBuilder(settings=SETTINGS).build_dequeue_query(
        batch_size=10,
        entrypoints=names,
        concurrency_limits=[0, 0, 0, 0, 2],
        queue_manager_id=QueueManagerId(uuid4()),
        global_concurrency_limit=None,
        heartbeat_timeout=timedelta(seconds=12),
    )
    plan = await connection.fetchval(
        f"explain (analyze, buffers, format json) {pick.sql}", *pick.args
    )
    await connection.close()
    root = json.loads(str(plan))[0]["Plan"]
    assert root["Shared Hit Blocks"] + root["Shared Read Blocks"] < 1_000
