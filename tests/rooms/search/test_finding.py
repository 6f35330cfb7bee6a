"""What readers type finds what they mean, and the best comes first."""

from typing import Any

import pytest

from tests.rooms.catalogue.incoming import story
from tests.rooms.search.library import SUGGEST, Library

pytestmark = pytest.mark.anyio


@pytest.fixture
async def shelf(library: Library) -> Library:
    """A dozen stories that can be told apart by how they are found."""
    open_: dict[str, Any] = {"status": 1}
    await library.add(
        story("whole", title="Thần Đạo", **open_),
        story("begins", title="Thần Đạo Đan Tôn", **open_),
        story("row", title="Vạn Cổ Thần Đạo", **open_),
        story("scattered", title="Đạo Của Thần", **open_),
        story("mixed", title="Thần Khúc", author_name="Lý Đạo", **open_),
        story("summary", title="Khác", summary="Kể về <b>thần</b> và đạo.", **open_),
        story("similar", title="Thanh Dao", **open_),
        story("alias", title="Battle", aliases=["Đấu Phá Thương Khung"], **open_),
        story("original", title="Way", title_original="斗破苍穹之大主宰", **open_),
        story("author", title="Tinh", author_name="Ngã Cật Tây Hồng Thị", **open_),
        story("kana", title="ソードアート・オンライン", **open_),
        story("hangul", title="나 혼자만 레벨업", **open_),
        story("html", title="<script>alert('Ruby')</script>", **open_),
    )
    return library


async def test_accents_may_be_left_out_and_the_best_comes_first(shelf: Library) -> None:
    for text in ("than dao", "Thần Đạo", "THẦN ĐẠO", "thần dao"):
        found = await shelf.find(text)
        assert found == ["whole", "begins", "row", "scattered", "mixed", "summary"], text


async def test_what_is_like_a_text_comes_last_and_only_when_little_is_found(
    shelf: Library,
) -> None:
    found = await shelf.find("thanh dao")
    assert found[0] == "similar"
    assert found[1] == "whole"
    assert set(found) == {"similar", "whole", "begins", "row", "scattered", "mixed"}
    found = await shelf.ask("dau pha thuong khug")
    assert [item["slug"] for item in found["items"]] == ["truyen:alias"]
    assert found["corrected"] == "dau pha thuong khung"
    assert found["items"][0]["highlights"] == {
        "alias": "<mark>Đấu</mark> <mark>Phá</mark> <mark>Thương</mark> <mark>Khung</mark>"
    }
    for text, corrected in (
        ("thuong khung", None),
        ("dan pha thuong khung", "dau pha thuong khung"),
        ("rubi alert", "ruby alert"),
        ("author:hồnng", "hong"),
        ("ruby xyzwv khug", None),
    ):
        assert (await shelf.ask(text))["corrected"] == corrected, text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dau pha", ["alias"]),
        ("Đấu Phá Thương Khung", ["alias"]),
        ("tay hong thi", ["author"]),
        ("author:cật", ["author"]),
        ('author:"ngã cật"', ["author"]),
        ("author:tinh", []),
        ("title:cật", []),
        ("tinh cật", ["author"]),
        ("斗破", ["original"]),
        ("破苍", ["original"]),
        ("苍穹之大", ["original"]),
        ("宰", ["original"]),
        ("斗穹", []),
        ("そーど", ["kana"]),
        ("ｿｰﾄﾞ", ["kana"]),
        ("オンライン ソード", ["kana"]),
        ("혼자", ["hangul"]),
        ("레벨업 나", ["hangul"]),
        ("ruby", ["html"]),
    ],
)
async def test_every_name_of_a_story_finds_it(
    shelf: Library, text: str, expected: list[str]
) -> None:
    assert await shelf.find(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"thần đạo"', {"whole", "begins", "row"}),
        ('"thần đạo', {"whole", "begins", "row"}),
        ('"thần" "đạo"', {"whole", "begins", "row", "scattered", "mixed", "summary"}),
        ("thần đạo -đan", {"whole", "row", "scattered", "mixed", "summary"}),
        ('thần đạo -"thần đạo"', {"scattered", "mixed", "summary"}),
        ("thần đạo -title:thần", {"summary"}),
        ("thần đạo -author:lý -summary", {"whole", "begins", "row", "scattered", "summary"}),
        ("khúc OR khung", {"mixed", "alias"}),
        ("khúc | khung | ruby", {"mixed", "alias", "html"}),
        ("thần OR OR khung đạo", {"whole", "begins", "row", "scattered", "mixed", "summary"}),
        ("khung OR thần-khúc", {"alias", "mixed"}),
        ("title:khung OR author:đạo", {"alias", "mixed"}),
        ("!!!", set[str]()),
        ("& | ! <-> :* ' \\", set[str]()),
        ("'khung' <-> 'x':* & |", set[str]()),
    ],
)
async def test_quotes_minus_or_and_fields_do_what_they_say(
    shelf: Library, text: str, expected: set[str]
) -> None:
    assert set(await shelf.find(text)) == expected


async def test_only_what_must_not_be_there_leaves_everything_else(shelf: Library) -> None:
    assert len(await shelf.find("-thần")) == 13 - 6
    assert await shelf.find("-khung khung") == []


async def test_matches_are_marked_and_nothing_else_is_html(shelf: Library) -> None:
    (item,) = (await shelf.ask("ruby"))["items"]
    assert item["title"] == "<script>alert('Ruby')</script>"
    assert item["highlights"] == {
        "title": "&lt;script&gt;alert(&#x27;<mark>Ruby</mark>&#x27;)&lt;/script&gt;"
    }
    found = await shelf.ask("thần đạo kể")
    told = {item["slug"].partition(":")[2]: item["highlights"] for item in found["items"]}
    assert "<b>" not in str(told)
    assert told["summary"]["summary"].startswith("<mark>Kể</mark> về ")
    (item,) = (await shelf.ask("苍穹"))["items"]
    assert item["highlights"] == {"title_original": "斗破<mark>苍穹</mark>之大主宰"}
    (item,) = (await shelf.ask("author:lý"))["items"]
    assert item["highlights"] == {"author": "<mark>Lý</mark> Đạo"}


