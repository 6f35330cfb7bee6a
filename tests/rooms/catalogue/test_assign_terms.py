"""The terms of a story: the full set of one taxonomy each time, all of it or nothing."""

import asyncio
from collections.abc import Sequence

import pytest

from rensai.kit.errors import Invalid, NotFound
from rensai.rooms.catalogue.door import (
    assign_terms,
    define_taxonomy,
    facts_of,
    list_terms,
)
from tests.rooms.catalogue.incoming import Shelf, story, story_ids, versions

pytestmark = pytest.mark.anyio


async def assign(
    shelf: Shelf,
    *terms: str,
    to: str = "s1",
    taxonomy: str = "fandom",
    create: bool = True,
) -> bool:
    story_id = (await story_ids(shelf)).get(to, 999_999)
    async with shelf.database.transaction() as tx:
        return await assign_terms(tx, shelf.clock, story_id, taxonomy, terms, create=create)


async def terms_of(shelf: Shelf, name: str = "s1") -> list[str]:
    (facts,) = await facts_of(shelf.database.primary, [(await story_ids(shelf))[name]])
    return [f"{term.taxonomy}:{term.slug}" for term in facts.terms]


async def test_a_story_gets_exactly_the_terms_that_are_named(one_story: Shelf) -> None:
    assert await assign(one_story, "Harry Potter", "Naruto")
    assert await assign(one_story, "Gore", taxonomy="warning")
    assert await assign(one_story, "Naruto", "Bleach")
    assert await terms_of(one_story) == ["fandom:bleach", "fandom:naruto", "warning:gore"]
    assert await assign(one_story)
    assert await terms_of(one_story) == ["warning:gore"]


async def test_each_change_is_told_and_counted_and_the_same_again_is_not(
    one_story: Shelf,
) -> None:
    before = (await versions(one_story))["s1"]
    (story_id,) = (await story_ids(one_story)).values()
    assert await assign(one_story, "A", "B")
    assert await one_story.news() == [f"StoryChanged {story_id}", "TaxonomyChanged fandom"]
    assert not await assign(one_story, "B", "A")
    assert not await assign(one_story, "a", "B", "b")
    assert await one_story.news() == []
    assert (await versions(one_story))["s1"] == before + 1
    assert await assign(one_story, "A")
    assert await one_story.news() == [f"StoryChanged {story_id}"]


async def test_a_term_is_found_by_its_slug_or_its_name_in_any_spelling(one_story: Shelf) -> None:
    await assign(one_story, "Thần Đạo")
    for spelling in ("than-dao", "Thần Đạo", "THẦN ĐẠO", "Than Dao", " Thần  Đạo "):
        assert not await assign(one_story, spelling, create=False)
    assert len(await list_terms(one_story.database.primary, "fandom")) == 1


async def test_names_in_other_scripts_are_terms_of_their_own(one_story: Shelf) -> None:
    await assign(one_story, "火影忍者", "ナルト", "나루토", "!!!", "???")
    assert len(set(await terms_of(one_story))) == 5


async def test_a_term_that_is_not_there_is_made_only_when_asked_for(one_story: Shelf) -> None:
    await assign(one_story, "A")
    await one_story.news()
    with pytest.raises(Invalid, match=r"fandom has no term 'B', 'C', 'D' and 1 more\."):
        await assign(one_story, "A", "B", "C", "D", "E", create=False)
    assert await terms_of(one_story) == ["fandom:a"]
    assert await one_story.news() == []
    with pytest.raises(NotFound, match="no taxonomy 'nothing'"):
        await assign(one_story, "A", taxonomy="nothing")


async def test_one_term_is_all_that_a_single_select_takes(one_story: Shelf) -> None:
    async with one_story.database.transaction() as tx:
        await define_taxonomy(tx, one_story.clock, "era", name="Era", is_multiple=False)
    for create in (True, False):
        with pytest.raises(Invalid, match="one term of era at most"):
            await assign(one_story, "Tang", "Song", taxonomy="era", create=create)
    assert await list_terms(one_story.database.primary, "era") == []
    assert await assign(one_story, "Tang", "tang", taxonomy="era")
    assert await assign(one_story, "Song", taxonomy="era")
    assert await terms_of(one_story) == ["era:song"]


HOSTILE: list[Sequence[str]] = [
    [f"term {number}" for number in range(10_000)],
    [""],
    ["x" * 121],
    ["a\x00b"],
    ["a\nb"],
    ["a\u2028b"],
    ["a\u202eb"],
    ["a\udcffb"],
]


@pytest.mark.parametrize("terms", HOSTILE, ids=lambda terms: ascii(terms[0])[:20])
async def test_what_no_term_can_be_called_changes_nothing(
    one_story: Shelf, terms: Sequence[str]
) -> None:
    with pytest.raises(Invalid, match=r"characters|at most 100 terms, not 10,000"):
        await assign(one_story, *terms)
    assert await list_terms(one_story.database.primary, "fandom") == []
    assert await one_story.news() == []


async def test_a_story_that_is_not_there_gets_nothing(one_story: Shelf) -> None:
    with pytest.raises(NotFound, match="no story 999999"):
        await assign(one_story, "A", to="nobody")
    await one_story.stories(story("s1", 1, deleted=True))
    await one_story.news()
    with pytest.raises(NotFound):
        await assign(one_story, "A")
    assert await list_terms(one_story.database.primary, "fandom") == []
    assert await one_story.news() == []


async def test_a_story_that_comes_back_has_its_terms(one_story: Shelf) -> None:
    await assign(one_story, "A")
    await one_story.stories(story("s1", 1, deleted=True))
    await one_story.stories(story("s1", 2))
    assert await terms_of(one_story) == ["fandom:a"]


async def test_of_many_at_once_one_wins_whole_and_each_term_is_made_once(shelf: Shelf) -> None:
    names = ["s1", "s2", "s3"]
    await shelf.stories(*(story(name) for name in names))
    sets = [[f"T{number}", f"T{number + 1}", f"T{number + 2}"] for number in range(8)]
    rounds = [
        assign(shelf, *(reversed(terms) if number % 2 else terms), to=names[number % 3])
        for number, terms in enumerate(sets)
    ]
    await asyncio.gather(*rounds)
    for index, name in enumerate(names):
        mine = [sorted(f"fandom:{term.lower()}" for term in terms) for terms in sets[index::3]]
        assert await terms_of(shelf, name) in mine
    assert len(await list_terms(shelf.database.primary, "fandom")) == 10
    told = await shelf.news()
    assert len([one for one in told if one.startswith("Story")]) == 3 + 8
