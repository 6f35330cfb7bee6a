"""What the names of files and folders say."""

from pathlib import Path

import pytest

from rensai.client import Kind
from rensai.client.folders import numbered, slug_of
from rensai.client.reading import read_items


@pytest.mark.parametrize(
    ("name", "number", "title"),
    [
        ("001", "001", ""),
        ("12 - The Ferry", "12", "The Ferry"),
        ("012.5 - The interlude", "012.5", "The interlude"),
        ("Chapter 7", "7", ""),
        ("Chapter 7: Seven Doors", "7", "Seven Doors"),
        ("Chương 3 - Tựa", "3", "Tựa"),
        ("第12章 起点", "12", "起点"),
        ("第3話【雨】", "3", "雨"),
        ("3화 벽 너머", "3", "벽 너머"),
        ("Prologue", None, "Prologue"),
        ("The 2nd Dawn", None, "The 2nd Dawn"),
        ("ch_10", "10", ""),
    ],
)
def test_the_name_of_a_file_says_number_and_title(
    name: str, number: str | None, title: str
) -> None:
    assert numbered(name) == (number, title)


@pytest.mark.parametrize(
    ("text", "slug"),
    [("Thần Đạo", "than-dao"), ("A  b!c", "a-b-c"), ("Straße", "strasse")],
)
def test_a_slug_is_plain(text: str, slug: str) -> None:
    assert slug_of(text) == slug


def test_names_in_other_scripts_have_slugs_of_their_own() -> None:
    slugs = {slug_of("青云"), slug_of("寒江"), slug_of("달빛"), slug_of("!!!")}
    assert len(slugs) == 4
    assert all(slug.isascii() and 1 <= len(slug) <= 191 for slug in slugs)


def test_files_are_read_as_people_count_and_one_without_a_number_follows(tmp_path: Path) -> None:
    story = tmp_path / "one"
    story.mkdir()
    (story / "story.json").write_text('{"title": "One", "source": "own"}')
    for name in ("2 - b.txt", "10 - d.txt", "9.txt", "zz epilogue.txt", ".hidden.txt", "x.png"):
        (story / name).write_text("text")
    found = list(read_items(tmp_path))
    assert [each.item.get("chapter_no") for each in found] == [None, 2, 9, 10, 11]
    assert [each.kind for each in found] == [Kind.STORIES, *[Kind.CHAPTERS] * 4]
    assert {each.source for each in found} == {"own"}
    assert found == list(read_items(story))


def test_two_files_with_one_number_are_told_apart_by_nobody(tmp_path: Path) -> None:
    (tmp_path / "story.json").write_text("{}")
    for name in ("1 - a.txt", "01 - b.txt"):
        (tmp_path / name).write_text("text")
    problems = [each.problem for each in read_items(tmp_path) if each.problem]
    assert problems == ["has the same number as 1 - a.txt"]


def test_a_folder_without_a_story_and_a_broken_card_are_named(tmp_path: Path) -> None:
    (nothing,) = read_items(tmp_path)
    assert nothing.problem is not None
    assert "no story.json or story.toml" in nothing.problem
    (tmp_path / "story.toml").write_text("title =")
    (broken,) = read_items(tmp_path)
    assert broken.place == str(tmp_path / "story.toml")
    assert (broken.problem or "").startswith("cannot be read")
