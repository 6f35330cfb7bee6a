"""The command line: it teaches, answers scripts, and finds what it needs."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from rensai.config import SETTINGS
from rensai.wiring.cli import COMMANDS, rensai
from tests.process.conftest import Make
from tests.process.site import Site


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["serve", "--help"]])
def test_help_answers_without_loading_the_application(arguments: list[str]) -> None:
    script = (
        "import sys\n"
        "from rensai.wiring.cli import main\n"
        "try:\n    main()\n"
        "finally:\n    print([name for name in ('asyncpg', 'litestar', 'granian', 'msgspec') "
        "if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    assert "rensai" in done.stdout
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_of_the_table_explains_itself(name: str) -> None:
    done = CliRunner().invoke(rensai, [name, "--help"])
    assert done.exit_code == 0, done.output
    assert len(done.output.splitlines()) > 5


def test_a_mistyped_command_is_a_usage_error(new_site: Make) -> None:
    done = new_site().run("srve")
    assert done.returncode == 2
    assert "No such command 'srve'" in done.stderr


def test_the_settings_are_shown_with_source_and_meaning(new_site: Make) -> None:
    site = new_site(SESSION_SECRET="hush" * 16)
    done = site.run("config", "show", "--json")
    assert done.returncode == 0, done.stderr
    told = {setting["name"]: setting for setting in json.loads(done.stdout)}
    assert set(told) == {setting.name for setting in SETTINGS}
    assert told["PORT"]["value"] == str(site.port)
    assert told["PORT"]["source"] == "environment"
    assert told["SESSION_SECRET"]["value"] == "(hidden)"
    assert "hush" not in done.stdout
    assert "hush" not in site.run("config", "show").stdout


def test_migrate_tells_scripts_what_it_did(new_site: Make) -> None:
    site = new_site()
    before = site.run("migrate", "--check", "--json")
    assert before.returncode == 1
    pending = json.loads(before.stdout)["pending"]
    assert pending[0].startswith("0001_")
    done = site.run("migrate", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"applied": pending}
    assert "Applying 0001_" in done.stderr
    assert json.loads(site.run("migrate", "--json").stdout) == {"applied": []}
    assert site.run("migrate", "--check").returncode == 0


@pytest.mark.parametrize("command", [["key", "list"], ["tasks", "status"], ["ingest", "status"]])
def test_a_command_before_the_first_migration_says_what_to_do(
    new_site: Make, command: list[str]
) -> None:
    done = new_site().run(*command)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "rensai migrate" in done.stderr


def test_the_doctor_finds_nothing_wrong_with_a_new_site(site: Site) -> None:
    done = site.run("doctor")
    assert done.returncode == 0, done.stdout
    assert "fail" not in done.stdout
    for check in ("configuration", "disk", "database", "extension pg_trgm", "clock", "storage"):
        assert f"ok    {check}" in done.stdout
    assert list((site.data_dir / "storage").iterdir()) == []


def test_the_doctor_says_how_to_mend_what_is_broken(new_site: Make) -> None:
    site = new_site(
        DATABASE_PRIMARY_URL="postgresql://ada:hunter2@127.0.0.1:1/rensai",
        REDIS_URL="redis://127.0.0.1:1/0",
        STORAGE_ENDPOINT="http://127.0.0.1:1",
        STORAGE_BUCKET="pages",
        STORAGE_ACCESS_KEY_ID="key",
        STORAGE_SECRET_ACCESS_KEY="a-storage-secret",
        STORAGE_PUBLIC_URL="http://127.0.0.1:1/pages",
        HOST="192.0.2.7",
    )
    site.data_dir.mkdir()
    (site.data_dir / "settings.env").write_text("LOG_LEVEL=warning\n")
    (site.data_dir / "settings.env").chmod(0o644)
    done = site.run("doctor", "--json")
    assert done.returncode == 1
    found = {(one["check"], one["state"]): one for one in json.loads(done.stdout)}
    for broken in ("database", "redis", "storage"):
        assert found[broken, "fail"]["mend"]
    assert "chmod 600" in found["data folder", "warn"]["mend"]
    assert "192.0.2.7" in found["configuration", "warn"]["found"]
    assert "hunter2" not in done.stdout
    assert "a-storage-secret" not in done.stdout


def test_the_doctor_also_sees_a_wrong_setting(new_site: Make) -> None:
    done = new_site(LOG_LEVEL="loud").run("doctor")
    assert done.returncode == 1
    assert "LOG_LEVEL: 'loud' is not one of debug, info, warning, error" in done.stdout


def test_the_api_description_is_printed_as_json(new_site: Make) -> None:
    done = new_site().run("openapi")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["openapi"].startswith("3.1")
