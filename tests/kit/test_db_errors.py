"""What the driver raises becomes ours, and tells a reader neither SQL nor data."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from rensai.kit import errors
from rensai.kit.db import (
    Command,
    Contended,
    Database,
    DatabaseSettings,
    Lost,
    Query,
    TooSlow,
    Tx,
    Unusable,
)
from rensai.kit.db_connect import Refused, TooOld, Unreachable, WrongEncoding, place
from rensai.kit.db_driver import Connection, connect
from rensai.kit.migrate import migrate
from tests.postgres import fresh_name

pytestmark = pytest.mark.anyio

SCHEMA = """
CREATE TABLE parent (
    id int PRIMARY KEY,
    name text NOT NULL CONSTRAINT parent_name_short CHECK (length(name) < 9),
    size smallint,
    CONSTRAINT parent_name_key UNIQUE (name)
);
CREATE TABLE child (id int CONSTRAINT child_parent REFERENCES parent (id));
INSERT INTO parent VALUES (1, 'first'), (2, 'second'); INSERT INTO child VALUES (1);
"""
ADD = "INSERT INTO parent (id, name, size) VALUES ($1, $2, $3)"
SLEEP = Query("SELECT true AS slept FROM (SELECT pg_sleep($1)) AS nap", bool)
TEXT = Query("SELECT $1::text AS text", str)
NUMBER = Query("SELECT $1::int AS number", int)
LOCK = Command("UPDATE parent SET size = 1 WHERE id = $1")
UNKNOWN = Query("SELECT nothing FROM nowhere", int)

CASES: list[tuple[str, tuple[object, ...], type[errors.RensaiError], str]] = [
    (ADD, (1, "secret", 1), errors.Conflict, "parent_pkey"),
    (ADD, (3, "first", 1), errors.Conflict, "parent_name_key"),
    ("INSERT INTO child VALUES ($1)", (77,), errors.Conflict, "child_parent"),
    ("DELETE FROM parent WHERE id = $1", (1,), errors.Conflict, "child_parent"),
    (ADD, (3, "much too long", 1), errors.Invalid, "parent_name_short"),
    (ADD, (3, None, 1), errors.Invalid, "name"),
    (ADD, (3, "nul \0", 1), errors.Invalid, "22021"),
    (ADD, (3, "half \ud800", 1), errors.Invalid, "fit"),
    (ADD, (3, "x", 70_000), errors.Invalid, "fit"),
    (ADD, (2**40, "x", 1), errors.Invalid, "fit"),
    ("SELECT 'secret'::int", (), errors.Invalid, "22P02"),
    ("SELECT repeat('secret', 500)::varchar(3)::name::date", (), errors.Invalid, "22"),
]


@pytest.fixture
async def look(database_url: str) -> AsyncIterator[Connection]:
    """A connection of the test's own, on tables to break the rules of."""
    connection = await connect(database_url, seconds=10)
    await connection.execute(SCHEMA)
    yield connection
    await connection.close()


@pytest.fixture
async def small(database_url: str, look: Connection) -> AsyncIterator[Database]:
    """A database with little patience."""
    patience = timedelta(milliseconds=300)
    settings = DatabaseSettings(database_url, pool_size=3, statement_timeout=patience)
    opened = await Database.open(settings)
    yield opened
    await opened.close()


async def run(database: Database, text: str, args: tuple[object, ...]) -> None:
    """Run one statement in a transaction of its own."""
    async with database.transaction() as tx:
        await tx.run(Command(text), *args)


@pytest.mark.parametrize(("text", "args", "kind", "private"), CASES)
async def test_what_breaks_a_rule_of_the_schema_is_named_without_its_values(
    small: Database,
    text: str,
    args: tuple[object, ...],
    kind: type[errors.RensaiError],
    private: str,
) -> None:
    with pytest.raises(kind) as caught:
        await run(small, text, args)
    assert type(caught.value) is kind
    assert caught.value.message == (kind.__doc__ or "").strip().splitlines()[0]
    assert private in (caught.value.private or "")
    for told in (caught.value.message, caught.value.private or ""):
        assert "secret" not in told
        assert "INSERT" not in told
        assert "first" not in told


async def test_a_read_with_impossible_text_is_the_readers_mistake(small: Database) -> None:
    with pytest.raises(errors.Invalid):
        await small.primary.first(TEXT, "\0")
    with pytest.raises(errors.Invalid):
        await small.primary.first(NUMBER, 2**31)


async def test_our_own_mistakes_are_not_dressed_up(small: Database) -> None:
    with pytest.raises(Exception, match="nowhere") as caught:
        await small.primary.first(UNKNOWN)
    assert not isinstance(caught.value, errors.RensaiError)
    with pytest.raises(Exception, match="expected str") as caught:
        await small.primary.first(TEXT, b"bytes")
    assert not isinstance(caught.value, errors.RensaiError)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("53100", errors.Unavailable),  # the disk is full
        ("53200", errors.Unavailable),  # out of memory
        ("58030", errors.Unavailable),  # input or output failed
        ("54000", errors.Invalid),  # a value too large for an index
        ("55P03", Contended),  # somebody holds the lock
        ("57P01", Lost),  # the server shuts down
        ("57P03", Lost),  # it is starting
        ("08006", Lost),
        ("25006", Lost),  # it has become a standby
        ("23P01", errors.Conflict),  # an exclusion constraint
    ],
)
async def test_a_server_in_trouble_is_unavailable(
    small: Database, code: str, kind: type[errors.RensaiError]
) -> None:
    trouble = f"DO $$ BEGIN RAISE 'the server says so' USING ERRCODE = '{code}'; END $$"
    with pytest.raises(kind) as caught:
        await run(small, trouble, ())
    assert type(caught.value) is kind
    assert code in (caught.value.private or "")
    assert "says so" not in caught.value.message
    if kind is errors.Unavailable:
        assert "the server says so" in (caught.value.private or "")
    assert await small.primary.first(NUMBER, 1) == 1


