"""The building keeps its plan, and each rule is seen to catch what it is for."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.architecture import rules
from tests.architecture.tree import ROOT

Rule = Callable[[Path], list[str]]

RULES: list[Rule] = [
    rules.sql_outside_stores,
    rules.rooms_entered_past_their_door,
    rules.environment_read_outside_config,
    rules.names_without_a_purpose,
    rules.files_and_functions_too_long,
    rules.rooms_without_a_card,
    rules.tables_without_one_owner,
    rules.tables_touched_by_another_room,
]

SABOTAGE: list[tuple[str, str, str]] = [
    ("sql_outside_stores", "rooms/readers/service.py", '_Q = "SELECT 1 FROM users"\n'),
    (
        "rooms_entered_past_their_door",
        "rooms/readers/service.py",
        "import rensai.rooms.catalogue.service\n",
    ),
    ("environment_read_outside_config", "kit/cache.py", "import os\n_HOME = os.environ\n"),
    ("names_without_a_purpose", "kit/utils.py", "\n"),
    ("files_and_functions_too_long", "kit/clock.py", "\n" * 400),
    (
        "files_and_functions_too_long",
        "kit/ids.py",
        "\ndef long() -> None:\n" + "    pass\n" * 61,
    ),
    ("rooms_without_a_card", "rooms/cellar/__init__.py", '"""A room."""\n'),
    ("tables_without_one_owner", "migrations/9999_cellar.sql", "CREATE TABLE barrels (id int);\n"),
    (
        "tables_without_one_owner",
        "rooms/cellar/__init__.py",
        '"""Cellar.\n\nOwns the table `users`.\n"""\n',
    ),
    (
        "tables_touched_by_another_room",
        "rooms/instance/store.py",
        '_Q = "SELECT count(*) FROM users"\n',
    ),
]

LINTED: list[tuple[str, str, str]] = [
    ("Imports point down", "kit/clock.py", "import rensai.wiring\n"),
    ("Imports point down", "attic.py", "\n"),
    ("Imports point down", "config.py", "import rensai.kit.clock\n"),
    ("Imports point down", "client/signing.py", "import rensai.kit.clock\n"),
    ("The client stands alone", "client/signing.py", "import rensai.config_kinds\n"),
    ("Every room has the same furniture", "rooms/catalogue/gadget.py", "\n"),
    (
        "Every room has the same furniture",
        "rooms/catalogue/store/lists.py",
        "import rensai.rooms.catalogue.service\n",
    ),
    ("Services do not know HTTP", "rooms/instance/service.py", "import litestar\n"),
    (
        "Only services open the store",
        "rooms/catalogue/pages.py",
        "import rensai.rooms.catalogue.store\n",
    ),
    (
        "Only the database modules of kit speak to the driver",
        "rooms/catalogue/service.py",
        "import asyncpg\n",
    ),
    ("No two siblings need each other", "kit/clock.py", "import rensai.kit.ids\n"),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_building_keeps_its_plan(rule: Rule) -> None:
    assert rule(ROOT) == [], rule.__doc__


@pytest.mark.parametrize(("name", "file", "text"), SABOTAGE, ids=lambda part: str(part)[:40])
def test_each_rule_catches_what_it_is_for(tmp_path: Path, name: str, file: str, text: str) -> None:
    _copy_with(tmp_path, file, text)
    # A fresh interpreter: the import graph must be that of the copy.
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path; from tests.architecture import rules;"
            f"sys.exit(bool(rules.{name}(Path.cwd())))",
        ],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert found.returncode == 1, found.stderr.decode()


def test_the_import_contracts_hold() -> None:
    result = _lint(ROOT)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(("contract", "file", "text"), LINTED, ids=lambda part: str(part)[:40])
def test_each_import_contract_catches_what_it_is_for(
    tmp_path: Path, contract: str, file: str, text: str
) -> None:
    _copy_with(tmp_path, file, text)
    if "clock" in file and "ids" in text:
        (tmp_path / "rensai" / "kit" / "ids.py").write_text("import rensai.kit.clock\n")
    result = _lint(tmp_path)
    broken = [line for line in result.stdout.splitlines() if line.rstrip().endswith("BROKEN")]
    assert any(contract in line for line in broken), result.stdout


def _copy_with(tmp_path: Path, file: str, text: str) -> None:
    ignore = shutil.ignore_patterns("__pycache__", "assets")
    shutil.copytree(ROOT / "rensai", tmp_path / "rensai", ignore=ignore)
    shutil.copytree(ROOT / "tests" / "architecture", tmp_path / "tests" / "architecture")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    target = tmp_path / "rensai" / file
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("a") as out:
        out.write(text)


def _lint(root: Path) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-timings"]
    return subprocess.run(
        [str(part) for part in command[:2]],
        cwd=root,
        env={"PYTHONPATH": str(root), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
