"""Migration files: their names, and how one is taken apart into statements."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.kit.migrate_files import BadMigration, Migration, index_of, read, shipped, split

PIECES = [
    "SELECT 1",
    "SELECT ';'",
    "SELECT 'it''s; here'",
    r"SELECT E'a\'; b'",
    'SELECT ";"',
    "DO $$ BEGIN NULL; END $$",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $body$ SELECT 1; $body$",
    "SELECT $1",
]
COMMENTS = ["", "-- a; b\n", "/* a; /* b; */ c; */", "\n"]


@given(st.lists(st.tuples(st.sampled_from(COMMENTS), st.sampled_from(PIECES))))
def test_a_script_falls_apart_at_the_semicolons_that_end_statements(
    parts: list[tuple[str, str]],
) -> None:
    script = "".join(f"{comment}{piece};" for comment, piece in parts)
    assert split(script) == [piece for _, piece in parts]


def test_the_last_statement_needs_no_semicolon() -> None:
    assert split("SELECT 1;\n-- end\nSELECT 2") == ["SELECT 1", "SELECT 2"]


def test_the_index_that_a_statement_builds_is_found() -> None:
    assert index_of("CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a.b ON c (d)") == "a.b"
    assert index_of("CREATE INDEX IF NOT EXISTS a ON c (d)") is None


def test_two_files_with_one_number_are_refused(tmp_path: Path) -> None:
    for name in ("0001_a.sql", "0001_b.sql"):
        (tmp_path / name).touch()
    with pytest.raises(BadMigration, match=r"0001_a\.sql and 0001_b\.sql have the same number"):
        read(tmp_path)


def test_a_file_without_a_number_is_refused(tmp_path: Path) -> None:
    (tmp_path / "later.sql").touch()
    with pytest.raises(BadMigration, match=r"later\.sql is not named like"):
        read(tmp_path)


@pytest.mark.parametrize("migration", shipped(), ids=lambda migration: str(migration.name))
def test_a_shipped_migration_leaves_transactions_to_the_tool(migration: Migration) -> None:
    control = ("begin", "commit", "rollback", "end", "start transaction", "abort")
    for statement in migration.statements:
        assert not statement.lower().startswith(control), statement


@pytest.mark.parametrize("migration", shipped(), ids=lambda migration: str(migration.name))
def test_a_shipped_step_without_a_transaction_may_run_twice(migration: Migration) -> None:
    if migration.transactional:
        return
    for statement in migration.statements:
        words = statement.lower().split()
        if words[0] in {"create", "drop", "alter"}:
            assert "exists" in words, f"{migration.name}: say IF [NOT] EXISTS in: {statement}"
