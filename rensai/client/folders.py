"""Reads a folder of stories: in each folder a story.json or story.toml, and chapters as files.

    stories/
      than-dao/
        story.toml              title = "Thần Đạo", and any other field of a story
        001 - Khởi đầu.txt      chapter 1, "Khởi đầu"
        002.5 - Ngoại truyện.md chapter 2.5
        chapters/               or here

What is not said is taken from the files: ids and titles from names, times from the files' own.
"""

import hashlib
import json
import re
import tomllib
import unicodedata
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from rensai.client.batches import Item, Kind

Row = tuple[str, Kind | None, Item, str | None, str | None]
"""Place, kind, item, source, and what is wrong where there is no item."""

_TEXTS = {".txt", ".md", ".html", ".htm"}
_CARDS = ("story.json", "story.toml")
_NUMBER = re.compile(r"\d+(?:\.\d{1,2})?(?![a-z\d])", re.IGNORECASE)
_DIGITS = re.compile(r"(\d+)")
_BETWEEN = " \t-–—_.:,;、：。）)]】"
# What stands around a number and says only that it is one.
_BEFORE = re.compile(
    r"(?:chapter|chap|ch|chương|chuong|episode|ep|part|제|第)[\s._-]*$", re.IGNORECASE
)
_AFTER = re.compile(r"^(?:章|话|話|回|节|節|화|장)")
_LETTERS = str.maketrans({"đ": "d", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "ß": "ss"})


def read_folder(root: Path) -> Iterator[Row]:
    """The stories below that folder, each followed by its chapters."""
    folders = [root] if _card(root) else _sorted(path for path in root.iterdir() if path.is_dir())
    found = False
    for folder in folders:
        card = _card(folder)
        if card is not None:
            found = True
            yield from _story(folder, card)
    if not found:
        yield (str(root), None, {}, None, "no story.json or story.toml in it or one folder below")


def slug_of(text: str) -> str:
    """The text in plain small letters; a digest where too little of it is left."""
    plain = unicodedata.normalize("NFKD", text.casefold()).translate(_LETTERS)
    letters = "".join(each for each in plain if not unicodedata.combining(each))
    slug = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:150].strip("-")
    if slug and not any(each.isalnum() and not each.isascii() for each in letters):
        return slug
    return f"{slug}-{hashlib.sha256(text.encode()).hexdigest()[:10]}".strip("-")


def numbered(name: str) -> tuple[str | None, str]:
    """The chapter's number and title in the name of a file; no number where there is none."""
    found = _NUMBER.search(name)
    if found is None:
        return None, name.strip()
    before = _BEFORE.sub("", name[: found.start()]).strip(_BETWEEN)
    after = _AFTER.sub("", name[found.end() :].lstrip()).strip(_BETWEEN + "[(【（")
    return found[0], " ".join(part for part in (before, after) if part)


def _card(folder: Path) -> Path | None:
    return next((folder / name for name in _CARDS if (folder / name).is_file()), None)


def _story(folder: Path, card: Path) -> Iterator[Row]:
    try:
        said = _read_card(card)
    except (ValueError, OSError) as problem:
        yield (str(card), None, {}, None, f"cannot be read: {problem}")
        return
    source = said.pop("source", None)
    name = folder.resolve().name
    story_id = said.setdefault("source_story_id", name)
    said.setdefault("title", name)
    said.setdefault("slug", slug_of(str(story_id)))
    said.setdefault("updated_at_source", _changed(card))
    yield (str(card), Kind.STORIES, said, source, None)
    last = Decimal(0)
    seen: dict[Decimal, Path] = {}
    for path in _chapter_files(folder):
        try:
            item = _chapter(path, str(story_id), last)
        except (ValueError, OSError) as problem:
            yield (str(path), None, {}, source, f"cannot be read: {problem}")
            continue
        last = Decimal(str(item["chapter_no"]))
        if last in seen:
            told = f"has the same number as {seen[last].name}"
            yield (str(path), None, {}, source, told)
            continue
        seen[last] = path
        yield (str(path), Kind.CHAPTERS, item, source, None)


def _read_card(card: Path) -> dict[str, Any]:
    if card.suffix == ".toml":
        said = tomllib.loads(card.read_text(encoding="utf-8-sig"))
    else:
        read: Any = json.loads(card.read_text(encoding="utf-8-sig"))
        if not isinstance(read, dict):
            raise ValueError("it must be an object")
        said = cast("dict[str, Any]", read)
    return {name: _plain(value) for name, value in said.items()}


def _plain(value: Any) -> Any:
    """TOML has dates and times of its own."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    return f"{value.isoformat()}T00:00:00Z" if isinstance(value, date) else value


def _chapter_files(folder: Path) -> list[Path]:
    places = [place for place in (folder, folder / "chapters") if place.is_dir()]
    return _sorted(
        path
        for place in places
        for path in place.iterdir()
        if path.suffix.lower() in _TEXTS and path.is_file() and not path.name.startswith(".")
    )


def _chapter(path: Path, story_id: str, last: Decimal) -> dict[str, Any]:
    """A file without a number in its name follows the one before it."""
    digits, title = numbered(path.stem)
    number = Decimal(digits) if digits is not None else last // 1 + 1
    told = int(number) if number == number.to_integral_value() else float(number)
    return {
        "source_story_id": story_id,
        "chapter_no": told,
        "slug": f"chapter-{str(told).replace('.', '-')}",
        "title": title or f"{told}",
        "content_raw": path.read_text(encoding="utf-8-sig"),
        "updated_at_source": _changed(path),
    }


def _changed(path: Path) -> str:
    """When a file was last changed, to the microsecond."""
    whole, rest = divmod(path.stat().st_mtime_ns, 1_000_000_000)
    when = datetime.fromtimestamp(whole, UTC).replace(microsecond=rest // 1000)
    return when.isoformat().replace("+00:00", "Z")


def _sorted(paths: Iterator[Path]) -> list[Path]:
    """As people count: 2 before 10."""
    return sorted(paths, key=lambda path: (_natural(path.stem), path.name))


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Numbers by their size, the rest by its letters."""
    parts = _DIGITS.split(name.casefold())
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts if part]
