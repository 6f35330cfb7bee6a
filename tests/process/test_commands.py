"""The command line: it teaches, answers scripts, and finds what it needs."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from rensai.config import SETTINGS
from rensai.wiring.cli import COMMANDS, rensai
from tests.process.conftest import Make


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


def test_wrong_settings_are_shown_among_the_others(new_site: Make) -> None:
    site = new_site(LOG_LEVEL="loud", SESSION_SECRET="hush")
    done = site.run("config", "show", "--json")
    assert done.returncode == 1
    told = {setting["name"]: setting for setting in json.loads(done.stdout)}
    assert told["LOG_LEVEL"]["problem"].startswith("LOG_LEVEL: 'loud' is not one of debug")
    assert told["PORT"] | {"problem": ""} == told["PORT"]
    assert len(done.stderr.splitlines()) == 2
    text = site.run("config", "show")
    assert "LOG_LEVEL = wrong: 'loud' is not one of debug" in text.stdout
    assert "hush" not in done.stdout + done.stderr + text.stdout + text.stderr


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


def test_the_api_description_is_printed_as_json(new_site: Make) -> None:
    site = new_site()
    done = site.run("openapi")
    assert done.returncode == 0, done.stderr
    described = json.loads(done.stdout)
    assert described["openapi"].startswith("3.1")
    assert described["servers"] == [{"url": f"http://127.0.0.1:{site.port}"}]
    assert not site.data_dir.exists(), "printing makes nothing"
