"""Who follows a story, and that counts learn of it."""

import asyncio

import pytest

from rensai.kit.db import Database
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.shelf.door import followers_of
from tests.rooms.shelf.desk import API, NOVEL, Desk, Reader
from tests.rooms.shelf.rows import all_of, nothing_waits, recount_waits

pytestmark = pytest.mark.anyio

FOLLOWS = {"reading", "favorite", "completed", "on_hold"}
WORDS = ("reading", "favorite", "plan_to_read", "dropped", "completed", "on_hold")


async def test_a_count_is_asked_for_when_somebody_begins_or_ends_to_follow(
    desk: Desk, ada: Reader
) -> None:
    story = desk.stories["s1"]
    before: str | None = None
    for after in ("dropped", "plan_to_read", *WORDS, *reversed(WORDS), None):
        await nothing_waits(desk)
        if after is None:
            await ada.client.delete(f"{NOVEL}/me/bookmarks/{story.id}")
        else:
            body = {"seriesId": str(story.uid), "status": after}
            await ada.client.post(f"{API}/library", json=body)
        assert await followers_of(desk.rig.db.primary, [story.id]) == {
            story.id: int(after in FOLLOWS)
        }
        changed = (before in FOLLOWS) != (after in FOLLOWS)
        # A new bookmark may have been another a moment ago, so one count too many may be asked for.
        assert await recount_waits(desk, story) == changed or before is None
        before = after


async def test_followers_are_counted_for_each_story(desk: Desk, ada: Reader, ben: Reader) -> None:
    one, two, three = (desk.stories[name] for name in ("s1", "s2", "s3"))
    await ada.keep(one, 0)
    await ada.keep(two, 1)
    await ben.keep(two, 0)
    await ben.keep(three, 3)
    ids = [one.id, two.id, three.id]
    counts = dict(zip(ids, (1, 2, 0), strict=True))
    assert await followers_of(desk.rig.db.primary, ids) == counts
    assert await followers_of(desk.rig.db.primary, []) == {}


async def test_devices_that_keep_a_story_at_the_same_moment_make_one_bookmark(
    desk: Desk, ada: Reader
) -> None:
    for name in ("s1", "s2", "s3"):
        story = desk.stories[name]
        told = await asyncio.gather(*(ada.keep(story, number % 4) for number in range(12)))
        assert {one["story_id"] for one in told} == {story.id}
    rows = (await all_of(desk, ada)).bookmarks
    assert len(rows) == 3
    path = f"{NOVEL}/me/bookmarks/{desk.stories['s1'].id}"
    answers = await asyncio.gather(*(ada.client.delete(path) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [204, *[404] * 5]


async def test_counting_and_keeping_do_not_get_in_a_circle(
    desk: Desk, ada: Reader, ben: Reader, database: Database
) -> None:
    ids = sorted(story.id for story in desk.stories.values())

    async def count() -> None:
        for _ in range(15):
            for id_ in ids:
                async with database.transaction() as tx:
                    await catalogue.recount_story(tx, id_)
                    await followers_of(tx, ids)

    async def keep(reader: Reader) -> None:
        for turn in range(15):
            for name in ("s3", "s1", "s2") if reader is ada else ("s2", "s3", "s1"):
                await reader.keep(desk.stories[name], turn % 2 * 3)
                await reader.read(desk.chapters[f"{name} {turn % 4 + 1}"])

    await asyncio.gather(count(), keep(ada), keep(ben))
    assert len((await all_of(desk, ada)).bookmarks) == 3
