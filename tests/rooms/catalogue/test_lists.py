"""Lists of stories: what is in them, in which order, and that paging loses nothing."""

from datetime import timedelta

import pytest

from rensai.kit.db import Database
from rensai.kit.errors import InvalidFilter
from rensai.rooms.catalogue import service
from rensai.rooms.catalogue.model import Counts, ListedStory, Sort, SortKey
from tests.rooms.catalogue.stories import MORNING, add_story, fill

pytestmark = pytest.mark.anyio


async def slugs(database: Database, sort: Sort, source: str | None = None) -> list[str]:
    """The slugs of the first fifty stories."""
    stories = await service.list_stories(database.primary, sort=sort, source=source, limit=50)
    return [story.slug for story in stories]


async def test_only_public_stories_are_listed(database: Database) -> None:
    for status, slug in enumerate(("draft", "ongoing", "completed", "hiatus", "dropped")):
        await add_story(database, slug, status=status)
    await add_story(database, "deleted", deleted=True)
    for sort in Sort:
        assert set(await slugs(database, sort)) == {"ongoing", "completed"}
    assert await service.count_public(database.primary) == Counts(stories=2, chapters=0)


async def test_each_sort_has_its_order_and_ties_go_to_the_latest(database: Database) -> None:
    later = MORNING + timedelta(hours=1)
    await add_story(database, "a", popularity=5, created_at=MORNING, updated_at=later)
    await add_story(database, "b", popularity=9, published_at=later)
    await add_story(database, "c", popularity=5, published_at=MORNING - timedelta(days=1))
    assert await slugs(database, Sort.UPDATED) == ["a", "c", "b"]
    assert await slugs(database, Sort.POPULAR) == ["b", "c", "a"]
    # One that nobody dated counts from its arrival.
    assert await slugs(database, Sort.NEWEST) == ["b", "a", "c"]


async def test_one_source_can_be_listed(database: Database) -> None:
    await add_story(database, "here")
    await add_story(database, "here", source="elsewhere")
    stories = await service.list_stories(database.primary, source="elsewhere", limit=5)
    assert [(story.source, story.public_slug) for story in stories] == [
        ("elsewhere", "elsewhere:here")
    ]
    assert [s.public_slug for s in await service.list_stories(database.primary, limit=5)] == [
        "elsewhere:here",
        "here",
    ]


async def test_one_author_can_be_listed(database: Database) -> None:
    await add_story(database, "a", authors=["Ada", "Ben"])
    await add_story(database, "b", authors=["Ben", "Ada"])
    await add_story(database, "c", authors=["Ada"], source="elsewhere")
    for sort in Sort:
        found = await service.list_stories(database.primary, sort=sort, author="Ada", limit=5)
        assert {story.slug for story in found} == {"a", "c"}
    found = await service.list_stories(database.primary, author="Ada", source="local", limit=5)
    assert [story.slug for story in found] == ["a"]


async def test_a_list_can_begin_at_a_time(database: Database) -> None:
    for n in range(6):
        await add_story(database, f"s{n}", updated_at=MORNING + timedelta(minutes=n))
    since = MORNING + timedelta(minutes=2)
    first = await service.list_stories(database.primary, updated_after=since, limit=2)
    assert [story.slug for story in first] == ["s5", "s4", "s3"]
    after = first[1].key(Sort.UPDATED)
    rest = await service.list_stories(database.primary, updated_after=since, after=after, limit=2)
    assert [story.slug for story in rest] == ["s3"]
    for sort in (Sort.POPULAR, Sort.NEWEST):
        with pytest.raises(InvalidFilter):
            await service.list_stories(database.primary, sort=sort, updated_after=since, limit=2)


@pytest.mark.parametrize("source", [None, "truyen"])
@pytest.mark.parametrize("sort", Sort)
async def test_paging_gives_every_story_once_and_in_order(
    database: Database, sort: Sort, source: str | None
) -> None:
    await fill(database, 400)
    everything = await service.list_stories(database.primary, sort=sort, source=source, limit=1000)
    paged: list[ListedStory] = []
    after: SortKey | None = None
    while True:
        page = await service.list_stories(
            database.primary, sort=sort, source=source, after=after, limit=7
        )
        paged += page[:7]
        if len(page) <= 7:
            break
        after = page[6].key(sort)
    assert paged == everything
    assert [story.key(sort) for story in paged] == sorted(
        (story.key(sort) for story in paged), reverse=True
    )
    assert len(paged) > 100


async def test_a_story_that_is_updated_while_one_pages_shifts_nothing(database: Database) -> None:
    for n in range(6):
        await add_story(database, f"s{n}", updated_at=MORNING + timedelta(minutes=n))
    first = await service.list_stories(database.primary, limit=3)
    await add_story(database, "new", updated_at=MORNING + timedelta(hours=1))
    second = await service.list_stories(database.primary, after=first[2].key(Sort.UPDATED), limit=3)
    assert [story.slug for story in first[:3] + second] == ["s5", "s4", "s3", "s2", "s1", "s0"]
