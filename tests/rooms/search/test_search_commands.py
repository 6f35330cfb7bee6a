"""The commands of the search index, as people and scripts type them."""

import json

import pytest
from click.testing import CliRunner

from rensai.kit.db import Command
from rensai.wiring.cli import rensai
from tests.rooms.catalogue.conftest import Run, Told
from tests.rooms.catalogue.incoming import story
from tests.rooms.search.building import state_of
from tests.rooms.search.library import Library

pytestmark = pytest.mark.anyio

_BUSY = Command("UPDATE search_state SET builder = 'somebody', builder_seen_at = now()")
_SPOIL = Command("UPDATE search_a.search_index SET title = 'Other' WHERE story_id = $1")


@pytest.fixture
async def shelf(library: Library) -> Library:
    await library.add(
        story("s1", title="Thần Đạo", status=1, author_name="Ann"),
        story("s2", title="Thần Đạo Đan Tôn", status=1),
        story("s3", title="Khác", status=1, summary="Of than."),
    )
    return library


def said(told: Told) -> tuple[int, list[str]]:
    """What a command answered after it was done."""
    lines = told.output.splitlines()
    return told.code, [line for line in lines if " done in " not in line]


async def test_the_index_is_rebuilt_and_says_how_fast(shelf: Library, command: Run) -> None:
    before = await state_of(shelf)
    told = await command("search", "rebuild")
    assert told.code == 0, told.errors
    assert told.output.splitlines()[-1].startswith("Indexed 3 stories in ")
    assert len((await command("search", "rebuild", "--quiet")).output.splitlines()) == 1
    again = await command("search", "rebuild", "--json", "--from-start")
    assert json.loads(again.output)["stories"] == 3
    after = await state_of(shelf)
    assert (after.live != before.live, after.generation) == (True, before.generation + 3)
    assert (after.builder, after.building) == (None, None)


async def test_who_finds_another_builder_at_work_says_so(shelf: Library, command: Run) -> None:
    async with shelf.db.transaction() as tx:
        await tx.run(_BUSY)
    told = await command("search", "rebuild")
    assert told.code == 1
    assert len(told.errors.splitlines()) == 1
    assert "being built by somebody else" in told.errors


async def test_what_differs_is_listed_and_mended(shelf: Library, command: Run) -> None:
    told = await command("search", "verify")
    assert said(told) == (0, ["The index is as a rebuild would make it."])
    id_ = await shelf.id_of("s2")
    async with shelf.db.transaction() as tx:
        await tx.run(_SPOIL, id_)
    told = await command("search", "verify")
    assert said(told) == (1, [f"story {id_}: card", "1 differ."])
    as_json = await command("search", "verify", "--json")
    assert as_json.code == 1
    assert json.loads(as_json.output) == [{"story_id": id_, "parts": ["card"]}]
    mended = await command("search", "verify", "--repair")
    assert said(mended) == (0, [f"story {id_}: card", "1 were mended."])
    clean = await command("search", "verify", "--json")
    assert (clean.code, json.loads(clean.output)) == (0, [])


async def test_a_text_is_explained(shelf: Library, command: Run) -> None:
    told = await command("search", "explain", 'thần đạo -"đan tôn" OR author:ann')
    assert told.code == 0, told.errors
    lines = told.output.splitlines()
    assert lines[0] == "Understood as:"
    assert 'not "dan ton"' in told.output
    assert "ann in author" in told.output
    as_json = json.loads((await command("search", "explain", "--json", "than dao")).output)
    assert as_json["understood"] == ["than", "dao"]
    assert [hit["tier"] for hit in as_json["first"]][:2] == ["WHOLE", "BEGINS"]
    assert (as_json["total"], as_json["indexed"]) == (2, 3)
    misspelt = json.loads((await command("search", "explain", "--json", "khacc")).output)
    assert misspelt["corrected"] == "khac"
    nothing = await command("search", "explain", "")
    assert (nothing.code, "nothing" in nothing.output) == (0, True)


@pytest.mark.parametrize("text", ["x" * 301, "a " * 25])
async def test_what_cannot_be_explained_is_refused_in_one_line(command: Run, text: str) -> None:
    told = await command("search", "explain", text)
    assert told.code == 1
    assert len(told.errors.splitlines()) == 1
    assert told.errors.startswith("rensai: ")


def test_each_command_explains_itself() -> None:
    for name in ("rebuild", "verify", "explain"):
        done = CliRunner().invoke(rensai, ["search", name, "--help"])
        assert done.exit_code == 0
        assert "Example" in done.output
