"""Reads stories and chapters from files: each item with the place that it came from."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from rensai.client.batches import Item, Kind
from rensai.client.folders import read_folder

_LINES = (".jsonl", ".ndjson")
_MARKS_OF_A_CHAPTER = ("chapter_no", "source_chapter_id", "content_raw")


class UnreadableError(Exception):
    """A file is not what it seems to be; nothing of it is sent."""


@dataclass(frozen=True, slots=True)
class Found:
    """An item with its place; or, where there is none to be had, what is wrong at that place."""

    place: str
    kind: Kind | None
    item: Item
    source: str | None = None
    problem: str | None = None


def read_items(path: Path) -> Iterator[Found]:
    """Every item below that path, in the same order each time."""
    if path.is_dir():
        for place, kind, item, source, problem in read_folder(path):
            yield Found(place, kind, item, source, problem)
        return
    name = path.name.removesuffix(".gz")
    if name.endswith(_LINES):
        yield from _lines(path)
    elif name.endswith(".json"):
        yield from _payload(path)
    else:
        raise UnreadableError(
            f"{path}: expected a folder, or a file that ends in .json or .jsonl, packed with "
            "gzip (.gz) or not"
        )


def kind_of(item: Item) -> Kind:
    """What an item is: only chapters have a number, an id or a text of their own."""
    return Kind.CHAPTERS if any(mark in item for mark in _MARKS_OF_A_CHAPTER) else Kind.STORIES


def _payload(path: Path) -> Iterator[Found]:
    """The body of a bulk request, of any length."""
    try:
        read: Any = json.loads(_bytes(path), parse_constant=_refuse)
    except (ValueError, RecursionError) as problem:
        raise UnreadableError(f"{path}: not valid JSON: {problem}") from problem
    payload = cast("dict[str, Any]", read if isinstance(read, dict) else {})
    items: Any = payload.get("items")
    if not isinstance(items, list):
        raise UnreadableError(f'{path}: expected {{"source": "...", "items": [...]}}')
    source: Any = payload.get("source")
    for index, item in enumerate(cast("list[Any]", items)):
        place = f"{path}: item {index}"
        yield _found(place, item, source if isinstance(source, str) else None)


def _lines(path: Path) -> Iterator[Found]:
    """A story or a chapter on each line; it may name its source."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
        try:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                place = f"{path}:{number}"
                try:
                    item: Any = json.loads(line, parse_constant=_refuse)
                except (ValueError, RecursionError) as problem:
                    yield Found(place, None, {}, None, f"not valid JSON: {problem}")
                    continue
                yield _found(place, item, None)
        except (EOFError, gzip.BadGzipFile) as problem:
            raise UnreadableError(f"{path}: not a whole gzip file: {problem}") from problem


def _found(place: str, read: Any, source: str | None) -> Found:
    if not isinstance(read, dict):
        return Found(place, None, {}, source, "the item must be an object")
    item = cast("dict[str, Any]", read)
    own = item.pop("source", None)
    if own is not None and not isinstance(own, str):
        return Found(place, None, item, source, "source must be text")
    return Found(place, kind_of(item), item, own or source)


def _bytes(path: Path) -> bytes:
    if path.suffix != ".gz":
        return path.read_bytes()
    try:
        with gzip.open(path) as packed:
            return packed.read()
    except (EOFError, gzip.BadGzipFile) as problem:
        raise UnreadableError(f"{path}: not a whole gzip file: {problem}") from problem


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number that JSON knows")
