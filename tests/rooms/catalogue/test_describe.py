"""What an operator says of a story: its age and its tags, seen and unseen."""

import asyncio

import pytest

from rensai.kit.errors import Invalid, NotFound
from rensai.rooms.catalogue.door import Description, StoryFacts, describe_story, facts_of
from rensai.rooms.catalogue.service import story_at
from tests.rooms.catalogue.incoming import (
    SOURCE,
    Shelf,
    stored_stories,
    story,
    story_ids,
    versions,
)

pytestmark = pytest.mark.anyio


async def describe(shelf: Shelf, said: Description) -> bool:
    story_id = (await story_ids(shelf))["s1"]
    async with shelf.database.transaction() as tx:
        return await describe_story(tx, story_id, said)


async def facts(shelf: Shelf) -> StoryFacts:
    (found,) = await facts_of(shelf.database.primary, [(await story_ids(shelf))["s1"]])
    return found


async def test_what_is_said_is_kept_and_what_is_not_said_stays(one_story: Shelf) -> None:
    before = await facts(one_story)
    said = Description(age_rating="teen", tags=["Slow Burn", "AU"], hidden_tags=["spoiler"])
    assert await describe(one_story, said)
    found = await facts(one_story)
    assert (found.age_rating, found.tags) == ("teen", ["Slow Burn", "AU"])
    assert found.hidden_tags == ["spoiler"]
    assert await describe(one_story, Description(tags=[]))
    assert await describe(one_story, Description(age_rating=None))
    found = await facts(one_story)
    assert (found.age_rating, found.tags, found.hidden_tags) == (None, [], ["spoiler"])
    assert found.cache_version == before.cache_version + 3
    assert await one_story.news() == [f"StoryChanged {found.id}"] * 3


async def test_the_same_again_is_no_change(one_story: Shelf) -> None:
    said = Description(age_rating="mature", tags=["a", "A", " a "], hidden_tags=["b"])
    await describe(one_story, said)
    await one_story.news()
    before = await versions(one_story)
    assert not await describe(one_story, said)
    assert not await describe(one_story, Description())
    assert await one_story.news() == []
    assert await versions(one_story) == before


async def test_a_description_moves_no_story_up_in_the_lists(one_story: Shelf) -> None:
    before = (await stored_stories(one_story.database.primary))["s1"]
    one_story.clock.advance(one_story.clock.now() - before.updated_at_source)
    await describe(one_story, Description(tags=["a"]))
    after = (await stored_stories(one_story.database.primary))["s1"]
    assert after.updated_at == before.updated_at


async def test_a_source_that_sends_a_story_again_leaves_what_an_operator_said(
    one_story: Shelf,
) -> None:
    await describe(one_story, Description(age_rating="teen", tags=["a"], hidden_tags=["b"]))
    await one_story.stories(story("s1", 5, title="Other", author_name="Somebody"))
    found = await facts(one_story)
    assert (found.age_rating, found.tags, found.hidden_tags) == ("teen", ["a"], ["b"])


@pytest.mark.parametrize(
    "said",
    [
        Description(age_rating="adult"),
        Description(age_rating=""),
        Description(tags=[f"t{number}" for number in range(101)]),
        Description(hidden_tags=["x" * 121]),
        Description(tags=["a\x00"]),
        Description(tags=["a\x07b"]),
        Description(hidden_tags=["\ud800"]),
        Description(hidden_tags=[""]),
    ],
    ids=lambda said: ascii(said)[:40],
)
async def test_what_cannot_be_said_of_a_story_is_refused(
    one_story: Shelf, said: Description
) -> None:
    with pytest.raises(Invalid):
        await describe(one_story, said)
    assert await one_story.news() == []


async def test_two_who_say_different_things_are_both_heard(one_story: Shelf) -> None:
    for number in range(10):
        await asyncio.gather(
            describe(one_story, Description(age_rating=("teen", "mature")[number % 2])),
            describe(one_story, Description(tags=[f"t{number}"])),
            describe(one_story, Description(hidden_tags=[f"h{number}"])),
        )
        found = await facts(one_story)
        assert (found.tags, found.hidden_tags) == ([f"t{number}"], [f"h{number}"])


async def test_a_story_that_is_not_there_cannot_be_described(one_story: Shelf) -> None:
    async with one_story.database.transaction() as tx:
        with pytest.raises(NotFound, match="no story 999999"):
            await describe_story(tx, 999_999, Description(tags=["a"]))
    await one_story.stories(story("s1", 1, deleted=True))
    with pytest.raises(NotFound):
        await describe(one_story, Description(tags=["a"]))


async def test_a_story_is_found_by_its_source_and_slug(one_story: Shelf) -> None:
    await one_story.stories(story("mine"), source="local")
    known = await story_ids(one_story)
    reads = one_story.database.primary
    assert await story_at(reads, f"{SOURCE}:s1") == known["s1"]
    assert await story_at(reads, "mine") == await story_at(reads, "local:mine") == known["mine"]
    await one_story.stories(story("s1", 1, deleted=True))
    for address in (f"{SOURCE}:s1", "s1", "", ":", "a:b:c", "a\x00:b", "\udc80", "x" * 10_000):
        with pytest.raises(NotFound, match="no story at"):
            await story_at(reads, address)
