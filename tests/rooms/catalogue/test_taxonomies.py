"""Taxonomies and their terms: defined, renamed and removed, and the stories hear of it."""

import asyncio

import pytest

from rensai.kit.db import Command, Contended, Database, Query, Tx
from rensai.kit.errors import Conflict, Invalid, NotFound
from rensai.rooms.catalogue.door import (
    Taxonomy,
    Term,
    TermInUse,
    add_term,
    assign_terms,
    define_taxonomy,
    facts_of,
    list_taxonomies,
    list_terms,
    remove_taxonomy,
    remove_term,
    rename_taxonomy,
    rename_term,
    story_ids_of_taxonomy,
)
from rensai.rooms.catalogue.service import steps
from tests.rooms.catalogue.incoming import Shelf, story, story_ids, versions

pytestmark = pytest.mark.anyio

_GIVE_ALL = Command(
    """
    INSERT INTO story_terms (story_id, term_id)
    SELECT stories.id, terms.id FROM stories CROSS JOIN terms ON CONFLICT DO NOTHING
    """
)
_TOUCH = Command("UPDATE stories SET view_count = view_count + 1 WHERE id = $1")
_HAVING = Query("SELECT count(*) AS having FROM story_terms", int)


async def define(shelf: Shelf, slug: str, *, is_multiple: bool = True) -> bool:
    async with shelf.database.transaction() as tx:
        return await define_taxonomy(
            tx, shelf.clock, slug, name=slug.title(), is_multiple=is_multiple
        )


async def add(shelf: Shelf, taxonomy: str, name: str, slug: str | None = None) -> bool:
    async with shelf.database.transaction() as tx:
        _, is_new = await add_term(tx, shelf.clock, taxonomy, name, slug=slug)
        return is_new


async def give(shelf: Shelf, name: str, taxonomy: str, *terms: str) -> bool:
    story_id = (await story_ids(shelf))[name]
    async with shelf.database.transaction() as tx:
        return await assign_terms(tx, shelf.clock, story_id, taxonomy, terms, create=True)


async def terms(shelf: Shelf, taxonomy: str) -> list[TermInUse]:
    return await list_terms(shelf.database.primary, taxonomy)


async def test_fandoms_and_warnings_are_there_and_others_can_be_defined(shelf: Shelf) -> None:
    assert await define(shelf, "pairing", is_multiple=False)
    assert await shelf.news() == ["TaxonomyChanged pairing"]
    assert await list_taxonomies(shelf.database.primary) == [
        Taxonomy("fandom", "Fandom", is_multiple=True, is_builtin=True),
        Taxonomy("warning", "Warning", is_multiple=True, is_builtin=True),
        Taxonomy("pairing", "Pairing", is_multiple=False, is_builtin=False),
    ]


async def test_the_same_definition_again_is_no_news_and_another_one_is_refused(
    shelf: Shelf,
) -> None:
    await define(shelf, "pairing")
    await shelf.news()
    assert not await define(shelf, "pairing")
    with pytest.raises(Conflict, match="another taxonomy with the slug pairing"):
        await define(shelf, "pairing", is_multiple=False)
    assert await shelf.news() == []


@pytest.mark.parametrize(
    "slug",
    ["", "Pairing", "pair ing", "-pairing", "cặp", "a" * 41, "a\n", "a\x00", "genre", "status"],
)
async def test_a_slug_that_is_none_or_means_something_else_is_refused(
    shelf: Shelf, slug: str
) -> None:
    with pytest.raises(Invalid):
        await define(shelf, slug)


@pytest.mark.parametrize("name", ["", "  ", "x" * 121, "a\nb", "a\x00b", "a\u202eb", "a\udc80b"])
async def test_a_name_is_one_clean_line(shelf: Shelf, name: str) -> None:
    await add(shelf, "fandom", "Fine")
    async with shelf.database.transaction() as tx:
        with pytest.raises(Invalid):
            await define_taxonomy(tx, shelf.clock, "pairing", name=name)
        with pytest.raises(Invalid):
            await rename_taxonomy(tx, "fandom", name)
        with pytest.raises(Invalid):
            await add_term(tx, shelf.clock, "fandom", name)
    with pytest.raises(Invalid):
        await rename_term(shelf.database, "fandom", "fine", name)


async def test_a_taxonomy_is_renamed_and_keeps_its_slug(shelf: Shelf) -> None:
    async with shelf.database.transaction() as tx:
        assert await rename_taxonomy(tx, "fandom", "  Đồng nhân ")
        assert not await rename_taxonomy(tx, "fandom", "Đồng nhân")
        with pytest.raises(NotFound, match="no taxonomy 'nothing'"):
            await rename_taxonomy(tx, "nothing", "Nothing")
    found = await list_taxonomies(shelf.database.primary)
    assert [one.name for one in found if one.slug == "fandom"] == ["Đồng nhân"]
    assert await shelf.news() == ["TaxonomyChanged fandom"]


