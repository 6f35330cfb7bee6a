"""The rules that import-linter cannot express; each takes a root and lists what breaks it."""

import ast
import re
from pathlib import Path
from statistics import median, quantiles

import grimp

from tests.architecture.tree import docstrings, module_name, parsed, sources

LONGEST_FILE = 350
LONGEST_FUNCTION = 60
MEDIAN_FILE = 90

_SQL = re.compile(
    r"^\s*(?:--[^\n]*\n\s*)*(?:select\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s"
    r"|with\s+\w+\s+as\s|create\s+(?:table|index|unique)|alter\s+table|truncate\s|copy\s+\w+)",
    re.IGNORECASE,
)
_SPEAKS_SQL = re.compile(
    r"^rensai\.(rooms\.\w+\.store(\.\w+)?|kit\.(db\w*|migrate\w*)|kit\.tasks\.\w*store\w*)$"
)
_TABLE = re.compile(r"^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)(?=[\s(])", re.M)
_TOUCHED = re.compile(r"\b(?:from|join|into|update|using|table|copy)\s+(?:only\s+)?(\w+)", re.I)
_SHAPELESS = {"utils", "util", "common", "helpers", "helper", "misc", "base"}


def sql_outside_stores(root: Path) -> list[str]:
    """SQL lives in stores, so that a query is found where its table is owned."""
    broken: list[str] = []
    for path in sources(root):
        if _SPEAKS_SQL.match(module_name(path, root)):
            continue
        tree = parsed(path)
        prose = docstrings(tree)
        broken += [
            f"{path.relative_to(root)}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in prose
            and _SQL.match(node.value)
        ]
    return broken


def rooms_entered_past_their_door(root: Path) -> list[str]:
    """A room may change everything behind its door without asking another room."""
    graph = grimp.build_graph("rensai", cache_dir=None)
    rooms = graph.find_children("rensai.rooms")
    return [
        f"{importer} -> {imported}"
        for room in sorted(rooms)
        for importer in sorted(graph.find_descendants(room) | {room})
        for imported in sorted(graph.find_modules_directly_imported_by(importer))
        if (other := _room_of(imported)) is not None
        and other != room
        and imported != f"{other}.door"
    ]


def _room_of(module: str) -> str | None:
    parts = module.split(".")
    return ".".join(parts[:3]) if parts[:2] == ["rensai", "rooms"] and len(parts) > 2 else None


def environment_read_outside_config(root: Path) -> list[str]:
    """One reader of the environment means `config show` tells the whole truth."""
    return [
        f"{path.relative_to(root)}:{node.lineno}"
        for path in sources(root)
        if module_name(path, root) != "rensai.config"
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute)
        and node.attr in {"environ", "getenv"}
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
    ]


def names_without_a_purpose(root: Path) -> list[str]:
    """A module is named for its one purpose; a drawer for everything has none."""
    return [
        str(path.relative_to(root))
        for path in sources(root)
        if _SHAPELESS & set(path.relative_to(root).with_suffix("").parts)
    ]


def files_and_functions_too_long(root: Path) -> list[str]:
    """What fits on a few screens is read whole before it is changed."""
    broken: list[str] = []
    lengths: list[int] = []
    for path in sources(root):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        lengths.append(lines)
        if lines > LONGEST_FILE:
            broken.append(f"{path.relative_to(root)}: {lines} lines")
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                span = (node.end_lineno or node.lineno) - node.lineno + 1
                if span > LONGEST_FUNCTION:
                    broken.append(f"{path.relative_to(root)}:{node.name}: {span} lines")
    if median(lengths) > MEDIAN_FILE or quantiles(lengths, n=20)[-1] > LONGEST_FILE:
        broken.append(f"the median file has {median(lengths)} lines")
    return broken


def rooms_without_a_card(root: Path) -> list[str]:
    """A room says on its first page what it is for and which tables it owns."""
    broken: list[str] = []
    for room in sorted((root / "rensai" / "rooms").iterdir()):
        if not (room / "__init__.py").exists():
            continue
        card = ast.get_docstring(parsed(room / "__init__.py")) or ""
        if "table" not in card.lower():
            broken.append(str(room.relative_to(root)))
    return broken


def tables_without_one_owner(root: Path) -> list[str]:
    """A table belongs to one room, whose card names it; so its rules stand in one place."""
    made = {
        table
        for path in (root / "rensai" / "migrations").glob("*.sql")
        for table in _TABLE.findall(path.read_text(encoding="utf-8"))
    }
    owners = _owners(root)
    return [
        f"{table}: on the cards of {sorted(owners.get(table, ())) or 'no room'}"
        for table in sorted(made)
        if len(owners.get(table, ())) != 1
    ]


def tables_touched_by_another_room(root: Path) -> list[str]:
    """A room asks the owner of a table through its door, also when it could reach it by SQL."""
    owners = _owners(root)
    broken: list[str] = []
    for path in sources(root):
        room = _room_of(module_name(path, root))
        if room is None or not _SPEAKS_SQL.match(module_name(path, root)):
            continue
        tree = parsed(path)
        prose = docstrings(tree)
        broken += [
            f"{path.relative_to(root)}:{node.lineno}: {table}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in prose
            for table in _TOUCHED.findall(node.value)
            if table in owners and room not in owners[table]
        ]
    return broken


def _owners(root: Path) -> dict[str, set[str]]:
    """The tables on each room's card: in the sentence that says what the room owns."""
    owners: dict[str, set[str]] = {}
    for card in (root / "rensai" / "rooms").glob("*/__init__.py"):
        owned = re.search(
            r"Owns the tables? (.*?)\.(?:\s|$)", ast.get_docstring(parsed(card)) or "", re.S
        )
        for table in re.findall(r"`(\w+)`", owned[1] if owned else ""):
            owners.setdefault(table, set()).add(f"rensai.rooms.{card.parent.name}")
    return owners
