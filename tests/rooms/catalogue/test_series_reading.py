"""One series, its chapters and one chapter over `/api/v1`, as a front end meets them."""

from typing import Any
from uuid import UUID

import pytest

from rensai.kit.db import Command, Query
from rensai.kit.ids import new_uid
from tests.rig import Rig
from tests.rooms.catalogue.incoming import SOURCE, Shelf, chapter, story

pytestmark = pytest.mark.anyio

API = "/api/v1"
NOBODY = "0190163d-8694-739b-aea5-966c26f8ad91"

_UID = Query("SELECT uid FROM stories WHERE source_story_id = $1", UUID)
_OWN = Command("UPDATE stories SET source = 'local', cache_version = cache_version + 1")
_COMIC = Command(
    """
    WITH owner AS (
        INSERT INTO users (
            uid, username, email, password_hash, display_name, role, actor_uri, inbox_uri
        ) VALUES (
            gen_random_uuid(), 'tran', 'tran@example.com', 'x', 'Tran', 'uploader', 'a', 'i'
        ) RETURNING id
    ), team AS (
        INSERT INTO groups (id, name, slug, owner_id) SELECT $1, 'Moon Scans', 'moon', id FROM owner
        RETURNING id, owner_id
    )
    INSERT INTO chapters (
        uid, story_id, group_id, uploader_id, chapter_no, number_label, volume_label, slug, title,
        language, page_count
    )
    SELECT gen_random_uuid(), stories.id, team.id, owner_id, no, label, '3', 'x' || no || lang, '',
        lang, 30
    FROM team, stories, (VALUES
        (1, NULL, 'en'), (2, NULL, 'en'), (2, NULL, 'fr'), (3, 'Extra', 'fr')
    ) AS new (no, label, lang)
    WHERE source_story_id = 's1'
    """
)


@pytest.fixture
def shelf(rig: Rig) -> Shelf:
    return Shelf(rig.db)


