"""`rensai user`, on the command line."""

import json
import zipfile
from pathlib import Path

import pytest

from rensai.kit.db import Database
from tests.rig import this_moment
from tests.rooms.readers.accounts import an_admin
from tests.rooms.readers.people import a_person
from tests.rooms.readers.test_admin_command import rensai

pytestmark = pytest.mark.anyio


async def test_an_operator_finds_promotes_bans_and_erases_accounts(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    await an_admin(database)
    await a_person(database, this_moment(), "bea")

    def run(*arguments: str, status: int = 0) -> str:
        done = rensai(tmp_path, database_url, "user", *arguments)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout if status == 0 else done.stderr

    assert run("list").splitlines() == [
        "bea  <bea@example.com>  user",
        "ada  <ada@example.com>  admin",
    ]
    assert run("list", "--role", "admin") == "ada  <ada@example.com>  admin\n"
    assert run("list", "--name", "z") == "There are none.\n"
    found = json.loads(run("list", "--email", "BEA@", "--json"))
    assert [one["username"] for one in found] == ["bea"]
    assert run("role", "bea", "moderator") == "bea  <bea@example.com>  moderator\n"
    assert run("ban", "bea", "--reason", "spam").endswith("moderator, banned: spam\n")
    assert run("unban", "bea") == "bea  <bea@example.com>  moderator\n"
    assert run("verify", "bea").endswith("address confirmed\n")
    shown = json.loads(run("show", "bea", "--json"))
    assert [one["action"] for one in shown["actions"]] == [
        *("verified", "unbanned", "banned", "role")
    ]
    assert {one["actor"] for one in shown["actions"]} == {None}
    for refused in (("role", "ada", "user"), ("ban", "ada"), ("delete", "ada", "--yes")):
        assert run(*refused, status=1) == (
            "rensai: This is the last administrator; make another one first.\n"
        )
    assert run("show", "nobody", status=1) == "rensai: There is no account of that name.\n"
    run("role", "bea", "king", status=2)
    assert run("delete", "bea", "--yes") == "bea is erased.\n"
    assert run("show", "bea", status=1) == "rensai: There is no account of that name.\n"
    assert "deleted" in run("list")


async def test_an_account_moves_by_a_file(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    await a_person(database, this_moment(), "bea")
    file, broken = tmp_path / "bea.zip", tmp_path / "broken.zip"
    broken.write_bytes(b"nothing")
    made = rensai(tmp_path, database_url, "user", "export", "bea", str(file))
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith(f"Written to {file}.\nsettings: 0\nmutes: 0\n")
    with zipfile.ZipFile(file) as archive:
        assert "profile.json" in archive.namelist()
    again = rensai(tmp_path, database_url, "user", "export", "bea", str(file))
    assert (again.returncode, "is there already" in again.stderr) == (2, True)
    nobody = tmp_path / "nobody.zip"
    failed = rensai(tmp_path, database_url, "user", "export", "nobody", str(nobody))
    assert failed.returncode == 1
    assert not nobody.exists()
    taken = rensai(tmp_path, database_url, "user", "import", "bea", str(file), "--json")
    assert taken.returncode == 0, taken.stderr
    assert set(json.loads(taken.stdout)) >= {"settings", "mutes"}
    refused = rensai(tmp_path, database_url, "user", "import", "bea", str(broken))
    assert refused.returncode == 1
    assert "It is not a ZIP archive" in refused.stderr
