"""`rensai admin create`, on the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rensai.rooms.readers.adapters import portable

pytestmark = pytest.mark.anyio

ADA = ("--username", "ada", "--email", "ada@example.com")


def rensai(
    data: Path, url: str, *arguments: str, stdin: str = "", **environ: str
) -> subprocess.CompletedProcess[str]:
    """Run the command as a person would, with only these settings."""
    return subprocess.run(
        [sys.executable, "-m", "rensai", *arguments],
        env={
            "PATH": "/usr/bin:/bin",
            "RENSAI_DATA_DIR": str(data),
            "DATABASE_PRIMARY_URL": url,
            "NODE_ENV": "test",
            **environ,
        },
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


async def test_it_makes_one_admin_and_says_how_to_make_another(
    tmp_path: Path, database_url: str
) -> None:
    create = ("admin", "create", *ADA, "--password-stdin")
    first = rensai(tmp_path, database_url, *create, "--json", stdin="long enough\n")
    assert first.returncode == 0, first.stderr
    account = json.loads(first.stdout)
    assert account["username"] == "ada"
    assert account["role"] == "admin"
    assert portable.is_phrase(account["phrase"])

    second = rensai(tmp_path, database_url, *create, stdin="long enough\n")
    assert second.returncode == 1
    assert second.stderr == (
        "rensai: This instance has an administrator already. --another makes one more.\n"
    )

    third = rensai(
        tmp_path,
        database_url,
        "admin",
        "create",
        "--another",
        ADMIN_USERNAME="bob",
        ADMIN_EMAIL="bob@example.com",
        ADMIN_PASSWORD="long enough",
    )
    assert third.returncode == 0, third.stderr
    assert third.stdout.startswith("bob <bob@example.com> is now an administrator.\n")
    assert "long enough" not in third.stdout + third.stderr


async def test_what_is_missing_or_wrong_is_one_clear_line(
    tmp_path: Path, database_url: str
) -> None:
    nameless = rensai(tmp_path, database_url, "admin", "create")
    assert nameless.returncode == 2
    assert "there is no username: give --username" in nameless.stderr

    silent = rensai(tmp_path, database_url, "admin", "create", *ADA)
    assert silent.returncode == 2
    assert "--password-stdin or ADMIN_PASSWORD" in silent.stderr

    short = rensai(
        tmp_path, database_url, "admin", "create", *ADA, "--password-stdin", stdin="short\n"
    )
    assert short.returncode == 1
    assert short.stderr == (
        "rensai: The account cannot be made: the password needs 8 to 128 characters.\n"
    )