async def test_a_deadlock_can_be_tried_again(small: Database) -> None:
    both = asyncio.Barrier(2)

    async def cross(first: int, second: int) -> None:
        async with small.primary.transaction(timeout=timedelta(seconds=10)) as tx:
            await tx.run(LOCK, first)
            await both.wait()
            await tx.run(LOCK, second)

    outcomes = await asyncio.gather(cross(1, 2), cross(2, 1), return_exceptions=True)
    failed = [outcome for outcome in outcomes if outcome is not None]
    assert [type(outcome) for outcome in failed] == [Contended]


async def test_a_serialization_failure_can_be_tried_again(small: Database) -> None:
    both = asyncio.Barrier(2)

    async def count_up() -> None:
        async with small.transaction() as tx:
            await tx.run(Command("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
            await tx.first(Query("SELECT size FROM parent WHERE id = 1", int))
            await both.wait()
            await tx.run(LOCK, 1)

    outcomes = await asyncio.gather(count_up(), count_up(), return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Contended", "NoneType"]


async def test_a_slow_statement_is_unavailable(small: Database) -> None:
    with pytest.raises(TooSlow):
        await small.primary.first(SLEEP, 5)


async def test_a_connection_lost_in_a_transaction_is_unavailable_and_replaced(
    small: Database, look: Connection
) -> None:
    async def lose() -> None:
        async with small.transaction() as tx:
            await _terminate(look, tx)
            await tx.first(NUMBER, 1)

    with pytest.raises(Lost):
        await lose()
    assert await small.primary.first(NUMBER, 1) == 1
    assert small.primary.use.open == 1


async def _terminate(look: Connection, tx: Tx) -> None:
    await look.execute("SELECT pg_terminate_backend($1)", tx.connection.get_server_pid())


async def test_an_error_of_a_file_inside_a_transaction_stays_its_own(small: Database) -> None:
    async def fail() -> None:
        async with small.transaction():
            raise FileNotFoundError("a picture")

    with pytest.raises(FileNotFoundError):
        await fail()


async def test_too_many_connections_are_unavailable(
    small: Database, look: Connection, database_url: str
) -> None:
    name = database_url.partition("?")[0].rpartition("/")[2]
    role = f"r{name}"
    await look.execute(f"CREATE ROLE {role} LOGIN CONNECTION LIMIT 1")
    url = database_url.replace("://rensai@", f"://{role}@")
    other = await Database.open(DatabaseSettings(url, pool_size=5))
    outcomes = await asyncio.gather(
        *(other.primary.first(SLEEP, 0.1) for _ in range(3)), return_exceptions=True
    )
    await other.close()
    await look.execute(f"DROP ROLE {role}")
    assert any(outcome is True for outcome in outcomes)
    refused = [outcome for outcome in outcomes if outcome is not True]
    assert refused
    assert all(type(outcome) is errors.Unavailable for outcome in refused)


OPENINGS: list[tuple[str, type[Unusable], str]] = [
    (
        "postgresql://u:secret@127.0.0.1:1/db",
        Unreachable,
        r"127\.0\.0\.1:1/db does not answer: Connection refused$",
    ),
    ("postgresql://u:secret@nowhere.invalid/db", Unreachable, r"nowhere\.invalid/db does not"),
    ("postgresql://u:secret@/db?host=/no/where", Unreachable, "answer: No such file or directory$"),
    ("http://u:secret@127.0.0.1/db", Refused, r"not a valid address .*: 127\.0\.0\.1/db"),
    ("postgresql://u:sec/ret@127.0.0.1:x/db", Refused, "not a valid address"),
    ("secret", Refused, "not a valid address"),
]


@pytest.mark.parametrize(("url", "kind", "message"), OPENINGS)
async def test_a_database_that_cannot_be_opened_is_told_in_one_line_without_its_password(
    url: str, kind: type[Unusable], message: str
) -> None:
    with pytest.raises(kind, match=message) as caught:
        await Database.open(DatabaseSettings(url))
    assert "sec" not in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_a_database_that_is_not_there_is_told(database_url: str) -> None:
    with pytest.raises(Refused, match="There is no such database"):
        await Database.open(DatabaseSettings(database_url.replace("?", "_not?")))


async def test_a_server_that_is_too_old_is_told(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rensai.kit.db_connect.OLDEST_VERSION", 99)
    with pytest.raises(TooOld, match=r"is PostgreSQL \d+: Rensai needs 99 or newer"):
        await Database.open(DatabaseSettings(database_url))


async def test_a_database_that_cannot_store_every_text_is_told(empty_url: str) -> None:
    name = fresh_name()
    connection = await connect(empty_url, seconds=10)
    await connection.execute(
        f"CREATE DATABASE {name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"
    )
    latin = empty_url.replace(empty_url.partition("?")[0].rpartition("/")[2], name)
    with pytest.raises(WrongEncoding, match="stores text as LATIN1: Rensai needs UTF8"):
        await Database.open(DatabaseSettings(latin))
    with pytest.raises(WrongEncoding):
        await migrate(latin)
    await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await connection.close()


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("postgresql://me:p@ss@host:5/db?sslmode=require", "host:5/db"),
        ("postgresql://host/db?password=secret", "host/db"),
        ("postgres://rensai@/db?host=/run/sockets", "/run/sockets, db"),
        ("postgres://me:sec?ret/@host/db", "host/db"),
    ],
)
def test_where_a_url_points_is_told_without_its_secrets(url: str, where: str) -> None:
    assert place(url) == where