async def test_a_term_gets_a_plain_slug_and_is_added_once(shelf: Shelf) -> None:
    assert await add(shelf, "fandom", "Thần Đạo")
    assert await add(shelf, "fandom", "Đấu Phá", "dpt")
    await shelf.news()
    assert not await add(shelf, "fandom", "Thần Đạo")
    assert not await add(shelf, "fandom", "Đấu Phá", "dpt")
    for name, slug in (("Than Dao", None), ("Đấu Phá", "other"), ("Other", "dpt")):
        with pytest.raises(Conflict, match="already"):
            await add(shelf, "fandom", name, slug)
    for slug in ("", "A", "-a", "a" * 121, "a\n"):
        with pytest.raises(Invalid):
            await add(shelf, "fandom", "Fine", slug)
    with pytest.raises(NotFound):
        await add(shelf, "nothing", "Fine")
    assert await terms(shelf, "fandom") == [
        TermInUse("dpt", "Đấu Phá", 0),
        TermInUse("than-dao", "Thần Đạo", 0),
    ]
    assert await shelf.news() == []


async def test_the_terms_of_a_taxonomy_are_told_with_how_many_stories_have_them(
    shelf: Shelf,
) -> None:
    await shelf.stories(story("s1"), story("s2"))
    await give(shelf, "s1", "fandom", "A", "B")
    await give(shelf, "s2", "fandom", "B")
    assert await terms(shelf, "fandom") == [TermInUse("a", "A", 1), TermInUse("b", "B", 2)]
    assert await terms(shelf, "warning") == []
    with pytest.raises(NotFound):
        await terms(shelf, "nothing")


async def test_a_renamed_term_is_news_for_the_stories_that_have_it(shelf: Shelf) -> None:
    await shelf.stories(story("s1"), story("s2"))
    await give(shelf, "s1", "fandom", "HP", "Naruto")
    known, before = await story_ids(shelf), await versions(shelf)
    await shelf.news()
    assert await rename_term(shelf.database, "fandom", "hp", "Harry Potter")
    assert await shelf.news() == [f"StoryChanged {known['s1']}", "TaxonomyChanged fandom"]
    assert await versions(shelf) == before | {"s1": before["s1"] + 1}
    (facts,) = await facts_of(shelf.database.primary, [known["s1"]])
    assert facts.terms[0] == Term("fandom", "hp", "Harry Potter")
    assert not await rename_term(shelf.database, "fandom", "hp", "Harry Potter")
    with pytest.raises(Conflict, match="naruto has that name"):
        await rename_term(shelf.database, "fandom", "hp", "Naruto")
    with pytest.raises(NotFound, match="no term 'nothing' in fandom"):
        await rename_term(shelf.database, "fandom", "nothing", "Nothing")
    assert await shelf.news() == []
    assert (await versions(shelf))["s1"] == before["s1"] + 1


async def test_a_removed_term_leaves_its_stories_and_nothing_else(shelf: Shelf) -> None:
    await shelf.stories(story("s1"), story("s2"))
    await give(shelf, "s1", "fandom", "HP", "Naruto")
    known, before = await story_ids(shelf), await versions(shelf)
    await shelf.news()
    assert await remove_term(shelf.database, "fandom", "hp") == 1
    assert await shelf.news() == [f"StoryChanged {known['s1']}", "TaxonomyChanged fandom"]
    assert await versions(shelf) == before | {"s1": before["s1"] + 1}
    assert [one.slug for one in await terms(shelf, "fandom")] == ["naruto"]
    with pytest.raises(NotFound):
        await remove_term(shelf.database, "fandom", "hp")


async def test_a_removed_taxonomy_takes_its_terms_with_it(shelf: Shelf) -> None:
    await shelf.stories(story("s1"), story("s2"), story("gone"))
    await define(shelf, "pairing")
    await give(shelf, "s1", "pairing", "A/B", "C/D")
    await give(shelf, "s2", "fandom", "HP")
    await give(shelf, "gone", "pairing", "A/B")
    await shelf.stories(story("gone", 1, deleted=True))
    known, before = await story_ids(shelf), await versions(shelf)
    await shelf.news()
    assert await remove_taxonomy(shelf.database, "pairing") == 2
    assert await shelf.news() == [
        *sorted(f"StoryChanged {known[name]}" for name in ("s1", "gone")),
        "TaxonomyChanged pairing",
    ]
    assert await versions(shelf) == before | {name: before[name] + 1 for name in ("s1", "gone")}
    assert len(await list_taxonomies(shelf.database.primary)) == 2
    with pytest.raises(NotFound):
        await remove_taxonomy(shelf.database, "pairing")