async def test_hidden_tags_find_and_are_never_shown(shelf: Library) -> None:
    await shelf.describe("whole", tags=["Slow Burn"], hidden_tags=["Qzxsecret", "Other Thing"])
    await shelf.settle()
    for text in ("qzxsecret", "tag:qzxsecret", "other", "thần qzxsecret"):
        found = await shelf.ask(text)
        assert [item["slug"] for item in found["items"]] == ["truyen:whole"], text
        assert "qzx" not in str(found).lower(), text
        assert [one["value"] for one in found["facets"]["tag"]["values"]] == ["slow burn"]
    assert "qzx" not in str(await shelf.ask(counts="true", values="200")).lower()
    assert await shelf.find(tag="qzxsecret") == []
    for text in ("qzx", "other", "slow"):
        told = await shelf.ask(text, SUGGEST)
        assert "qzx" not in str(told).lower()
    assert await shelf.find("tag:slow") == await shelf.find(tag="slow burn") == ["whole"]


async def test_a_misspelt_word_finds_what_was_meant(shelf: Library) -> None:
    for text, expected in (
        ("rubi", "html"),
        ("rbuy", "html"),
        ("batle", "alias"),
        ("thuogn khung", "alias"),
        ("hồnng thị", "author"),
        ("author:hồnng", "author"),
        ("title:rubi", "html"),
    ):
        assert await shelf.find(text) == [expected], text
    for text in ("xyzw", "qzxsecrt", '"thuogn khung"', "author:rubi", "title:hồnng"):
        assert await shelf.find(text) == [], text


async def test_suggestions_complete_what_is_typed(shelf: Library) -> None:
    told = (await shelf.ask("thầ", SUGGEST))["items"]
    assert {one["slug"] for one in told if one["kind"] == "series"} >= {
        f"truyen:{name}" for name in ("whole", "begins", "row", "scattered", "mixed")
    }
    told = (await shelf.ask("thần đ", SUGGEST))["items"]
    assert {one["text"] for one in told[:2]} == {"Thần Đạo", "Thần Đạo Đan Tôn"}
    assert told[0]["highlighted"].startswith("<mark>Thần</mark> <mark>Đ</mark>ạo")
    (author,) = (await shelf.ask("tây h", SUGGEST))["items"]
    assert author == {
        "kind": "author",
        "text": "Ngã Cật Tây Hồng Thị",
        "slug": "ngã cật tây hồng thị",
        "highlighted": "Ngã Cật <mark>Tây</mark> <mark>H</mark>ồng Thị",
    }
    assert await shelf.find(author=author["slug"]) == ["author"]
    begun = {"斗": "original", "斗破": "original", "ソー": "kana", "나 혼": "hangul"}
    for text, slug in begun.items():
        (one,) = (await shelf.ask(text, SUGGEST))["items"]
        assert one["slug"] == f"truyen:{slug}"
    (one,) = (await shelf.ask("alert ruby", SUGGEST))["items"]
    assert "<script>" not in one["highlighted"]


@pytest.mark.parametrize("text", ["", " ", "!!!", "xyzw", "-thần", "'"])
async def test_nothing_is_suggested_for_what_begins_nothing(shelf: Library, text: str) -> None:
    assert await shelf.ask(text, SUGGEST) == {"items": []}


@pytest.mark.parametrize("limit", [1, 2, 3, 20])
async def test_no_more_is_suggested_than_was_asked_for(shelf: Library, limit: int) -> None:
    told = (await shelf.ask("t", SUGGEST, limit=str(limit)))["items"]
    assert len(told) == min(limit, 8) or limit == 20
    assert len({(one["kind"], one["slug"]) for one in told}) == len(told)


async def test_the_card_of_a_story_says_all_about_it(library: Library) -> None:
    await library.add(
        story(
            *("s1", 3),
            title="Thần Đạo",
            title_original="神道",
            author_name="Ann, Bob",
            aliases=["Way"],
            genres=["Tiên Hiệp"],
            summary="Of gods.",
            status=2,
            language="vi",
            cover_url="https://example.com/c.jpg",
        ),
        story("s2", status=1, language="en"),
    )
    await library.describe("s1", age_rating="teen", tags=["slow"])
    await library.settle()
    (item,) = (await library.ask("thần"))["items"]
    assert {key: item[key] for key in item if key not in {"id", "createdAt", "updatedAt"}} == {
        "slug": "truyen:s1",
        "title": "Thần Đạo",
        "originalTitle": "神道",
        "alternativeTitles": ["Way"],
        "contentType": "novel",
        "status": "completed",
        "source": "truyen",
        "language": "vi",
        "originalLanguage": None,
        "authors": item["authors"],
        "artists": [],
        "genres": [{"slug": "tien-hiep", "name": "Tiên Hiệp"}],
        "tags": ["slow"],
        "age": "teen",
        "isNsfw": False,
        "warnings": [],
        "description": "Of gods.",
        "coverUrl": "https://example.com/c.jpg",
        "chapterCount": 0,
        "wordCount": 0,
        "lastChapter": None,
        "viewCount": 0,
        "followerCount": 0,
        "rating": None,
        "ratingCount": 0,
        "translationGroup": None,
        "translationCount": 0,
        "highlights": {"title": "<mark>Thần</mark> Đạo"},
    }
