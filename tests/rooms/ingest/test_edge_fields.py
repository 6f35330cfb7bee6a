"""Every field of an item at its limit and one past it; each item is judged alone."""

import json
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from rensai.kit.db import Query
from rensai.rooms.ingest.adapters.chapters import MOST_BODY
from rensai.rooms.ingest.adapters.references import reference
from rensai.rooms.ingest.adapters.stories import MOST_ALIASES, MOST_GENRES, MOST_SUMMARY
from tests.rig import Rig
from tests.rooms.ingest.crawler import (
    CHAPTERS,
    STORIES,
    chapter,
    count,
    make_crawler,
    story,
)

pytestmark = pytest.mark.anyio

GONE = object()
"""The field is not sent at all."""

NOT_TEXT: list[object] = [7, 1.5, True, [], {}, ["a"]]
NOT_A_LINE = ["a\nb", "a\tb", "a\x00b", "a\x7fb", "a\x85b", "\x1b[31m"]
BLANK = ["", " ", "\u3000", "\n"]

STORY_ACCEPTED: dict[str, list[object]] = {
    "source_story_id": ["a", "a" * 191, "ệ" * 191, "../x?y#z", "7"],
    "slug": ["a", "-", "0", "a-b-9", "a" * 191],
    "title": ["T", "T" * 255, "Ệ" * 255, "  T  ", "神" * 255, "👩‍👩‍👧", "E\u0323\u0302" * 255],
    "updated_at_source": [
        "2026-02-21T08:00:00Z",
        "2026-02-21T08:00:00.123456Z",
        "2026-02-21T15:00:00+07:00",
        "2026-02-21T08:00:00",
        "2026-02-21 08:00:00",
        "2026-02-21T08:00Z",
        "0001-01-01T00:00:00Z",
    ],
    "title_original": [GONE, None, "", " ", "斗破苍穹", "t" * 255],
    "author_name": [GONE, None, "", "a" * 191],
    "status": [GONE, None, 0, 1, 2, 3, 4],
    "cover_url": [
        GONE,
        None,
        "",
        "https://example.com",
        "HTTP://example.com/ảnh.jpg",
        "https://example.com/" + "a" * 1004,
    ],
    "summary": [GONE, None, "", "a\r\nb\tc", "s" * MOST_SUMMARY, "<p>Hi</p>"],
    "language": [GONE, None, "", "vi", "zh-Hant", "aa-bbbbbbb"],
    "aliases": [GONE, None, [], ["a"], ["a", "a", "A"], ["a" * 255], ["x" * 9] * MOST_ALIASES],
    "genres": [GONE, None, [], ["tien-hiep"], ["g" * 120], ["x"] * MOST_GENRES],
    "deleted": [GONE, None, False],
    "tags": [["not known, so passed over"]],
}
STORY_REJECTED: dict[str, list[object]] = {
    "source_story_id": [GONE, None, "a" * 192, *BLANK, *NOT_A_LINE, *NOT_TEXT],
    "slug": [
        *(GONE, None, "", "a" * 192, "A", "a b", "a_b", "a/b", "ă", "a\n", "a.b", "%20", "-\u0000"),
        *NOT_TEXT,
    ],
    "title": [GONE, None, "T" * 256, "Ệ" * 256, *BLANK, *NOT_A_LINE, *NOT_TEXT],
    "updated_at_source": [
        *(
            GONE,
            None,
            "",
            "2026-02-21",
            "yesterday",
            "2026-13-01T00:00:00Z",
            "2026-02-30T00:00:00Z",
        ),
        *("0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "9999-12-31T23:59:59Z"),
        *("1740000000", 1740000000, 1.5, True, [], {}),
    ],
    "title_original": ["t" * 256, *NOT_A_LINE, *NOT_TEXT],
    "author_name": ["a" * 192, *NOT_A_LINE, *NOT_TEXT],
    "status": [-1, 5, 1.5, "1", True, [], {}, 10**30],
    "cover_url": [
        *("ftp://example.com/", "javascript:alert(1)", "example.com/a.jpg", "https://", "//a"),
        *("https://example.com/a b", "https://example.com/" + "a" * 1005, "https://a\n.com"),
        *NOT_TEXT,
    ],
    "summary": ["s" * (MOST_SUMMARY + 1), "a\x00", "a\x0b", "a\x7f", *NOT_TEXT],
    "language": ["VI", "v", "vietnamese", "vi_VN", "vi-", "aa-bbbbbbbb", "vi\n", *NOT_TEXT],
    "aliases": [[""], ["a" * 256], [7], ["a\nb"], ["x"] * (MOST_ALIASES + 1), "a", {}, [None]],
    "genres": [[""], ["g" * 121], [7], ["a\nb"], ["x"] * (MOST_GENRES + 1), "a", {}, [None]],
    "deleted": [1, "true", [], {}],
}
CHAPTER_ACCEPTED: dict[str, list[object]] = {
    "chapter_no": [0, 1, 1.5, 10.25, -1, 99999999.99, -99999999.99, 0.1 + 0.2, 1e3, -0.0],
    "source_chapter_id": [GONE, None, "", "c", "c" * 191, "#5", "a:b~c"],
    "content_raw": ["a", "a\nb\tc\r\nd", "a" * MOST_BODY, "ệ" * (MOST_BODY // 3), "<p>a</p>", "👍"],
    "published_at": [GONE, None, "2026-02-21T08:00:00Z"],
    "is_published": [GONE, None, True, False, 0, 1],
}
CHAPTER_REJECTED: dict[str, list[object]] = {
    "chapter_no": [
        *(GONE, None, "1", True, [], {}, 0.005, 1.234, 99999999.999, 100000000, -100000000),
        *(1e308, 10**400, 99999999.995),
    ],
    "source_chapter_id": ["c" * 192, " ", *NOT_A_LINE, *NOT_TEXT],
    "content_raw": [
        *(GONE, None, "", " \n\t", "a" * (MOST_BODY + 1), "ệ" * (MOST_BODY // 3) + "aaa"),
        *("a\x00", "a\x0b", "a\x08", "a\x0c", "a\x1f", "a\x7f"),
        *NOT_TEXT,
    ],
    "published_at": ["", "2026-02-21", "9999-12-31T23:59:59Z", 7, []],
    "is_published": [2, -1, "true", 1.5, []],
    "slug": [GONE, "A"],
    "title": [GONE, "T" * 256, "a\nb"],
    "source_story_id": [GONE, "a" * 192],
    "updated_at_source": [GONE, "soon"],
}


def _items(make: Any, field: str, values: list[object]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for number, value in enumerate(values):
        item = story(source_story_id=f"s{number}") if make is story else chapter(number)
        item[field] = value
        items.append({name: each for name, each in item.items() if each is not GONE})
    return items


def _body(items: list[dict[str, Any]]) -> bytes:
    return json.dumps({"source": "truyen-a", "items": items}).encode()


def _cases(stories: dict[str, list[object]], chapters: dict[str, list[object]]) -> list[Any]:
    kinds = (("story", story, STORIES, stories), ("chapter", chapter, CHAPTERS, chapters))
    return [
        pytest.param(make, path, field, values, id=f"{name}.{field}")
        for name, make, path, fields in kinds
        for field, values in fields.items()
    ]


@pytest.mark.parametrize(
    ("make", "path", "field", "values"), _cases(STORY_ACCEPTED, CHAPTER_ACCEPTED)
)
async def test_what_a_field_may_hold(
    rig: Rig, make: Any, path: str, field: str, values: list[object]
) -> None:
    crawler = await make_crawler(rig)
    answer = await crawler.post(path, _body(_items(make, field, values)))
    assert answer.json()["errors"] == []
    assert answer.status_code == 202


@pytest.mark.parametrize(
    ("make", "path", "field", "values"), _cases(STORY_REJECTED, CHAPTER_REJECTED)
)
async def test_what_a_field_may_not_hold(
    rig: Rig, make: Any, path: str, field: str, values: list[object]
) -> None:
    crawler = await make_crawler(rig)
    good = make() if make is story else make(9999)
    answer = await crawler.post(path, _body([*_items(make, field, values), good]))
    told = answer.json()
    assert answer.status_code == 200
    wrong = {error["index"]: error for error in told["errors"]}
    for index, value in enumerate(values):
        assert wrong[index]["code"] == f"invalid_{field}", (value, wrong.get(index))
        assert wrong[index]["message"].startswith(f"{field} ")
    assert told["accepted_count"] == 1, "the good item is accepted all the same"
    assert told["rejected_count"] == len(values) == len(told["errors"])
    assert await count(rig, "ingest_jobs") == 1


async def test_a_time_may_be_24_hours_ahead_and_no_more(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    limit = rig.clock.now() + timedelta(hours=24)
    items = [
        story(source_story_id="a", updated_at_source=limit.isoformat()),
        story(
            source_story_id="b",
            updated_at_source=(limit + timedelta(microseconds=1)).isoformat(),
        ),
    ]
    answer = await crawler.push_stories(*items)
    assert [error["index"] for error in answer.json()["errors"]] == [1]
    assert "24 hours" in answer.json()["errors"][0]["message"]


@pytest.mark.parametrize(
    "item", [b"null", b"7", b'"a"', b"[]", b"true", b'{"title":"\\ud800"}', b'{"title":"\xff"}']
)
async def test_an_item_that_is_none_is_rejected_alone(rig: Rig, item: bytes) -> None:
    crawler = await make_crawler(rig)
    good = json.dumps(story()).encode()
    answer = await crawler.post(STORIES, b'{"source":"a","items":[' + item + b"," + good + b"]}")
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert (told["accepted_count"], told["errors"][0]["index"]) == (1, 0)
    assert told["errors"][0]["code"] in {"invalid_item", "invalid_title"}


async def test_a_request_with_nothing_right_in_it_has_failed(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    answer = await crawler.push_stories({}, {})
    assert answer.status_code == 200
    assert (answer.json()["accepted_count"], answer.json()["rejected_count"]) == (0, 2)
    row = Query("SELECT status || ' ' || last_error FROM ingest_requests", str)
    assert await rig.db.primary.first(row) == "4 Every item was rejected."


async def test_a_deletion_needs_its_identity_and_time_alone(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    when = "2026-02-21T08:00:00Z"
    stories = await crawler.push_stories(
        {"source_story_id": "a", "updated_at_source": when, "deleted": True},
        {"source_story_id": "b", "updated_at_source": when, "deleted": True, "slug": "Bad"},
        {"source_story_id": "c", "deleted": True},
        {"updated_at_source": when, "deleted": True},
    )
    codes = [error["code"] for error in stories.json()["errors"]]
    assert codes == ["invalid_updated_at_source", "invalid_source_story_id"]
    own = {"source_story_id": "a", "updated_at_source": when, "deleted": True}
    chapters = await crawler.push_chapters(
        own | {"source_chapter_id": "c-1"},
        own | {"chapter_no": 2},
        own | {"source_chapter_id": "c-3", "chapter_no": 3},
        own,
    )
    assert [error["code"] for error in chapters.json()["errors"]] == ["invalid_chapter_no"]
    refs = await rig.db.primary.all(
        Query("SELECT external_ref FROM ingest_jobs WHERE job_type = 'chapters_bulk'", str)
    )
    assert sorted(refs) == ["a:#2", "a:c-1", "a:c-3"]


async def test_what_is_queued_is_clean_and_complete(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    await crawler.push_stories(
        story(
            title=" Tha\u0302\u0300n \u0110a\u0323o ",
            summary="a\r\nb",
            cover_url="",
            aliases=["A", "A", "b"],
            updated_at_source="2026-02-21T15:00:00+07:00",
        )
    )
    payload = await rig.db.primary.first(Query("SELECT payload_inline FROM ingest_jobs", bytes))
    assert payload is not None
    assert msgspec.json.decode(payload) == {
        "source_story_id": "abc123",
        "slug": "than-dao",
        "title": "Thần Đạo",
        "summary": "a\nb",
        "cover_url": None,
        "aliases": ["A", "b"],
        "updated_at_source": "2026-02-21T08:00:00Z",
    }


async def test_a_chapter_without_an_id_goes_by_its_number(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    items = [
        chapter(1, source_chapter_id=None, chapter_no=5),
        chapter(2, source_chapter_id=None, chapter_no=5.0),
        chapter(3, source_chapter_id="5"),
        chapter(4, source_chapter_id="#5"),
        chapter(5, source_chapter_id=None, chapter_no=5.5),
        chapter(6, source_chapter_id=None, chapter_no=100),
    ]
    answer = await crawler.push_chapters(*items)
    assert answer.json()["accepted_count"] == 6
    refs = await rig.db.primary.all(Query("SELECT external_ref FROM ingest_jobs", str))
    assert sorted(refs)[:4] == ["abc123:#100", "abc123:#5", "abc123:#5.5", "abc123:5"]
    assert len(refs) == 5, "the two that are number five are one chapter"


def test_names_of_items_never_collide() -> None:
    parts = [("a", "b:c"), ("a:b", "c"), ("a", "b", "c"), ("a" * 191,), ("a" * 190, "b")]
    parts += [("a", "~"), ("a" * 100, "b" * 100), ("a" * 100, "b" * 101)]
    names = [reference(*each) for each in parts]
    assert len(set(names)) == len(names)
    assert all(len(name) <= 191 for name in names)


async def test_a_large_body_goes_into_a_blob(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    random_text = "".join(chr(0x4E00 + (n * 7919 * (n % 97 + 1)) % 20000) for n in range(60_000))
    answer = await crawler.push_chapters(chapter(1, content_raw=random_text), chapter(2))
    assert answer.status_code == 202
    rows = await rig.db.primary.all(
        Query(
            "SELECT payload_storage || ' ' || (body IS NULL) || ' ' || (payload_inline IS NULL) "
            "|| ' ' || (payload_blob_id IS NULL) FROM ingest_jobs ORDER BY item_index",
            str,
        )
    )
    assert rows == ["blob true false false", "inline false false true"]
    assert await count(rig, "ingest_payload_blobs") == 1


async def test_a_large_story_goes_into_a_blob_whole(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    await crawler.push_stories(story(summary="ệ" * 30_000))
    blob = await rig.db.primary.first(
        Query("SELECT payload_blob FROM ingest_payload_blobs WHERE payload_html IS NULL", bytes)
    )
    assert blob is not None
    assert msgspec.json.decode(blob)["summary"] == "ệ" * 30_000
    row = Query("SELECT payload_inline IS NULL AND body IS NULL FROM ingest_jobs", bool)
    assert await rig.db.primary.first(row) is True