async def get(rig: Rig, path: str) -> Any:
    answer = await rig.get(f"{API}{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def run(rig: Rig, command: Command, *args: object) -> None:
    async with rig.db.transaction() as tx:
        await tx.run(command, *args)


async def test_a_series_is_told_as_a_whole(rig: Rig, shelf: Shelf) -> None:
    await shelf.stories(
        story(
            "s1",
            slug="than-dao",
            title="Thần Đạo",
            title_original="神道",
            author_name="Cô Đơn",
            status=2,
            summary="Về một thiếu niên.",
            aliases=["Than Dao"],
            genres=["Tiên Hiệp"],
        )
    )
    await shelf.chapters(chapter(1), chapter(2.5))
    told = await get(rig, f"/series/{SOURCE}:than-dao")
    chapters = (await get(rig, f"/series/{SOURCE}:than-dao/chapters"))["items"]
    assert told == {
        "id": str(await rig.db.primary.first(_UID, "s1")),
        "slug": f"{SOURCE}:than-dao",
        "title": "Thần Đạo",
        "originalTitle": "神道",
        "alternativeTitles": ["Than Dao"],
        "description": "Về một thiếu niên.",
        "contentType": "novel",
        "readingDirection": "ltr",
        "status": "completed",
        "source": SOURCE,
        "language": "vi",
        "originalLanguage": None,
        "translationGroup": None,
        "isNsfw": False,
        "ageRating": None,
        "warnings": [],
        "contentWarning": None,
        "authors": ["Cô Đơn"],
        "artists": [],
        "tags": [],
        "genres": ["Tiên Hiệp"],
        "genreSlugs": ["tien-hiep"],
        "terms": [],
        "year": None,
        "coverUrl": None,
        "chapterCount": 0,
        "wordCount": 0,
        "lastChapter": None,
        "firstChapter": {
            "id": chapters[0]["id"],
            "sortOrder": 1.0,
            "slug": "c-1",
            "title": "Chapter 1",
        },
        "latestChapter": {
            "id": chapters[1]["id"],
            "sortOrder": 2.5,
            "slug": "c-2-5",
            "title": "Chapter 2.5",
        },
        "followerCount": 0,
        "viewCount": 0,
        "rating": None,
        "ratingCount": 0,
        "publishedAt": None,
        "createdAt": "2026-05-01T12:00:00Z",
        "updatedAt": "2026-05-01T12:00:00Z",
    }


async def test_the_slugs_of_the_list_lead_to_each_series(rig: Rig, shelf: Shelf) -> None:
    await shelf.stories(story("s1", slug="one", status=1))
    await run(rig, _OWN)
    await shelf.stories(story("s2", slug="one", status=1))
    rows = (await get(rig, "/series"))["items"]
    assert {row["slug"] for row in rows} == {"one", f"{SOURCE}:one"}
    for row in rows:
        told = await get(rig, f"/series/{row['slug']}")
        assert (told["id"], told["slug"]) == (row["id"], row["slug"])


async def test_a_chapter_is_told_with_its_text_and_its_neighbours(rig: Rig, shelf: Shelf) -> None:
    await shelf.stories(story("s1", title="Thần Đạo", status=1))
    await shelf.chapters(
        chapter(1), chapter(1234567.5, text="Xin\nchào", title="Hai"), chapter(2000000)
    )
    rows = (await get(rig, f"/series/{SOURCE}:s1/chapters"))["items"]
    told = await get(rig, f"/chapters/{rows[1]['id']}")
    place = {"id": rows[0]["id"], "sortOrder": 1.0, "slug": "c-1", "title": "Chapter 1"}
    assert told == {
        "id": rows[1]["id"],
        "slug": "c-1234567-5",
        "chapterNumber": "1234567.5",
        "sortOrder": 1234567.5,
        "volumeNumber": None,
        "title": "Hai",
        "language": "vi",
        "pageCount": 0,
        "wordCount": 2,
        "group": None,
        "series": {
            "id": str(await rig.db.primary.first(_UID, "s1")),
            "slug": f"{SOURCE}:s1",
            "title": "Thần Đạo",
            "contentType": "novel",
        },
        "contentWarning": None,
        "contentHtml": "<p>Xin</p>\n<p>chào</p>",
        "prev": place,
        "next": {
            "id": rows[2]["id"],
            "sortOrder": 2000000.0,
            "slug": "c-2000000",
            "title": "Chapter 2000000",
        },
        "publishedAt": "2026-05-01T12:00:00Z",
        "createdAt": "2026-05-01T12:00:00Z",
        "updatedAt": "2026-05-01T12:00:00Z",
    }
    assert rows[1]["chapterNumber"] == "1234567.5"


async def test_chapters_of_several_languages_and_groups(rig: Rig, shelf: Shelf) -> None:
    group = new_uid()
    await shelf.stories(story("s1", status=1))
    await run(rig, _COMIC, group)
    path = f"/series/{SOURCE}:s1/chapters"
    rows = (await get(rig, path))["items"]
    assert [(row["chapterNumber"], row["language"]) for row in rows] == [
        ("1", "en"),
        ("2", "en"),
        ("2", "fr"),
        ("Extra", "fr"),
    ]
    assert rows[0]["group"] == {"id": str(group), "slug": "moon", "name": "Moon Scans"}
    assert (rows[0]["title"], rows[0]["pageCount"], rows[0]["volumeNumber"]) == (None, 30, "3")
    french = (await get(rig, f"{path}?language=fr&sort=desc"))["items"]
    assert [row["id"] for row in french] == [rows[3]["id"], rows[2]["id"]]
    first = await get(rig, f"/chapters/{rows[0]['id']}")
    assert (first["contentHtml"], first["prev"]) == (None, None)
    assert first["next"]["id"] == rows[1]["id"]
    second = await get(rig, f"/chapters/{rows[1]['id']}")
    assert second["next"] is None  # what follows is in French
    assert (await get(rig, f"/chapters/{rows[3]['id']}"))["prev"]["id"] == rows[2]["id"]


@pytest.mark.parametrize("sort", ["asc", "desc"])
async def test_cursors_lead_through_the_chapters(rig: Rig, shelf: Shelf, sort: str) -> None:
    await shelf.stories(story("s1", status=1))
    await shelf.chapters(*(chapter(n) for n in range(1, 31)))
    path = f"/series/{SOURCE}:s1/chapters?sort={sort}"
    assert len((await get(rig, path))["items"]) == 20
    seen: list[float] = []
    cursor = ""
    while True:
        page = await get(rig, f"{path}&limit=4{cursor}")
        seen += [row["sortOrder"] for row in page["items"]]
        if not page["hasMore"]:
            break
        cursor = f"&cursor={page['nextCursor']}"
    assert page["nextCursor"] is None
    assert seen == sorted(range(1, 31), reverse=sort == "desc")


async def test_what_was_here_and_is_gone_is_told_to_be_gone(rig: Rig, shelf: Shelf) -> None:
    await shelf.stories(story("s1", status=1), story("draft", status=0))
    await shelf.chapters(chapter(1), chapter(2), chapter(3, is_published=False))
    await run(rig, _OWN)
    _, two = [row["id"] for row in (await get(rig, "/series/s1/chapters"))["items"]]
    ids = await rig.db.primary.all(Query("SELECT uid FROM chapters ORDER BY chapter_no", UUID))
    delete = Command("UPDATE chapters SET deleted_at = now() WHERE chapter_no IN (1, 3)")
    await run(rig, delete)
    answers = {str(uid): await rig.get(f"{API}/chapters/{uid}") for uid in ids}
    assert [answer.status_code for answer in answers.values()] == [410, 200, 404]
    assert answers[str(ids[0])].json()["code"] == "GONE"
    await run(rig, Command("UPDATE stories SET deleted_at = now()"))
    for path, status, code in (
        ("/series/s1", 410, "GONE"),
        ("/series/s1/chapters", 410, "GONE"),
        ("/series/local:s1", 410, "GONE"),
        (f"/chapters/{two}", 410, "GONE"),
        ("/series/draft", 404, "SERIES_NOT_FOUND"),
        (f"/chapters/{ids[2]}", 404, "CHAPTER_NOT_FOUND"),
    ):
        answer = await rig.get(f"{API}{path}")
        assert (answer.status_code, answer.json()["code"]) == (status, code), path
        assert answer.headers["cache-control"] == "no-store"


async def test_what_came_from_elsewhere_was_never_here(rig: Rig, shelf: Shelf) -> None:
    await shelf.stories(story("s1", status=1))
    await shelf.chapters(chapter(1))
    (row,) = (await get(rig, f"/series/{SOURCE}:s1/chapters"))["items"]
    await shelf.stories(story("s1", minutes=1, deleted=True))
    for path, code in (
        (f"/series/{SOURCE}:s1", "SERIES_NOT_FOUND"),
        (f"/series/{SOURCE}:s1/chapters", "SERIES_NOT_FOUND"),
        ("/series/s1", "SERIES_NOT_FOUND"),
        ("/series/:s1", "SERIES_NOT_FOUND"),
        (f"/series/{SOURCE}:", "SERIES_NOT_FOUND"),
        (f"/series/{'x' * 4000}", "SERIES_NOT_FOUND"),
        ("/series/a:b:c", "SERIES_NOT_FOUND"),
        (f"/chapters/{row['id']}", "CHAPTER_NOT_FOUND"),
        (f"/chapters/{NOBODY}", "CHAPTER_NOT_FOUND"),
        ("/chapters/1", "CHAPTER_NOT_FOUND"),
        ("/chapters/%F0%9F%92%A9", "CHAPTER_NOT_FOUND"),
    ):
        answer = await rig.get(f"{API}{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, code), path


@pytest.mark.parametrize(
    ("path", "name", "allowed"),
    [
        ("/series?sort=title", "sort", ["updated", "popular", "newest"]),
        ("/series?status=draft", "status", ["cursor", "limit", "sort", "source"]),
        ("/series?limit=1000", "limit", None),
        ("/series/{slug}?x=1", "x", []),
        ("/series/{slug}/chapters?sort=up", "sort", ["asc", "desc"]),
        ("/series/{slug}/chapters?lang=en", "lang", ["cursor", "language", "limit", "sort"]),
        ("/series/{slug}/chapters?language=x", "language", None),
        ("/chapters/{chapter}?include_content=false", "include_content", []),
    ],
)
async def test_a_filter_that_is_not_valid_is_named_with_what_would_be(
    rig: Rig, shelf: Shelf, path: str, name: str, allowed: list[str] | None
) -> None:
    await shelf.stories(story("s1", status=1))
    await shelf.chapters(chapter(1))
    slug = f"{SOURCE}:s1"
    (row,) = (await get(rig, f"/series/{slug}/chapters"))["items"]
    answer = await rig.get(API + path.format(slug=slug, chapter=row["id"]))
    assert (answer.status_code, answer.json()["code"]) == (422, "VALIDATION_ERROR")
    (detail,) = answer.json()["details"]
    assert (detail["path"], detail["in"], detail.get("allowed")) == (name, "query", allowed)


async def test_a_change_is_seen_at_once_and_told_by_the_tag(rig: Rig, shelf: Shelf) -> None:
    await shelf.stories(story("s1", status=1))
    await shelf.chapters(chapter(1))
    base = f"/series/{SOURCE}:s1"
    (row,) = (await get(rig, f"{base}/chapters"))["items"]
    paths = [base, f"{base}/chapters", f"/chapters/{row['id']}"]
    tags = [(await rig.get(API + path)).headers["etag"] for path in paths]
    for path, tag in zip(paths, tags, strict=True):
        answer = await rig.get(API + path, headers={"If-None-Match": f'"other", {tag}'})
        assert (answer.status_code, answer.content) == (304, b"")
        head = await rig.client.head(API + path)
        assert (head.status_code, head.content, head.headers["etag"]) == (200, b"", tag)
    await shelf.chapters(chapter(2))
    for path, tag in zip(paths, tags, strict=True):
        answer = await rig.get(API + path, headers={"If-None-Match": tag})
        assert answer.status_code == 200, path
    assert (await get(rig, paths[2]))["next"]["slug"] == "c-2"
