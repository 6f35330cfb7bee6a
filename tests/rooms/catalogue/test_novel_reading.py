"""Stories and chapters over the novel API, as a front end meets them."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from rensai.kit.db import Command, Query
from tests.rig import Rig, build_services
from tests.rooms.catalogue.incoming import NOW, SOURCE, Shelf, chapter, story

pytestmark = pytest.mark.anyio

NOVEL = "/wp-json/novel/v1"

_ID = Query("SELECT id FROM stories WHERE source_story_id = $1", int)
_GROUP = Command(
    "UPDATE stories SET translation_group = '0190163d-8694-739b-aea5-966c26f8ad91', "
    "view_count = view_count + 1, tags = '{seen}', hidden_tags = '{unseen}'"
)
_READ = Command("UPDATE chapters SET read_count = read_count + 1")
_TERM = Command(
    """
    WITH term AS (
        INSERT INTO terms (taxonomy_id, slug, name)
        SELECT id, 'touhou', 'Touhou' FROM taxonomies WHERE slug = 'fandom'
        RETURNING id
    )
    INSERT INTO story_terms SELECT $1, id FROM term
    """
)


@pytest.fixture
def shelf(rig: Rig) -> Shelf:
    return Shelf(rig.db)


async def get(rig: Rig, path: str, **headers: str) -> Any:
    answer = await rig.get(f"{NOVEL}{path}", headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def chapter_ids(rig: Rig, story_id: int) -> list[int]:
    return [row["id"] for row in (await get(rig, f"/stories/{story_id}/chapters"))["items"]]


async def test_a_story_is_told_as_a_whole(rig: Rig, shelf: Shelf) -> None:
    await shelf.stories(
        story(
            "s1",
            slug="than-dao",
            title="Thần Đạo",
            title_original="神道",
            author_name="Cô Đơn",
            status=1,
            cover_url="https://covers.example/1.webp",
            summary="Về một thiếu niên.",
            aliases=["Than Dao", "God's Way"],
            genres=["Tiên Hiệp", "Huyền Huyễn"],
        )
    )
    await shelf.chapters(chapter(1, text="one two"), chapter(2.5, text="three"))
    async with rig.db.transaction() as tx:
        await tx.run(_GROUP)
        story_id = await tx.first(_ID, "s1")
        await tx.run(_TERM, story_id)
    told = await get(rig, f"/stories/{SOURCE}/than-dao")
    first, latest = await chapter_ids(rig, told["id"])
    uid = told.pop("uid")
    assert len(uid) == 36
    assert told == {
        "id": story_id,
        "kind": "novel",
        "source": SOURCE,
        "source_story_id": "s1",
        "slug": "than-dao",
        "title": "Thần Đạo",
        "title_original": "神道",
        "author_name": "Cô Đơn",
        "authors": ["Cô Đơn"],
        "status": 1,
        "cover_url": "https://covers.example/1.webp",
        "summary": "Về một thiếu niên.",
        "language": "vi",
        "original_language": None,
        "is_nsfw": False,
        "age_rating": None,
        "warnings": [],
        "content_warning": None,
        "year": None,
        "chapter_count": 0,
        "word_count": 0,
        "last_chapter_no": None,
        "popularity_score": 0.0,
        "rating_avg": None,
        "rating_count": 0,
        "view_count": 1,
        "follower_count": 0,
        "cache_version": 2,
        "published_at": None,
        "updated_at_source": "2026-03-01T06:00:00Z",
        "created_at": "2026-05-01T12:00:00Z",
        "updated_at": "2026-05-01T12:00:00Z",
        "aliases": ["Than Dao", "God's Way"],
        "genres": [
            {"slug": "huyen-huyen", "name": "Huyền Huyễn"},
            {"slug": "tien-hiep", "name": "Tiên Hiệp"},
        ],
        "tags": ["seen"],
        "terms": [{"taxonomy": "fandom", "slug": "touhou", "name": "Touhou"}],
        "chapter_stats": {
            "chapter_count": 0,
            "word_count": 0,
            "last_chapter_no": None,
            "first_chapter": {
                "id": first,
                "chapter_no": 1.0,
                "slug": "c-1",
                "title": "Chapter 1",
                "word_count": 2,
                "published_at": "2026-05-01T12:00:00Z",
            },
        },
        "latest_chapter": {
            "id": latest,
            "chapter_no": 2.5,
            "slug": "c-2-5",
            "title": "Chapter 2.5",
            "word_count": 1,
            "published_at": "2026-05-01T12:00:00Z",
        },
        "translation_group": "0190163d-8694-739b-aea5-966c26f8ad91",
    }


async def test_a_chapter_is_told_with_its_text_and_its_neighbours(rig: Rig, shelf: Shelf) -> None:
    await shelf.stories(story("s1", title="Thần Đạo", status=1))
    await shelf.chapters(
        chapter(1),
        chapter(2, text="<p onclick='x()'>Xin <b>chào</b></p><script>x</script>"),
        chapter(2.5),
        chapter(9, is_published=False),
    )
    (story_id,) = await rig.db.primary.all(_ID, "s1")
    one, two, three = await chapter_ids(rig, story_id)
    told = await get(rig, f"/chapters/{two}")
    assert len(told.pop("uid")) == 36
    assert len(told.pop("content_hash")) == 64
    assert told == {
        "id": two,
        "story_id": story_id,
        "source_chapter_id": None,
        "chapter_no": 2.0,
        "slug": "c-2",
        "title": "Chapter 2",
        "language": "vi",
        "word_count": 2,
        "page_count": 0,
        "content_warning": None,
        "read_count": 0,
        "published_at": "2026-05-01T12:00:00Z",
        "updated_at_source": "2026-03-01T06:00:00Z",
        "created_at": "2026-05-01T12:00:00Z",
        "updated_at": "2026-05-01T12:00:00Z",
        "story": {"id": story_id, "source": SOURCE, "slug": "s1", "title": "Thần Đạo"},
        "prev_chapter": {"id": one, "chapter_no": 1.0, "slug": "c-1", "title": "Chapter 1"},
        "next_chapter": {"id": three, "chapter_no": 2.5, "slug": "c-2-5", "title": "Chapter 2.5"},
        "content_raw": "<p onclick='x()'>Xin <b>chào</b></p><script>x</script>",
        "content_html": "<p>Xin <b>chào</b></p>",
        "content_size": 55,
    }
    assert (await get(rig, f"/chapters/{one}"))["prev_chapter"] is None
    assert (await get(rig, f"/chapters/{three}"))["next_chapter"] is None


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a < b & c", "<p>a &lt; b &amp; c</p>"),
        ("One.\nTwo.\n", "<p>One.</p>\n<p>Two.</p>"),
        ("One,\nstill one.\n\n \t\nTwo.", "<p>One,<br>\nstill one.</p>\n<p>Two.</p>"),
        ("\n\n  Indented.\n\n\n\nEnd.", "<p>  Indented.</p>\n<p>End.</p>"),
    ],
)
async def test_plain_text_is_escaped_into_paragraphs(
    rig: Rig, shelf: Shelf, text: str, html: str
) -> None:
    await shelf.stories(story("s1", status=1))
    await shelf.chapters(chapter(1, text=text))
    (story_id,) = await rig.db.primary.all(_ID, "s1")
    (one,) = await chapter_ids(rig, story_id)
    told = await get(rig, f"/chapters/{one}")
    assert (told["content_raw"], told["content_html"]) == (text, html)


async def test_the_text_can_be_left_out(rig: Rig, shelf: Shelf) -> None:
    await shelf.stories(story("s1", status=1))
    await shelf.chapters(chapter(1))
    (story_id,) = await rig.db.primary.all(_ID, "s1")
    (one,) = await chapter_ids(rig, story_id)
    without = await get(rig, f"/chapters/{one}?include_content=false")
    with_text = await get(rig, f"/chapters/{one}?include_content=true")
    content = ("content_raw", "content_html", "content_hash", "content_size")
    assert [without[name] for name in content] == [None] * 4
    assert with_text["content_raw"] == "Text of 1"
    assert {**without, **{name: with_text[name] for name in content}} == with_text


async def test_chapters_can_be_bounded_by_number(rig: Rig, shelf: Shelf) -> None:
    await shelf.stories(story("s1", status=1))
    await shelf.chapters(*(chapter(n) for n in (-1, 0, 1, 1.5, 2, 3)))
    (story_id,) = await rig.db.primary.all(_ID, "s1")
    for query, expected in (
        ("", [-1, 0, 1, 1.5, 2, 3]),
        ("?from_chapter_no=1.5", [1.5, 2, 3]),
        ("?to_chapter_no=1.50", [-1, 0, 1, 1.5]),
        ("?from_chapter_no=0&to_chapter_no=1", [0, 1]),
        ("?from_chapter_no=2&to_chapter_no=1", []),
        (
            "?from_chapter_no=-99999999.99&to_chapter_no=99999999.99&limit=200",
            [-1, 0, 1, 1.5, 2, 3],
        ),
    ):
        page = await get(rig, f"/stories/{story_id}/chapters{query}")
        assert [row["chapter_no"] for row in page["items"]] == expected, query
        assert (page["next_cursor"], page["has_more"]) == (None, False)


async def test_cursors_lead_through_the_table_of_contents(rig: Rig, shelf: Shelf) -> None:
    await shelf.stories(story("s1", status=1))
    await shelf.chapters(*(chapter(n) for n in range(1, 61)))
    (story_id,) = await rig.db.primary.all(_ID, "s1")
    first = await get(rig, f"/stories/{story_id}/chapters")
    assert (len(first["items"]), first["has_more"]) == (50, True)
    assert set(first["items"][0]) == {
        *("id", "source_chapter_id", "chapter_no", "slug", "title", "language", "word_count"),
        *("page_count", "published_at", "created_at", "updated_at"),
    }
    seen: list[float] = []
    cursor = ""
    while True:
        page = await get(
            rig,
            f"/stories/{story_id}/chapters?to_chapter_no=58&limit=7&cursor={cursor}"
            if cursor
            else f"/stories/{story_id}/chapters?to_chapter_no=58&limit=7",
        )
        seen += [row["chapter_no"] for row in page["items"]]
        cursor = page["next_cursor"]
        if not page["has_more"]:
            break
    assert cursor is None
    assert seen == list(range(1, 59))


async def test_what_is_written_is_seen_at_once_and_only_then(rig: Rig, shelf: Shelf) -> None:
    await shelf.stories(story("s1", status=1))
    await shelf.chapters(chapter(1), chapter(2))
    (story_id,) = await rig.db.primary.all(_ID, "s1")
    one, _ = await chapter_ids(rig, story_id)
    paths = [f"/stories/{SOURCE}/s1", f"/stories/{story_id}/chapters", f"/chapters/{one}"]

    async def tags() -> list[str]:
        return [(await rig.get(f"{NOVEL}{path}")).headers["etag"] for path in paths]

    before = await tags()
    assert await tags() == before
    for path, tag in zip(paths, before, strict=True):
        answer = await rig.get(f"{NOVEL}{path}", headers={"If-None-Match": tag})
        assert (answer.status_code, answer.content) == (304, b"")
    await shelf.chapters(chapter(1, minutes=1, title="Renamed"))
    after = await tags()
    assert not set(before) & set(after)
    assert (await get(rig, paths[2]))["title"] == "Renamed"
    assert (await get(rig, paths[1]))["items"][0]["title"] == "Renamed"
    await shelf.stories(story("s1", minutes=2, status=2, title="Other"))
    assert (await get(rig, paths[0]))["title"] == "Other"
    assert (await get(rig, paths[2]))["story"]["title"] == "Other"
    await shelf.chapters(chapter(2, minutes=3, deleted=True))
    assert (await get(rig, paths[2]))["next_chapter"] is None
    await shelf.stories(story("s1", minutes=4, deleted=True))
    for path, tag in zip(paths, await _last_tags(rig, paths), strict=True):
        answer = await rig.get(f"{NOVEL}{path}", headers={"If-None-Match": tag or "*"})
        assert answer.status_code == 404, path


async def _last_tags(rig: Rig, paths: list[str]) -> list[str | None]:
    return [(await rig.get(f"{NOVEL}{path}")).headers.get("etag") for path in paths]


async def test_another_process_sees_a_change_with_its_commit(
    rig: Rig, shelf: Shelf, tmp_path: Path
) -> None:
    other = Rig(build_services(rig.db, tmp_path, rig.clock), rig.clock)
    await shelf.stories(story("s1", status=1))
    await shelf.chapters(chapter(1))
    (story_id,) = await rig.db.primary.all(_ID, "s1")
    (one,) = await chapter_ids(rig, story_id)
    paths = [f"/stories/{SOURCE}/s1", f"/stories/{story_id}/chapters", f"/chapters/{one}"]
    for path in paths:
        ours, theirs = [await each.get(f"{NOVEL}{path}") for each in (rig, other)]
        assert ours.content == theirs.content
        assert ours.headers["etag"] == theirs.headers["etag"]
    await shelf.stories(story("s1", minutes=1, title="Other", status=1))
    await shelf.chapters(chapter(1, minutes=1, title="Other"))
    for path in paths:
        ours, theirs = [await get(each, path) for each in (rig, other)]
        assert ours == theirs
        assert "Other" in str(ours)
    await other.client.aclose()


async def test_what_is_told_and_is_no_change_is_told_at_once_too(rig: Rig, shelf: Shelf) -> None:
    await shelf.stories(story("s1", status=1))
    await shelf.chapters(chapter(1))
    (story_id,) = await rig.db.primary.all(_ID, "s1")
    (one,) = await chapter_ids(rig, story_id)
    paths = (f"/stories/{SOURCE}/s1", f"/chapters/{one}")
    before = [await get(rig, path) for path in paths]
    assert before[0]["view_count"] == before[1]["read_count"] == 0
    async with rig.db.transaction() as tx:
        await tx.run(_GROUP)
        await tx.run(_READ)
    assert (await get(rig, paths[0]))["view_count"] == 1
    assert (await get(rig, paths[1]))["read_count"] == 1
    # The source says the same again, later.
    await shelf.stories(story("s1", minutes=3, status=1))
    await shelf.chapters(chapter(1, minutes=4))
    after = [await get(rig, path) for path in paths]
    assert [told["updated_at_source"] for told in after] == [
        "2026-03-01T06:03:00Z",
        "2026-03-01T06:04:00Z",
    ]
    assert after[0]["cache_version"] == before[0]["cache_version"] + 2


async def test_a_slug_that_was_given_up_is_another_story_with_another_tag(
    rig: Rig, shelf: Shelf
) -> None:
    await shelf.stories(story("s1", slug="same", status=1))
    first = await rig.get(f"{NOVEL}/stories/{SOURCE}/same")
    await shelf.stories(story("s1", minutes=1, deleted=True))
    await shelf.stories(story("s2", slug="same", status=1))
    second = await rig.get(
        f"{NOVEL}/stories/{SOURCE}/same", headers={"If-None-Match": first.headers["etag"]}
    )
    assert (second.status_code, second.json()["source_story_id"]) == (200, "s2")


async def test_a_clock_that_goes_on_changes_nothing(rig: Rig, shelf: Shelf) -> None:
    await shelf.stories(story("s1", status=1))
    first = await rig.get(f"{NOVEL}/stories/{SOURCE}/s1")
    rig.clock.advance(timedelta(days=1))
    second = await rig.get(f"{NOVEL}/stories/{SOURCE}/s1")
    assert first.headers["etag"] == second.headers["etag"]
    assert rig.clock.now() > NOW


@pytest.mark.parametrize(
    "path",
    [
        f"/stories/{SOURCE}/s2",
        "/stories/other/s1",
        "/stories/local/s1",
        "/stories/999999999/chapters",
        "/stories/0/chapters",
        "/stories/-1/chapters",
        "/stories/9223372036854775808/chapters",
        f"/stories/{'9' * 400}/chapters",
        "/stories/1.5/chapters",
        "/chapters/999999999",
        "/chapters/0",
        "/chapters/-7",
        "/chapters/9223372036854775807",
        "/chapters/9223372036854775808",
        f"/chapters/{'9' * 5000}",
        "/chapters/NaN",
        "/chapters/%E2%88%9E",
        "/chapters/1%202",
    ],
)
async def test_what_is_not_there_is_not_found(rig: Rig, shelf: Shelf, path: str) -> None:
    await shelf.stories(story("s1", status=1))
    answer = await rig.get(f"{NOVEL}{path}")
    assert answer.status_code == 404, answer.text
    assert answer.json()["error"]["code"] == "not_found"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=-1", "limit"),
        ("limit=x", "limit"),
        ("limit=1e3", "limit"),
        (f"limit={'9' * 300}", "limit"),
        ("from_chapter_no=NaN", "from_chapter_no"),
        ("from_chapter_no=Infinity", "from_chapter_no"),
        ("to_chapter_no=-inf", "to_chapter_no"),
        ("to_chapter_no=1e9", "to_chapter_no"),
        ("to_chapter_no=123456789", "to_chapter_no"),
        ("to_chapter_no=1.234", "to_chapter_no"),
        ("to_chapter_no=", "to_chapter_no"),
        ("from_chapter_no=%D9%A3", "from_chapter_no"),
        ("fron_chapter_no=1", "fron_chapter_no"),
        ("sort=updated", "sort"),
        ("page=2&limit=5", "page"),
        ("limit[]=5", "limit[]"),
    ],
)
async def test_a_filter_that_is_not_valid_is_named(
    rig: Rig, shelf: Shelf, query: str, name: str
) -> None:
    await shelf.stories(story("s1", status=1))
    (story_id,) = await rig.db.primary.all(_ID, "s1")
    answer = await rig.get(f"{NOVEL}/stories/{story_id}/chapters?{query}")
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert error["code"] == "invalid_filter"
    (detail,) = error["details"]
    assert (detail["path"], detail["in"]) == (name, "query")
    if name in {"fron_chapter_no", "sort", "page", "limit[]"}:
        assert detail["allowed"] == ["cursor", "from_chapter_no", "limit", "to_chapter_no"]


@pytest.mark.parametrize("word", ["maybe", "2", "", "tru", "[]"])
async def test_a_switch_that_is_neither_on_nor_off_is_refused(
    rig: Rig, shelf: Shelf, word: str
) -> None:
    await shelf.stories(story("s1", status=1))
    await shelf.chapters(chapter(1))
    (story_id,) = await rig.db.primary.all(_ID, "s1")
    (one,) = await chapter_ids(rig, story_id)
    answer = await rig.get(f"{NOVEL}/chapters/{one}?include_content={word}")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid_filter"
    assert answer.json()["error"]["details"][0]["allowed"] == [True, False]


async def test_a_cursor_is_good_for_its_own_list_alone(rig: Rig, shelf: Shelf) -> None:
    await shelf.stories(story("s1", status=1), story("s2", status=1))
    await shelf.chapters(*(chapter(n) for n in range(1, 9)))
    await shelf.chapters(*(chapter(n, story="s2") for n in range(1, 9)))
    (one,) = await rig.db.primary.all(_ID, "s1")
    (two,) = await rig.db.primary.all(_ID, "s2")
    cursor = (await get(rig, f"/stories/{one}/chapters?limit=3"))["next_cursor"]
    series = await rig.get(f"/api/v1/series/{SOURCE}:s1/chapters?limit=3")
    foreign = series.json()["nextCursor"]
    tampered = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
    for path in (
        f"/stories/{two}/chapters?cursor={cursor}",
        f"/stories/{one}/chapters?cursor={foreign}",
        f"/stories/{one}/chapters?cursor={tampered}",
        f"/stories/{one}/chapters?cursor={cursor}&from_chapter_no=1",
        f"/stories/{one}/chapters?cursor=",
        f"/stories/{one}/chapters?cursor={'A' * 2000}",
        f"/stories/{one}/chapters?cursor=eyJzb3J0IjoidXBkYXRlZF9kZXNjIn0",
        f"/stories/{one}/chapters?cursor=%00",
    ):
        answer = await rig.get(f"{NOVEL}{path}", headers={"If-None-Match": "*"})
        assert answer.status_code == 400, path
        expected = "invalid_schema" if path.endswith("%00") else "invalid_cursor"
        assert answer.json()["error"]["code"] == expected, path
    other_size = await get(rig, f"/stories/{one}/chapters?cursor={cursor}&limit=2")
    assert [row["chapter_no"] for row in other_size["items"]] == [4, 5]
