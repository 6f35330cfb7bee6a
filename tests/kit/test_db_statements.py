"""Every statement of the program, tried on the migrated schema."""

import importlib
import json
import pkgutil
import re
import types
import typing
from collections.abc import AsyncIterator, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from ipaddress import IPv4Address, IPv4Network
from uuid import UUID

import asyncpg
import msgspec
import pytest

import rensai
from rensai.kit.db import STATEMENTS, Command, Query
from rensai.kit.db_driver import Attribute, Connection, connect

pytestmark = pytest.mark.anyio

PYTHON: dict[str, object] = {
    "bool": bool,
    "bytea": bytes,
    "date": date,
    "float4": float,
    "float8": float,
    "inet": IPv4Address,
    "cidr": IPv4Network,
    "int2": int,
    "int4": int,
    "int8": int,
    "interval": timedelta,
    "json": str,
    "jsonb": str,
    "name": str,
    "numeric": Decimal,
    "oid": int,
    "text": str,
    "timestamptz": datetime,
    "uuid": UUID,
    "varchar": str,
}
_COLUMN = re.compile(r"\(?(?:(\w+)\.)?(\w+)\)?")
_NOT_NULL = """
SELECT attnotnull FROM pg_attribute
WHERE attrelid = to_regclass(format('%I.%I', $1::text, $2::text)) AND attname = $3"""


# Planned without values for its parameters, which the extended protocol would ask for.
_PLAN = """
CREATE FUNCTION pg_temp.plan(statement text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (VERBOSE, GENERIC_PLAN, FORMAT JSON) ' || statement INTO plan;
    RETURN plan;
END
$$"""


class Row(msgspec.Struct, frozen=True):
    id: int
    name: str | None


@pytest.fixture
async def schema(database_url: str) -> AsyncIterator[Connection]:
    """A connection to the migrated schema."""
    connection = await connect(database_url, seconds=10)
    await connection.execute(_PLAN)
    yield connection
    await connection.close()


def import_everything() -> None:
    """Let every store declare its statements."""
    for found in pkgutil.walk_packages(rensai.__path__, "rensai."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)


def wanted(query: "Query[object]") -> list[tuple[str | None, object]]:
    """The name and the annotation of each column that the row type expects."""
    if issubclass(query.row, msgspec.Struct):
        return [(field.name, field.type) for field in msgspec.structs.fields(query.row)]
    return [(None, query.row)]


def without_none(annotation: object) -> tuple[object, bool]:
    """The annotation itself, and whether it allows None."""
    if typing.get_origin(annotation) not in {types.UnionType, typing.Union}:
        return annotation, False
    parts = typing.get_args(annotation)
    rest = [part for part in parts if part is not types.NoneType]
    return (rest[0] if len(rest) == 1 else annotation), len(rest) < len(parts)


def fits(annotation: object, attribute: Attribute) -> bool:
    """Whether a column's values are what the annotation says, without any conversion."""
    plain, _ = without_none(annotation)
    name = attribute.type.name
    if attribute.type.kind == "array":
        return typing.get_origin(plain) is list or plain is list
    if typing.get_origin(plain) is typing.Literal:
        return {type(value) for value in typing.get_args(plain)} == {PYTHON.get(name)}
    return plain is PYTHON.get(name, str)


def scans(
    node: dict[str, typing.Any], *, outer: bool
) -> Iterator[tuple[str, tuple[str, str], bool]]:
    """Each table of a plan: its alias, its name, and whether an outer join may leave it empty."""
    if "Relation Name" in node and "Alias" in node:
        yield node["Alias"], (node["Schema"], node["Relation Name"]), outer
    join = node.get("Join Type")
    for child in node.get("Plans", []):
        side = (join, child.get("Parent Relationship"))
        empty = join == "Full" or side in {("Left", "Inner"), ("Right", "Outer")}
        yield from scans(child, outer=outer or empty)


