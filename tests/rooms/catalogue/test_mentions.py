"""The names of stories and chapters for rooms whose rows are about them, hidden or not."""

import pytest

from rensai.kit.db import Query
from rensai.rooms.catalogue import door
from rensai.rooms.catalogue.store import mentions
from tests.plans import assert_served_by_index
from tests.rooms.catalogue.incoming import Shelf, chapter, story, story_ids
from tests.rooms.catalogue.stories import fill

pytestmark = pytest.mark.anyio

_CHAPTERS = Query("SELECT id FROM chapters ORDER BY id", int)


async def test_a_mention_says_whether_everybody_may_read(shelf: Shelf) -> None:
    await shelf.stories(
        story("s1", status=1), story("draft", status=0), story("gone", status=1), source="local"
    )
    await shelf.chapters(
        chapter(1), chapter(2.5, is_published=False), chapter(1, story="gone"), source="local"
    )
    await shelf.stories(story("gone", 5, deleted=True), source="local")
    reads, ids = shelf.database.primary, await story_ids(shelf)
    stories = await door.mention_stories(reads, [*ids.values(), 999_999])
    told = {one.slug: (one.public_slug, one.title, one.is_visible) for one in stories.values()}
    assert told == {
        "s1": ("s1", "S1", True),
        "draft": ("draft", "Draft", False),
        "gone": ("gone", "Gone", False),
    }
    chapters = await door.mention_chapters(reads, await reads.all(_CHAPTERS))
    assert [
        (stories[one.story_id].slug, float(one.number), one.slug, one.is_visible)
        for one in chapters.values()
    ] == [("s1", 1.0, "c-1", True), ("s1", 2.5, "c-2-5", False), ("gone", 1.0, "c-1", False)]
    assert await door.mention_stories(reads, []) == await door.mention_chapters(reads, []) == {}


async def test_mentions_touch_only_what_was_asked_for(shelf: Shelf) -> None:
    await fill(shelf.database, 5_000)
    async with shelf.database.transaction() as tx:
        stories = mentions._STORIES  # pyright: ignore[reportPrivateUsage] - to see its plan
        await assert_served_by_index(tx, stories, list(range(1, 40)), at_most=50)
