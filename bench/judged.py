"""A library written by hand in five languages, and what a reader would call a good answer.

`judged/<language>.psv` has the stories; `judged/queries.psv` has the queries, each with the titles
that were meant and, where others would do as well, a rule that tells which. The titles were chosen
before any engine was asked. A rule is a row of conditions that must all be met:

    name~than dao      these words in a row in the title, the original title or another title
    author=jane austen one of the authors
    tag=slow burn      one of the tags, or of the genres, which are tags to a reader

Both sides are compared without case, accents and punctuation.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from bench.search_stories import Story
from bench.search_texts import LANGUAGES

FOLDER = Path(__file__).parent / "judged"

_WORDS = re.compile(r"[^\W_]+")
_SPACED = re.compile(r"[a-z0-9а-я]")


@dataclass(frozen=True)
class Judged:
    """A query, and the stories that a reader would be glad of."""

    category: str
    query: str
    relevant: frozenset[str]
    """Slugs."""


def stories(first: int) -> list[Story]:
    """All of them, numbered from the first."""
    found: list[Story] = []
    for language in LANGUAGES:
        for row in _rows(f"{language}.psv"):
            found.append(_story(first + len(found), language, row))
    titles = [story.title for story in found]
    twice = {title for title in titles if titles.count(title) > 1}
    if twice:
        raise ValueError(f"the judged library has these titles twice: {sorted(twice)}")
    return found


def queries(written: Sequence[Story], others: Iterable[Story]) -> list[Judged]:
    """All of them, judged over a whole library."""
    slugs = {story.title: story.slug for story in written}
    rows = list(_rows("queries.psv"))
    relevant = [{slugs[title] for title in _list(row["relevant"])} for row in rows]
    rules = [_rule(row["rule"]) for row in rows]
    for story in (*written, *others):
        said = _Said(story)
        for found, rule in zip(relevant, rules, strict=True):
            if rule and all(said.meets(*condition) for condition in rule):
                found.add(story.slug)
    return [
        Judged(row["category"], row["query"], frozenset(found))
        for row, found in zip(rows, relevant, strict=True)
    ]


def folded(text: str) -> str:
    """Without case, accents and punctuation; one space between words."""
    plain = unicodedata.normalize("NFKD", text.casefold().replace("đ", "d").replace("'", ""))
    plain = "".join(each for each in plain.replace("’", "") if not _is_accent(each))
    return " ".join(_WORDS.findall(unicodedata.normalize("NFC", plain)))


class _Said:
    """What a story says of itself, ready to be compared."""

    def __init__(self, story: Story) -> None:
        names = [story.title, story.title_original or "", *story.aliases]
        self._names = [f" {folded(name)} " for name in names]
        self._authors = {folded(author) for author in story.authors}
        self._tags = {folded(tag) for tag in (*story.tags, *story.genres)}

    def meets(self, field: str, value: str) -> bool:
        if field == "author":
            return value in self._authors
        if field == "tag":
            return value in self._tags
        sought = f" {value} " if _SPACED.search(value) else value
        return any(sought in name for name in self._names)


def _is_accent(character: str) -> bool:
    """Marks of letters; the voicing marks of kana are no accents."""
    return unicodedata.combining(character) not in {0, 8}


def _rule(text: str) -> list[tuple[str, str]]:
    conditions: list[tuple[str, str]] = []
    for part in filter(None, map(str.strip, text.split("&"))):
        field, value = re.split("[~=]", part, maxsplit=1)
        conditions.append((field, folded(value)))
    return conditions


def _rows(name: str) -> Iterator[dict[str, str]]:
    lines = (FOLDER / name).read_text().splitlines()
    heads = [head.strip() for head in lines[0].split("|")]
    for line in lines[1:]:
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != len(heads):
            raise ValueError(f"{name}: {len(cells)} cells instead of {len(heads)}: {line}")
        yield dict(zip(heads, cells, strict=True))


def _list(cell: str) -> list[str]:
    return [each.strip() for each in cell.split(";") if each.strip()]


def _story(number: int, language: str, row: dict[str, str]) -> Story:
    updated = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(hours=number % 5_000)
    return Story(
        number=number,
        uid=UUID(int=number, version=4),
        kind="novel",
        source="local",
        language=language,
        original_language=None,
        title=row["title"],
        title_original=row["original"] or None,
        aliases=_list(row["aliases"]),
        authors=_list(row["authors"]),
        summary=row["summary"],
        tags=_list(row["tags"]),
        hidden_tags=[],
        status=1 + number % 2,
        age_rating=None,
        genres=[],
        terms={},
        translation_group=None,
        chapters=100,
        words=150_000,
        followers=0,
        popularity=float(number * 7919 % 1_000),
        rating=None,
        ratings=0,
        views=0,
        published_at=updated,
        created_at=updated,
        updated_at=updated,
        deleted_at=None,
        slug=f"judged-{number}",
    )
