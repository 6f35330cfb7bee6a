"""The commands by which an operator sorts stories, as people and scripts type them."""

import json

import pytest

from rensai.rooms.catalogue.cli.stories import as_text
from rensai.rooms.catalogue.door import facts_of
from tests.rooms.catalogue.conftest import Run
from tests.rooms.catalogue.incoming import Shelf, story, story_ids

pytestmark = pytest.mark.anyio


async def test_a_taxonomy_is_defined_filled_given_and_removed(
    one_story: Shelf, command: Run
) -> None:
    made = await command("taxonomy", "define", "era", "--name", "Thời đại", "--single")
    assert (made.code, made.output) == (0, "Defined era.\n")
    again = await command("taxonomy", "define", "era", "--name", "Thời đại", "--single", "--json")
    assert json.loads(again.output) == {"slug": "era", "is_new": False}
    added = await command("term", "add", "era", "Nhà Đường", "--json")
    assert json.loads(added.output)["slug"] == "nha-duong"
    given = await command("story", "terms", "truyen:s1", "era", "Nhà Đường")
    assert given.output == "Noted for truyen:s1.\n"
    renamed = await command("term", "rename", "era", "nha-duong", "Đường triều")
    assert renamed.output == "Renamed nha-duong.\n"
    listed = await command("term", "list", "era")
    assert listed.output.splitlines()[1].split("  ") == ["nha-duong", "Đường triều", "1"]
    shown = json.loads((await command("story", "show", "truyen:s1", "--json")).output)
    assert shown["terms"] == [{"taxonomy": "era", "slug": "nha-duong", "name": "Đường triều"}]
    unasked = await command("taxonomy", "remove", "era")
    assert unasked.code == 1
    assert "Remove the taxonomy era" in unasked.errors
    removed = await command("taxonomy", "remove", "era", "--yes")
    assert removed.output == "Removed era; 1 story had it.\n"
    table = await command("taxonomy", "list")
    assert [line.split()[0] for line in table.output.splitlines()] == ["SLUG", "fandom", "warning"]


async def test_what_cannot_be_done_is_said_in_one_line(one_story: Shelf, command: Run) -> None:
    del one_story
    wrong: list[tuple[tuple[str | bytes, ...], str]] = [
        (("story", "show", "truyen:nothing"), "There is no story at 'truyen:nothing'."),
        (("story", "show", b"truyen:\xff\x07"), "There is no story at"),
        (("story", "terms", "truyen:s1", "fandom", "HP"), "The taxonomy fandom has no term 'HP'."),
        (("term", "list", "nothing"), "There is no taxonomy 'nothing'."),
        (("term", "remove", "fandom", "hp", "--yes"), "There is no term 'hp' in fandom."),
        (("taxonomy", "remove", "fandom", "--yes"), "Every instance has the taxonomy fandom"),
        (("policy", "set", "a b", "--closed"), "'a b' is no source"),
        (("story", "link", "truyen:s1"), "Name 2 to 100 different stories."),
    ]
    for arguments, sentence in wrong:
        told = await command(*arguments)
        assert told.code == 1, arguments
        assert told.errors.startswith("rensai: ")
        assert sentence in told.errors
        assert len(told.errors.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("story", "describe", "truyen:s1"),
        ("story", "describe", "truyen:s1", "--tag", "a", "--no-tags"),
        ("story", "describe", "truyen:s1", "--age", "adult"),
        ("story", "terms", "truyen:s1", "fandom"),
        ("policy", "set", "truyen"),
    ],
)
async def test_what_says_nothing_or_two_things_is_a_usage_error(
    command: Run, arguments: tuple[str, ...]
) -> None:
    told = await command(*arguments)
    assert told.code == 2
    assert "Error: " in told.errors


async def test_a_story_is_described_joined_and_parted(shelf: Shelf, command: Run) -> None:
    await shelf.stories(story("s1", status=1), story("s2", status=1))
    options = ("--age", "teen", "--tag", "a", "--tag", "b, c", "--hidden-tag", "d")
    assert (await command("story", "describe", "truyen:s1", *options)).code == 0
    again = await command("story", "describe", "truyen:s1", "--no-hidden-tags", "--json")
    assert json.loads(again.output) == {"story": "truyen:s1", "changed": True}
    linked = await command("story", "link", "truyen:s1", "truyen:s2", "--json")
    assert json.loads(linked.output)["changed"]
    known = await story_ids(shelf)
    (facts,) = await facts_of(shelf.database.primary, [known["s1"]])
    assert (facts.age_rating, facts.tags, facts.hidden_tags) == ("teen", ["a", "b, c"], [])
    assert facts.translation_count == 1
    shown = await command("story", "show", "truyen:s1")
    assert shown.output.strip() == as_text(facts)
    for expected in ("age           teen", "translations  1 more", "readable      by everybody"):
        assert expected in shown.output
    parted = await command("story", "unlink", "truyen:s2")
    assert parted.output == "Noted for truyen:s2.\n"
    assert (await command("story", "unlink", "truyen:s2")).output.startswith("It was so already")


async def test_a_source_is_closed_and_its_policy_forgotten(shelf: Shelf, command: Run) -> None:
    await shelf.stories(story("s1", status=1), story("s2", status=1))
    closed = await command("policy", "set", "truyen", "--closed", "--rights", "None known.")
    assert closed.output == ("Noted for truyen; 2 of its stories were opened or closed by that.\n")
    (listed,) = json.loads((await command("policy", "list", "--json")).output)
    assert (listed["is_public"], listed["stories"], listed["unlike"]) == (False, 2, 0)
    table = await command("policy", "list")
    assert "truyen  closed" in table.output
    assert table.output.rstrip().endswith("None known.")
    cleared = json.loads((await command("policy", "clear", "truyen", "--json")).output)
    assert cleared == {"source": "truyen", "stories": 2}
