"""The client finds wrong what the server would refuse, with the same code, and nothing else."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.client import Kind
from rensai.client.checks import problem_of, problem_of_source
from rensai.kit.errors import Invalid
from rensai.rooms.ingest.adapters.envelopes import read_envelope
from rensai.rooms.ingest.adapters.items import read_items
from rensai.rooms.ingest.model import CHAPTERS, STORIES
from tests.client.items import chapter, story, without

JOBS = {Kind.STORIES: STORIES, Kind.CHAPTERS: CHAPTERS}
ITEMS = {Kind.STORIES: story(), Kind.CHAPTERS: chapter()}
NOW = datetime(2026, 11, 1, tzinfo=UTC)

AT_THE_EDGE: dict[str, list[Any]] = {
    "source_story_id": ["x" * 191, "x" * 192, " ", "", None, 7, "a\tb", "a\u0085b"],
    "source_chapter_id": ["", None, " ", "x" * 191, "x" * 192, 7],
    "slug": ["a-1", "A", "", None, "-" * 191, "a" * 192, "é", "a b", 1],
    "title": ["x" * 255, "x" * 256, "", "  ", None, "a\nb", ["x"], "e\u0301" * 255, " x "],
    "title_original": ["", None, "x" * 255, "x" * 256, 1],
    "author_name": ["", None, "x" * 191, "x" * 192, "a\x00"],
    "status": [0, 4, 5, -1, None, 1.0, 1.5, "1", True],
    "cover_url": [
        "",
        None,
        "https://a.example/x",
        "ftp://a",
        "https://a b",
        "HTTP://A/" + "x" * 1020,
    ],
    "summary": ["", None, "a\r\nb\tc", "a\x0cb", "x" * 200_000, "x" * 200_001, 3],
    "language": ["vi", "zh-Hant", "", None, "VI", "xx-123456789", 1],
    "aliases": [[], None, ["a"], [""], ["x" * 256], ["a"] * 100, ["a"] * 101, "a", [1]],
    "genres": [[], None, ["x" * 120], ["x" * 121], ["a"] * 50, ["a"] * 51, {"a": 1}],
    "chapter_no": [0, -1, 1.5, 1.25, 1.255, 99999999.99, 100000000, 1e30, None, "1", True, [1]],
    "content_raw": ["x", "", " \n", None, "x" * 262_144, "x" * 262_145, "a\x00b", "a\x85b", 5],
    "updated_at_source": [
        *("2026-02-21T08:00:00Z", "2026-02-21 08:00", "2026-02-21", "", None, 5, "soon"),
        *("2026-02-21T08:00:00+07:00", "0001-01-01T00:00:00+14:00"),
    ],
    "published_at": [None, "2026-02-21T08:00:00Z", "2026-02-21", "x", 5],
    "is_published": [True, False, 0, 1, 2, None, "true", 1.0],
    "deleted": [True, False, None],
    "not_known": [1, None, "x"],
}


def verdicts(kind: Kind, item: dict[str, Any]) -> tuple[str | None, str | None]:
    """What the client says, and what the server says."""
    said = problem_of(kind, item)
    found = read_items(JOBS[kind], [msgspec.Raw(msgspec.json.encode(item))], NOW).errors
    return said.code if said else None, found[0].code if found else None


@pytest.mark.parametrize("field", AT_THE_EDGE)
@pytest.mark.parametrize("kind", list(Kind), ids=lambda kind: kind.value[0])
def test_the_client_judges_each_field_as_the_server_does(kind: Kind, field: str) -> None:
    for value in AT_THE_EDGE[field]:
        ours, theirs = verdicts(kind, ITEMS[kind] | {field: value})
        assert ours == theirs, repr(value)[:60]
    ours, theirs = verdicts(kind, without(ITEMS[kind], field))
    assert ours == theirs


@pytest.mark.parametrize(
    "item",
    [
        {"source_story_id": "s", "updated_at_source": "2026-02-21T08:00:00Z"},
        {"source_story_id": "s", "chapter_no": 1, "updated_at_source": "2026-02-21T08:00:00Z"},
        {"source_story_id": "s", "source_chapter_id": "c", "updated_at_source": "2026-02-21"},
        {
            "source_story_id": "s",
            "source_chapter_id": "c",
            "updated_at_source": "2026-02-21T08:00Z",
        },
    ],
)
@pytest.mark.parametrize("kind", list(Kind), ids=lambda kind: kind.value[0])
def test_the_client_judges_deletions_as_the_server_does(kind: Kind, item: dict[str, Any]) -> None:
    ours, theirs = verdicts(kind, item | {"deleted": True})
    assert ours == theirs


@given(
    kind=st.sampled_from(list(Kind)),
    changes=st.dictionaries(
        st.sampled_from(sorted(AT_THE_EDGE)),
        st.none() | st.text(max_size=5) | st.integers(-9, 9) | st.booleans(),
        max_size=1,
    ),
)
def test_the_client_judges_whatever_comes_as_the_server_does(
    kind: Kind, changes: dict[str, Any]
) -> None:
    ours, theirs = verdicts(kind, ITEMS[kind] | changes)
    assert ours == theirs


@pytest.mark.parametrize("source", ["a", "x" * 40, "x" * 41, "", "a b", "a:b", "a/b", "\x00", "số"])
def test_the_client_judges_sources_as_the_server_does(source: str) -> None:
    body = msgspec.json.encode({"source": source, "items": [story()]})
    try:
        read_envelope(body)
    except Invalid:
        assert problem_of_source(source) is not None
    else:
        assert problem_of_source(source) is None
    assert problem_of_source("local") is not None
