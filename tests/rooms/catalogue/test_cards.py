"""What other rooms get of stories and chapters that they name."""

from decimal import Decimal

import msgspec
import pytest

from rensai.kit.db import Command, Query
from rensai.rooms.catalogue import door
from tests.rooms.catalogue.incoming import SOURCE, Shelf, chapter, story, story_ids

pytestmark = pytest.mark.anyio


class _Known(msgspec.Struct, frozen=True):
    id: int
    language: str


_CHAPTERS = Query("SELECT id, language FROM chapters ORDER BY id", _Known)
_HIDE = Command("UPDATE stories SET is_public = false WHERE source_story_id = 's2'")


@pytest.fixture
async def two(shelf: Shelf) -> Shelf:
    """Two stories, the second of which nobody may read, with chapters shown and hidden."""
    await shelf.stories(story("s1", status=1), story("s2", status=1), story("s3", status=0))
    await shelf.chapters(chapter(1), chapter(2.5), chapter(3, is_published=False))
    await shelf.chapters(chapter(1, story="s2"))
    async with shelf.database.transaction() as tx:
        await tx.run(_HIDE)
    return shelf


async def test_cards_leave_out_what_nobody_may_read(two: Shelf) -> None:
    reads, ids = two.database.primary, await story_ids(two)
    found = await door.story_cards(reads, [*ids.values(), 999])
    assert {one.title for one in found.values()} == {"S1"}
    known = await reads.all(_CHAPTERS)
    cards = await door.chapter_cards(reads, [one.id for one in known])
    assert {(one.story_title, one.chapter_no, one.title) for one in cards.values()} == {
        ("S1", 1.0, "Chapter 1"),
        ("S1", 2.5, "Chapter 2.5"),
    }
    assert {one.story_uid for one in cards.values()} == {found[ids["s1"]].uid}
    assert await door.story_cards(reads, []) == await door.chapter_cards(reads, []) == {}


async def test_stories_and_chapters_are_found_by_what_another_server_calls_them(
    two: Shelf,
) -> None:
    reads, ids = two.database.primary, await story_ids(two)
    addresses = [(SOURCE, name) for name in ("s1", "s2", "s3", "s4")]
    assert await door.find_stories(reads, addresses) == {(SOURCE, "s1"): ids["s1"]}
    known = await reads.all(_CHAPTERS)
    language = known[0].language
    here, elsewhere = (ids["s1"], Decimal("2.5"), language), (ids["s1"], Decimal(2), language)
    (second,) = (
        one.id
        for one in (await door.chapter_cards(reads, [k.id for k in known])).values()
        if one.chapter_no == 2.5
    )
    hidden = [(ids["s1"], Decimal(3), language), (ids["s2"], Decimal(1), language)]
    wrong_language = (ids["s1"], Decimal(1), "xx")
    places = [here, elsewhere, *hidden, wrong_language]
    assert await door.find_chapters(reads, places) == {here: second}
    assert await door.find_stories(reads, []) == await door.find_chapters(reads, []) == {}
