"""Migrations: applied once, whole or resumed, and never edited afterwards."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rensai.kit.db import Database, DatabaseSettings
from rensai.kit.db_driver import Connection, connect
from rensai.kit.migrate import Migration, MigrationFailed, migrate, pending, shipped
from tests.postgres import fresh_name

pytestmark = pytest.mark.anyio

ONE = Migration("0001_one.sql", "CREATE TABLE one (id int PRIMARY KEY);")
TWO = Migration("0002_two.sql", "CREATE TABLE two (id int); INSERT INTO two VALUES (1), (2);")
SLOW_STEPS = """-- rensai: no transaction
INSERT INTO one VALUES (1);
SELECT pg_sleep({seconds});
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS one_id ON one (id);
"""
INDEX_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('one_id')"
INDEXES = """
SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid), indisvalid,
    obj_description(indexrelid)
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE relnamespace = 'public'::regnamespace ORDER BY 1"""
FORGET = "UPDATE schema_migrations SET statements_done = $2 WHERE name = $1"
RUN = """
import asyncio, pathlib, sys
from rensai.kit.migrate import migrate, read
tell = lambda line: print(line, file=sys.stderr)
found = read(pathlib.Path(sys.argv[2]))
print(",".join(asyncio.run(migrate(sys.argv[1], migrations=found, progress=tell))))
"""


@pytest.fixture
async def look(empty_url: str) -> AsyncIterator[Connection]:
    """A connection to look at the result with."""
    connection = await connect(empty_url, seconds=10)
    yield connection
    await connection.close()


def write(folder: Path, *migrations: Migration) -> Path:
    """Put migrations into a folder."""
    for migration in migrations:
        (folder / migration.name).write_text(migration.text)
    return folder


def begin(url: str, folder: Path) -> "subprocess.Popen[str]":
    """Migrate in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", RUN, url, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def finish(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """What the process printed and told, once it has ended well."""
    out, told = await asyncio.to_thread(process.communicate, None, 60)
    assert process.returncode == 0, told
    return out.strip(), told


async def until(look: Connection, question: str) -> None:
    """Wait until the answer is true."""
    for _ in range(1000):
        if await look.fetchval(question):
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"never true: {question}")


_HERE = "FROM pg_stat_activity WHERE datname = current_database()"
ASLEEP = f"SELECT true {_HERE} AND wait_event = 'PgSleep'"
ALONE = f"SELECT count(*) = 1 {_HERE}"


async def kill_asleep(url: str, folder: Path, look: Connection) -> None:
    """Start to migrate, and kill the process when it has come to `pg_sleep`."""
    process = begin(url, folder)
    await until(look, ASLEEP)
    process.kill()
    await asyncio.to_thread(process.communicate)


async def test_migrations_are_applied_in_order_and_once(empty_url: str) -> None:
    assert await migrate(empty_url, migrations=[ONE, TWO]) == [ONE.name, TWO.name]
    assert await migrate(empty_url, migrations=[ONE, TWO]) == []


async def test_a_migrated_database_lacks_nothing(database: Database) -> None:
    assert await pending(database.primary) == []


async def test_an_empty_database_lacks_every_migration(empty_url: str) -> None:
    database = await Database.open(DatabaseSettings(primary_url=empty_url))
    assert await pending(database.primary) == [migration.name for migration in shipped()]
    await database.close()


async def test_two_processes_that_start_together_migrate_once(
    empty_url: str, look: Connection, tmp_path: Path
) -> None:
    steps = Migration("0002_steps.sql", SLOW_STEPS.format(seconds=1))
    folder = write(tmp_path, ONE, steps)
    outcomes = await asyncio.gather(*(finish(begin(empty_url, folder)) for _ in range(2)))
    assert sorted(out for out, _ in outcomes) == ["", f"{ONE.name},{steps.name}"]
    assert any("Waiting for another process" in told for _, told in outcomes)
    assert await look.fetchval("SELECT count(*) FROM one") == 1


async def test_a_migration_killed_in_the_middle_leaves_nothing_and_is_applied_again(
    empty_url: str, look: Connection, tmp_path: Path
) -> None:
    slow = Migration("0002_slow.sql", "CREATE TABLE two (); SELECT pg_sleep(30);")
    await kill_asleep(empty_url, write(tmp_path, ONE, slow), look)
    await until(look, ALONE)  # the server notices that the process is gone
    assert await look.fetchval("SELECT to_regclass('two')") is None
    quick = Migration(slow.name, "CREATE TABLE two ();")
    assert await migrate(empty_url, migrations=[ONE, quick]) == [slow.name]


async def test_steps_killed_in_the_middle_go_on_after_the_last_finished_one(
    empty_url: str, look: Connection, tmp_path: Path
) -> None:
    steps = Migration("0002_steps.sql", SLOW_STEPS.format(seconds="2 * (random() > -1)::int"))
    folder = write(tmp_path, ONE, steps)
    await kill_asleep(empty_url, folder, look)
    out, told = await finish(begin(empty_url, folder))
    assert out == steps.name
    assert "going on after statement 1" in told
    assert await look.fetchval("SELECT count(*) FROM one") == 1
    assert await look.fetchval(INDEX_VALID) is True


async def test_whatever_was_done_and_not_noted_before_a_crash_is_done_again(
    database_url: str,
) -> None:
    look = await connect(database_url, seconds=10)
    before = await look.fetch(INDEXES)
    for migration in shipped():
        for done in range(0 if migration.transactional else len(migration.statements)):
            await look.execute(FORGET, migration.name, done)
            assert await migrate(database_url) == [migration.name]
            assert await look.fetch(INDEXES) == before
    await look.close()


async def test_an_interrupted_migration_is_still_pending(
    empty_url: str, look: Connection, tmp_path: Path
) -> None:
    steps = Migration(shipped()[0].name, SLOW_STEPS.format(seconds=30))
    await look.execute(ONE.text)
    await kill_asleep(empty_url, write(tmp_path, steps), look)
    database = await Database.open(DatabaseSettings(primary_url=empty_url))
    assert steps.name in await pending(database.primary)
    await database.close()


async def test_an_index_that_an_interruption_left_invalid_is_built_anew(
    empty_url: str, look: Connection
) -> None:
    await migrate(empty_url, migrations=[ONE])
    blocker = await connect(empty_url, seconds=10)
    await blocker.execute("BEGIN; INSERT INTO one VALUES (7)")
    await look.execute("SET statement_timeout = '200ms'")
    with pytest.raises(Exception, match="statement timeout"):
        await look.execute("CREATE INDEX CONCURRENTLY one_id ON one (id)")
    assert await look.fetchval(INDEX_VALID) is False
    await blocker.close()
    await migrate(
        empty_url, migrations=[ONE, Migration("0002_x.sql", SLOW_STEPS.format(seconds=0))]
    )
    assert await look.fetchval(INDEX_VALID) is True


async def test_an_index_that_cannot_be_built_is_removed_and_the_data_can_be_mended(
    empty_url: str, look: Connection
) -> None:
    await look.execute("CREATE TABLE one (id int); INSERT INTO one VALUES (1)")
    steps = [Migration("0001_steps.sql", SLOW_STEPS.format(seconds=0))]
    with pytest.raises(
        MigrationFailed, match=r"failed at statement 3.*could not create unique index"
    ):
        await migrate(empty_url, migrations=steps)
    assert await look.fetchval(INDEX_VALID) is None
    await look.execute("DELETE FROM one; INSERT INTO one VALUES (5)")
    assert await migrate(empty_url, migrations=steps) == ["0001_steps.sql"]
    assert await look.fetchval("SELECT array_agg(id) FROM one") == [5]


async def test_a_file_edited_after_it_was_applied_is_refused(
    empty_url: str, look: Connection
) -> None:
    await migrate(empty_url, migrations=[ONE])
    edited = Migration(ONE.name, ONE.text + "\nDROP TABLE one;")
    with pytest.raises(MigrationFailed, match=r"0001_one\.sql differs from what was applied"):
        await migrate(empty_url, migrations=[edited, TWO])
    assert await look.fetchval("SELECT to_regclass('two')") is None


async def test_other_line_endings_are_no_edit(empty_url: str) -> None:
    await migrate(empty_url, migrations=[Migration("0001_a.sql", "SELECT 1;\nSELECT 2;\n")])
    assert (
        await migrate(empty_url, migrations=[Migration("0001_a.sql", "SELECT 1;\r\nSELECT 2;")])
        == []
    )


async def test_a_database_of_a_newer_release_is_accepted_and_reported(empty_url: str) -> None:
    await migrate(empty_url, migrations=[ONE, TWO])
    told: list[str] = []
    assert await migrate(empty_url, migrations=[ONE], progress=told.append) == []
    assert any(TWO.name in line and "newer release" in line for line in told)


async def test_a_failed_migration_says_why_and_leaves_nothing(
    empty_url: str, look: Connection
) -> None:
    bad = Migration("0002_bad.sql", "CREATE TABLE two (); SELECT * FROM three;")
    with pytest.raises(MigrationFailed, match=r'0002_bad.*relation "three" does not exist'):
        await migrate(empty_url, migrations=[ONE, bad])
    assert await look.fetchval("SELECT to_regclass('two')") is None
    assert await look.fetchval("SELECT to_regclass('one')") is not None


async def test_a_migration_waits_for_a_table_in_use_and_tries_again(
    empty_url: str, look: Connection
) -> None:
    await migrate(empty_url, migrations=[ONE])
    await look.execute("BEGIN; SELECT * FROM one")
    delayed = asyncio.Event()

    def tell(line: str) -> None:
        if "trying again" in line:
            delayed.set()

    change = Migration(
        "0002_c.sql", "SET LOCAL lock_timeout = '50ms'; ALTER TABLE one ADD two int;"
    )
    work = asyncio.create_task(migrate(empty_url, migrations=[ONE, change], progress=tell))
    await delayed.wait()
    await look.execute("COMMIT")
    assert await work == [change.name]


async def test_a_migration_that_commits_by_itself_is_refused(empty_url: str) -> None:
    with pytest.raises(MigrationFailed, match="ended its own transaction"):
        await migrate(empty_url, migrations=[Migration("0001_c.sql", "SELECT 1; COMMIT;")])


async def test_a_right_that_is_missing_is_named(empty_url: str, look: Connection) -> None:
    role = fresh_name()
    await look.execute(f"CREATE ROLE {role} LOGIN; GRANT CREATE ON SCHEMA public TO {role}")
    try:
        with pytest.raises(MigrationFailed, match="should belong to the user"):
            await migrate(empty_url.replace("://rensai@", f"://{role}@"))
    finally:
        await look.execute(f"DROP OWNED BY {role} CASCADE; DROP ROLE {role}")