async def may_be_null(schema: Connection, query: "Query[object]") -> list[bool]:
    """For each column whether it plainly comes from a nullable column or an outer join."""
    plan = json.loads(str(await schema.fetchval("SELECT pg_temp.plan($1)", query.text)))[0]["Plan"]
    tables = {alias: (table, outer) for alias, table, outer in scans(plan, outer=False)}
    answers: list[bool] = []
    for expression in plan.get("Output", []):
        column = _COLUMN.fullmatch(expression)
        # A plan of one table leaves its alias out.
        alias = column and (column[1] or (next(iter(tables)) if len(tables) == 1 else None))
        if not column or alias not in tables:
            answers.append(False)
            continue
        (namespace, table), outer = tables[alias]
        excluded = re.search(rf"\b{column[2]} is not null", query.text, re.IGNORECASE)
        certain = await schema.fetchval(_NOT_NULL, namespace, table, column[2])
        answers.append(outer or (certain is False and not excluded))
    return answers


async def complaint(schema: Connection, statement: "Query[object] | Command") -> str | None:
    """What is wrong with a statement, if anything is."""
    try:
        prepared = await schema.prepare(statement.text)
    except asyncpg.PostgresError as error:
        return f"{statement!r}: {error}"
    columns = prepared.get_attributes()
    if isinstance(statement, Command):
        return f"{statement!r} returns rows: make it a Query" if columns else None
    expected = wanted(statement)
    names = [column.name for column in columns]
    named = [name for name, _ in expected] if issubclass(statement.row, msgspec.Struct) else names
    if named != names or len(expected) != len(names):
        return f"{statement!r}: columns {names} for {expected}"
    for (_, annotation), column in zip(expected, columns, strict=True):
        if not fits(annotation, column):
            return f"{statement!r}: {column.name} is {column.type.name}, not {annotation}"
    for (_, annotation), column, null in zip(
        expected, columns, await may_be_null(schema, statement), strict=False
    ):
        if null and not without_none(annotation)[1]:
            return f"{statement!r}: {column.name} may be NULL, but {annotation} may not"
    return None


async def test_every_statement_prepares_on_the_migrated_schema_and_matches_its_struct(
    schema: Connection,
) -> None:
    import_everything()
    ours = [each for each in STATEMENTS if each.module.startswith("rensai.")]
    assert len(ours) > 20
    complaints = [await complaint(schema, statement) for statement in ours]
    assert not list(filter(None, complaints)), "\n".join(filter(None, complaints))


MISTAKES = {
    "SELECT 1 AS id, 'a'::text AS nme": r"columns \['id', 'nme'\]",
    "SELECT 'a'::text AS name, 1 AS id": "columns",
    "SELECT 1 AS id": "columns",
    "SELECT 'a'::text AS id, 'b'::text AS name": "id is text, not <class 'int'>",
    "SELECT 1 AS id, ARRAY['b'] AS name": r"name is text\[\]",
    "SELECT parent AS id, 'b'::text AS name FROM thing": "id may be NULL",
    "SELECT b.id, 'b'::text AS name FROM thing a LEFT JOIN thing b USING (id)": "id may be NULL",
    "SELECT id, name FROM nowhere": 'relation "nowhere" does not exist',
}


@pytest.mark.parametrize("text", MISTAKES)
async def test_a_statement_that_does_not_fit_is_named(schema: Connection, text: str) -> None:
    await schema.execute("CREATE TABLE thing (id int PRIMARY KEY, parent int)")
    found = await complaint(schema, typing.cast("Query[object]", Query(text, Row)))
    assert found is not None
    assert re.search(MISTAKES[text], found)


async def test_a_statement_that_fits_is_not_named(schema: Connection) -> None:
    await schema.execute("CREATE TABLE thing (id int PRIMARY KEY, name text)")
    for text in (
        "SELECT id, name FROM thing",
        "INSERT INTO thing VALUES ($1, $2) RETURNING id, name",
    ):
        query = typing.cast("Query[object]", Query(text, Row))
        assert await complaint(schema, query) is None
