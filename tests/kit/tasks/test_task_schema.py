"""Our tables are PgQueuer's, so that an upgrade of the package is noticed here."""

from importlib.resources import files

import pytest
from pgqueuer.adapters.persistence import schema_inspect, schema_plan
from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.adapters.persistence.schema_ddl import render_install
from pgqueuer.domain.schema.declaration import target

from rensai.kit.db import Database
from rensai.kit.db_driver import connect
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
