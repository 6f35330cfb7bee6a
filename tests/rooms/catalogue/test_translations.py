"""Stories that tell the same in other languages: joined, merged, and parted again."""

import asyncio
from itertools import combinations

import pytest

from rensai.kit.errors import Invalid, NotFound
from rensai.rooms.catalogue.door import facts_of, link_translations, unlink_translation
from tests.rooms.catalogue.incoming import Shelf, story, story_ids, versions

pytestmark = pytest.mark.anyio

NAMES = ("a", "b", "c", "d", "e")


@pytest.fixture
async def five(shelf: Shelf) -> Shelf:
    """A catalogue with five stories that have nothing to do with one another yet."""
    await shelf.stories(*(story(name, status=1) for name in NAMES))
    await shelf.news()
    return shelf


async def link(shelf: Shelf, *names: str) -> bool:
    known = await story_ids(shelf)
    async with shelf.database.transaction() as tx:
        return await link_translations(tx, [known.get(name, 999_999) for name in names])


async def unlink(shelf: Shelf, name: str) -> bool:
    known = await story_ids(shelf)
    async with shelf.database.transaction() as tx:
        return await unlink_translation(tx, known.get(name, 999_999))


async def groups(shelf: Shelf) -> set[str]:
    """Who is with whom, as `ab`; the counts must say the same."""
    found = await facts_of(shelf.database.primary, list((await story_ids(shelf)).values()))
    together: dict[object, str] = {}
    for one in found:
        if one.translation_group is None:
            assert one.translation_count == 0
        else:
            so_far = together.get(one.translation_group, "")
            together[one.translation_group] = so_far + one.source_story_id
    for one in found:
        if one.translation_group is not None and one.is_visible:
            assert one.translation_count == len(together[one.translation_group]) - 1
    return set(together.values())


async def told(shelf: Shelf) -> str:
    """Which stories have changed, as `ab`."""
    names = {f"StoryChanged {id_}": name for name, id_ in (await story_ids(shelf)).items()}
    return "".join(sorted(names[one] for one in await shelf.news()))


async def test_stories_are_joined_and_their_groups_become_one(five: Shelf) -> None:
    assert await link(five, "a", "b")
    assert await told(five) == "ab"
    assert await link(five, "c", "d")
    assert await groups(five) == {"ab", "cd"}
    await five.news()
    assert await link(five, "b", "c", "e")
    assert await groups(five) == {"abcde"}
    assert await told(five) == "abcde"


async def test_the_same_again_is_no_change(five: Shelf) -> None:
    await link(five, "a", "b", "c")
    await five.news()
    before = await versions(five)
    assert not await link(five, "c", "a")
    assert not await unlink(five, "d")
    assert await told(five) == ""
    assert await versions(five) == before


async def test_each_of_a_group_is_told_when_one_comes_or_goes(five: Shelf) -> None:
    await link(five, "a", "b")
    before = await versions(five)
    await five.news()
    await link(five, "c", "a")
    assert await told(five) == "abc"
    assert await unlink(five, "a")
    assert await told(five) == "abc"
    assert await groups(five) == {"bc"}
    assert await versions(five) == before | {name: before[name] + 2 for name in "abc"}


async def test_a_group_of_one_is_none(five: Shelf) -> None:
    await link(five, "a", "b")
    await five.news()
    assert await unlink(five, "b")
    assert await groups(five) == set()
    assert await told(five) == "ab"


async def test_what_cannot_be_joined_is_refused(five: Shelf) -> None:
    for names in (["a"], ["a", "a"], []):
        with pytest.raises(Invalid, match="Name 2 to 100"):
            await link(five, *names)
    with pytest.raises(NotFound, match="no story 999999"):
        await link(five, "a", "nobody")
    with pytest.raises(NotFound):
        await unlink(five, "nobody")
    await five.stories(story("b", 1, deleted=True))
    with pytest.raises(NotFound):
        await link(five, "a", "b")
    assert await groups(five) == set()


async def test_a_group_does_not_grow_without_end(shelf: Shelf) -> None:
    names = [f"s{number}" for number in range(101)]
    await shelf.stories(*(story(name) for name in names))
    await link(shelf, *names[:100])
    with pytest.raises(Invalid, match="101 translations"):
        await link(shelf, "s0", "s100")
    with pytest.raises(Invalid):
        await link(shelf, *names)


async def test_one_that_appears_or_disappears_is_news_for_the_others(five: Shelf) -> None:
    await link(five, "a", "b", "c")
    await five.news()
    await five.stories(story("a", 1, title="Other", status=1))
    assert await told(five) == "a"
    await five.stories(story("a", 2, status=0))
    assert await told(five) == "abc"
    await five.stories(story("a", 3, status=2))
    assert await told(five) == "abc"
    await five.stories(story("a", 4, deleted=True))
    assert await five.news() == sorted(
        f"{'StoryDeleted' if name == 'a' else 'StoryChanged'} {id_}"
        for name, id_ in (await story_ids(five)).items()
        if name in "abc"
    )
    facts = await facts_of(five.database.primary, list((await story_ids(five)).values()))
    assert [one.translation_count for one in facts] == [2, 1, 1, 0, 0]
    await five.stories(story("a", 5, status=2))
    assert await told(five) == "abc"


async def test_many_who_join_and_part_at_once_leave_whole_groups(five: Shelf) -> None:
    for _ in range(3):
        await asyncio.gather(
            *(link(five, *pair) for pair in combinations(NAMES, 2)),
            *(unlink(five, name) for name in NAMES),
        )
        for group in await groups(five):
            assert len(group) > 1
        await link(five, *NAMES)
        assert await groups(five) == {"abcde"}


async def test_of_three_two_can_leave_at_once_and_none_is_left_alone(five: Shelf) -> None:
    for _ in range(10):
        await link(five, "a", "b", "c")
        await asyncio.gather(unlink(five, "a"), unlink(five, "b"))
        assert await groups(five) == set()
