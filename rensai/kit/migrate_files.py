"""Migration files: what a release ships, and how a file without a transaction is taken apart."""

import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

NO_TRANSACTION = "-- rensai: no transaction"
_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")
_INDEX = re.compile(
    r"""create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+
    ((?:"[^"]+"|\w+)(?:\.(?:"[^"]+"|\w+))?)\s+on\b""",
    re.IGNORECASE | re.VERBOSE,
)
# One token at a time: what may hold a semicolon that ends nothing, then everything else.
_TOKEN = re.compile(
    r"""
    (?P<line>--[^\n]*)
    | (?P<block>/\*)
    | (?P<escaped>\b[eE]'(?:[^'\\]|\\.|'')*')
    | (?P<text>'(?:[^']|'')*')
    | (?P<name>"(?:[^"]|"")*")
    | (?P<dollar>\$(?:[A-Za-z_]\w*)?\$)
    | (?P<end>;)
    | (?P<other>\w+|\s+|.)
    """,
    re.VERBOSE | re.DOTALL,
)


class BadMigration(Exception):
    """A migration file breaks the rules."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file."""

    name: str
    text: str

    @property
    def checksum(self) -> str:
        """Identifies the text, however its lines end."""
        return hashlib.sha256("\n".join(self.text.splitlines()).encode()).hexdigest()

    @property
    def transactional(self) -> bool:
        """Whether the file is applied whole or not at all."""
        return self.text.partition("\n")[0].strip() != NO_TRANSACTION

    @property
    def statements(self) -> list[str]:
        """The statements of the file."""
        return split(self.text)


def shipped() -> list[Migration]:
    """The migrations of this release, in order."""
    return read(files("rensai") / "migrations")


def read(folder: Traversable) -> list[Migration]:
    """The migrations of a folder, in order; names and numbers follow the rule."""
    found = {entry.name: entry for entry in folder.iterdir() if entry.name.endswith(".sql")}
    numbers: dict[str, str] = {}
    for name in sorted(found):
        matched = _NAME.fullmatch(name)
        if matched is None:
            raise BadMigration(f"{name} is not named like 0001_what_it_does.sql")
        if matched[1] in numbers:
            raise BadMigration(f"{numbers[matched[1]]} and {name} have the same number")
        numbers[matched[1]] = name
    return [Migration(name, found[name].read_text("utf-8")) for name in sorted(found)]


def index_of(statement: str) -> str | None:
    """The index that a statement builds concurrently, as written."""
    matched = _INDEX.search(statement)
    return matched[1] if matched else None


def split(text: str) -> list[str]:
    """The statements of a script, without the comments between them."""
    statements: list[str] = []
    current: list[str] = []
    position = 0
    while matched := _TOKEN.match(text, position):
        position = matched.end()
        if matched["end"]:
            statements.append("".join(current).strip())
            current = []
        elif matched["block"]:
            position = _block_comment(text, matched.start())
        elif matched["dollar"]:
            close = text.find(matched["dollar"], position)
            position = len(text) if close < 0 else close + len(matched["dollar"])
            current.append(text[matched.start() : position])
        elif not matched["line"]:
            current.append(matched[0])
    statements.append("".join(current).strip())
    return [statement for statement in statements if statement]


def _block_comment(text: str, start: int) -> int:
    """Where a comment that may hold others ends."""
    depth = 0
    for matched in re.finditer(r"/\*|\*/", text[start:]):
        depth += 1 if matched[0] == "/*" else -1
        if depth == 0:
            return start + matched.end()
    return len(text)
