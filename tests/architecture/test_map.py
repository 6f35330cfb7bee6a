"""The map shows the building as it stands."""

import re

from tests.architecture.tree import ROOT

_MAP = ROOT / "docs" / "map.md"
_PATH = re.compile(r"`(rensai/[\w./]+)`")


def _standing() -> set[str]:
    """Every floor, room and kit module: what a newcomer must be able to look up."""
    package = ROOT / "rensai"
    found = {"rensai/config.py", "rensai/__main__.py", "rensai/client/"}
    for floor in ("kit", "wiring", "rooms"):
        for path in (package / floor).iterdir():
            if path.suffix == ".py" and path.name != "__init__.py":
                found.add(str(path.relative_to(ROOT)))
            elif (path / "__init__.py").exists():
                found.add(f"{path.relative_to(ROOT)}/")
    return found


def test_the_map_names_every_part_that_stands() -> None:
    named = set(_PATH.findall(_MAP.read_text(encoding="utf-8")))
    assert _standing() - named == set()


def test_the_map_names_nothing_that_is_gone() -> None:
    named = _PATH.findall(_MAP.read_text(encoding="utf-8"))
    assert [path for path in named if not (ROOT / path).exists()] == []