@pytest.mark.parametrize("slug", ["fandom", "warning"])
async def test_what_every_instance_has_cannot_be_removed(shelf: Shelf, slug: str) -> None:
    await shelf.stories(story("s1"))
    await give(shelf, "s1", slug, "One")
    await shelf.news()
    with pytest.raises(Conflict, match="Every instance has"):
        await remove_taxonomy(shelf.database, slug)
    assert await shelf.news() == []
    assert await terms(shelf, slug) == [TermInUse("one", "One", 1)]


@pytest.mark.parametrize("what", ["term", "taxonomy"])
async def test_what_many_stories_have_is_taken_from_them_in_steps(
    shelf: Shelf, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 7
    await shelf.stories(*(story(f"s{number}") for number in range(count)))
    await define(shelf, "pairing")
    await add(shelf, "pairing", "A")
    async with shelf.database.transaction() as tx:
        await tx.run(_GIVE_ALL)
    before = await versions(shelf)
    await shelf.news()
    for module in ("taxonomies", "terms"):
        monkeypatch.setattr(f"rensai.rooms.catalogue.service.{module}.STEP", 3)
    if what == "term":
        assert await remove_term(shelf.database, "pairing", "a") == count
    else:
        assert await remove_taxonomy(shelf.database, "pairing") == count
    told = await shelf.news()
    assert len(told) == count + 1
    assert told[-1] == "TaxonomyChanged pairing"
    assert await versions(shelf) == {name: version + 1 for name, version in before.items()}
    assert await shelf.database.primary.first(_HAVING) == 0


async def test_what_is_given_while_a_taxonomy_is_removed_is_taken_or_refused(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is left with a term of nothing, and nobody waits in a circle."""
    monkeypatch.setattr("rensai.rooms.catalogue.service.taxonomies.STEP", 2)
    await shelf.stories(*(story(f"s{number}") for number in range(6)))
    known = await story_ids(shelf)
    for _ in range(5):
        await define(shelf, "pairing")
        for name in known:
            await give(shelf, name, "pairing", "A", "B")
        outcomes = await asyncio.gather(
            remove_taxonomy(shelf.database, "pairing"),
            *(give(shelf, name, "pairing", "A", "C") for name in known),
            return_exceptions=True,
        )
        problems = [one for one in outcomes if isinstance(one, BaseException)]
        assert all(isinstance(one, NotFound) for one in problems), problems
        assert isinstance(outcomes[0], int)
        assert await shelf.database.primary.first(_HAVING) == 0
        reads = shelf.database.primary
        assert await story_ids_of_taxonomy(reads, "pairing", after=0, limit=9) == []


async def test_a_term_given_behind_the_one_who_removes_it_is_taken_again(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rensai.rooms.catalogue.service.taxonomies.STEP", 2)
    await shelf.stories(*(story(f"s{number}") for number in range(6)))
    known = await story_ids(shelf)
    for _ in range(20):
        await define(shelf, "pairing")
        for name in known:
            await give(shelf, name, "pairing", "A")
        await shelf.news()
        async with shelf.database.transaction() as tx:
            await tx.run(_TOUCH, known["s3"])  # the second step waits for it, with s0 behind it
            removing = asyncio.create_task(remove_taxonomy(shelf.database, "pairing"))
            await asyncio.sleep(0.2)
            giving = asyncio.create_task(give(shelf, "s0", "pairing", "A"))
            await asyncio.sleep(0.2)
        given, removed = await asyncio.gather(giving, removing, return_exceptions=True)
        told = (await shelf.news()).count(f"StoryChanged {known['s0']}")
        assert await shelf.database.primary.first(_HAVING) == 0
        if given is True:
            assert (removed, told) == (7, 3)
            return
        assert isinstance(given, NotFound)  # the third step was faster
        assert (removed, told) == (6, 1)
    raise AssertionError("nobody was ever fast enough to give the term")


async def test_a_step_that_clashes_with_others_is_done_again(database: Database) -> None:
    seen: list[int] = []

    async def step(tx: Tx) -> bool:
        del tx
        seen.append(len(seen))
        if len(seen) in {2, 3}:
            raise Contended
        return len(seen) < 5

    await steps.in_steps(database, step)
    assert len(seen) == 5

    async def hopeless(tx: Tx) -> bool:
        del tx
        seen.append(0)
        raise Contended

    seen.clear()
    with pytest.raises(Contended):
        await steps.in_steps(database, hopeless)
    assert len(seen) == 5
