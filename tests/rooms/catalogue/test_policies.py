"""Which sources are open: said once, true for what is here and for what is still to come."""

import asyncio

import pytest

from rensai.kit.db import Command, Query
from rensai.kit.errors import Invalid
from rensai.rooms.catalogue.door import (
    Policy,
    clear_policy,
    facts_of,
    link_translations,
    list_policies,
    receive_stories,
    set_policy,
    visible_story_ids,
)
from tests.rooms.catalogue.incoming import (
    NOW,
    SOURCE,
    Shelf,
    chapter,
    stored_stories,
    story,
    story_ids,
    versions,
)

pytestmark = pytest.mark.anyio

_OPEN = Query("SELECT source_story_id FROM stories WHERE is_public ORDER BY id", str)
_POLICY = Query("SELECT source_policies::text AS policy FROM source_policies", str)
_TOUCH = Command("UPDATE stories SET view_count = view_count + 1 WHERE id = $1")
_SPOIL = Command("UPDATE stories SET is_public = true WHERE id = $1")


@pytest.fixture
async def two_sources(shelf: Shelf) -> Shelf:
    """A catalogue with s0 to s6 of one source and the story o of another."""
    await shelf.stories(*(story(f"s{number}", status=1) for number in range(7)))
    await shelf.stories(story("o", status=1), source="other")
    await shelf.news()
    return shelf


@pytest.fixture(params=[3, 7, 1000])
def step(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that leave a rest, that leave none, and one that is larger than all."""
    monkeypatch.setattr("rensai.rooms.catalogue.service.policies.STEP", request.param)


async def close(shelf: Shelf, source: str = SOURCE) -> int:
    return await set_policy(shelf.database, shelf.clock, source, is_public=False)


async def seen(shelf: Shelf) -> list[str]:
    return await shelf.database.primary.all(_OPEN)


@pytest.mark.usefixtures("step")
async def test_a_closed_source_is_closed_whole_and_told_once(two_sources: Shelf) -> None:
    before = await versions(two_sources)
    assert await close(two_sources) == 7
    assert await seen(two_sources) == ["o"]
    assert await two_sources.news() == [f"SourcePolicyChanged {SOURCE}"]
    after = await versions(two_sources)
    assert after == {name: before[name] + (name != "o") for name in before}
    reads = two_sources.database.primary
    known = await story_ids(two_sources)
    assert await visible_story_ids(reads, after=0, limit=9) == [known["o"]]


@pytest.mark.usefixtures("step")
async def test_the_same_policy_again_changes_nothing(two_sources: Shelf) -> None:
    await close(two_sources)
    await two_sources.news()
    before = await versions(two_sources)
    (mine,) = await two_sources.database.primary.all(_POLICY)
    two_sources.clock.advance(NOW - NOW.replace(hour=0))
    assert await close(two_sources) == 0
    assert await two_sources.news() == []
    assert await versions(two_sources) == before
    assert await two_sources.database.primary.all(_POLICY) == [mine]


async def test_a_source_without_a_policy_is_open_again(two_sources: Shelf) -> None:
    await close(two_sources)
    await two_sources.news()
    assert await clear_policy(two_sources.database, SOURCE) == 7
    assert len(await seen(two_sources)) == 8
    assert await two_sources.news() == [f"SourcePolicyChanged {SOURCE}"]
    assert await clear_policy(two_sources.database, SOURCE) == 0
    assert await two_sources.news() == []


async def test_what_is_said_of_the_rights_is_kept_and_shown(two_sources: Shelf) -> None:
    database, clock = two_sources.database, two_sources.clock
    await close(two_sources)
    assert await set_policy(database, clock, SOURCE, rights=" The author's word. ") == 0
    assert await set_policy(database, clock, "yet-to-come", is_public=False) == 0
    assert await list_policies(database.primary) == [
        Policy("other", True, "", None, None, None),
        Policy(SOURCE, False, "The author's word.", NOW, 7, 0),
        Policy("yet-to-come", False, "", NOW, 0, 0),
    ]
    await set_policy(database, clock, SOURCE, is_public=True)
    found = {one.source: one for one in await list_policies(database.primary)}
    assert found[SOURCE].rights == "The author's word."
    assert found[SOURCE].is_public


async def test_what_an_interrupted_change_left_is_told_and_done_by_the_next(
    two_sources: Shelf,
) -> None:
    await close(two_sources)
    async with two_sources.database.transaction() as tx:
        await tx.run(_SPOIL, (await story_ids(two_sources))["s3"])
    await two_sources.news()
    found = {one.source: one for one in await list_policies(two_sources.database.primary)}
    assert found[SOURCE].unlike == 1
    assert await close(two_sources) == 1
    assert await two_sources.news() == [f"SourcePolicyChanged {SOURCE}"]


async def test_what_a_closed_source_sends_is_closed_when_it_comes_in(two_sources: Shelf) -> None:
    await close(two_sources)
    await two_sources.stories(story("new", status=1), story("s0", 1, title="Other", status=1))
    await two_sources.stories(story("o2", status=1), source="other")
    await two_sources.stories(story("s1", 1, deleted=True))
    await two_sources.stories(story("s1", 2, status=1))
    await two_sources.chapters(chapter(1, story="new"))
    assert await seen(two_sources) == ["o", "o2"]
    await clear_policy(two_sources.database, SOURCE)
    assert "new" in await seen(two_sources)


async def test_translations_elsewhere_hear_that_one_of_them_is_closed(two_sources: Shelf) -> None:
    known = await story_ids(two_sources)
    async with two_sources.database.transaction() as tx:
        await link_translations(tx, [known["o"], known["s1"], known["s2"]])
    await two_sources.news()
    await close(two_sources)
    assert await two_sources.news() == [
        f"SourcePolicyChanged {SOURCE}",
        f"StoryChanged {known['o']}",
    ]
    (facts,) = await facts_of(two_sources.database.primary, [known["o"]])
    assert facts.translation_count == 0


@pytest.mark.parametrize("source", ["", "a b", "a:b", "a/b", "x" * 41, "a\x00", "a\n", "\ud800"])
async def test_what_is_no_source_has_no_policy(shelf: Shelf, source: str) -> None:
    with pytest.raises(Invalid, match="is no source"):
        await close(shelf, source)
    with pytest.raises(Invalid):
        await clear_policy(shelf.database, source)


@pytest.mark.parametrize("rights", ["x" * 2001, "a\x00b", "a\nb"])
async def test_rights_are_one_clean_line(shelf: Shelf, rights: str) -> None:
    with pytest.raises(Invalid):
        await set_policy(shelf.database, shelf.clock, SOURCE, rights=rights)
    assert await list_policies(shelf.database.primary) == []


async def test_a_batch_that_is_under_way_does_not_slip_past_a_closing(shelf: Shelf) -> None:
    """Whoever closes waits for the batch, and closes what it brought."""
    received, go_on = asyncio.Event(), asyncio.Event()

    async def batch() -> None:
        async with shelf.database.transaction() as tx:
            await receive_stories(tx, shelf.clock, SOURCE, [story("s1", status=1)])
            received.set()
            await go_on.wait()

    receiving = asyncio.create_task(batch())
    await received.wait()
    closing = asyncio.create_task(close(shelf))
    await asyncio.sleep(0.2)
    assert not closing.done()
    go_on.set()
    await receiving
    assert await closing == 1
    assert await seen(shelf) == []


async def test_batches_and_changes_of_policy_at_once_end_as_the_policy_says(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rensai.rooms.catalogue.service.policies.STEP", 4)

    async def push(first: int) -> None:
        for number in range(first, first + 30, 3):
            batch = [story(f"s{n}", number, status=1) for n in range(number, number + 3)]
            await shelf.stories(*batch)
            await shelf.chapters(*(chapter(1, story=f"s{n}") for n in range(number, number + 3)))

    async def turn() -> None:
        for _ in range(6):
            await close(shelf)
            await clear_policy(shelf.database, SOURCE)
        await close(shelf)

    await asyncio.gather(push(0), push(15), push(40), turn())
    assert len(await stored_stories(shelf.database.primary)) == 70
    assert await seen(shelf) == []


async def test_two_who_want_different_things_leave_what_the_policy_says(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rensai.rooms.catalogue.service.policies.STEP", 3)
    await shelf.stories(*(story(f"s{number}") for number in range(40)))
    for _ in range(5):
        await asyncio.gather(
            close(shelf),
            clear_policy(shelf.database, SOURCE),
            set_policy(shelf.database, shelf.clock, SOURCE, is_public=True),
        )
        (policy,) = await list_policies(shelf.database.primary)
        assert len(await seen(shelf)) == (40 if policy.is_public else 0)


async def test_a_step_that_waits_does_not_write_what_was_taken_back_meanwhile(
    two_sources: Shelf,
) -> None:
    """Whoever changes a policy waits for the step that still follows the one before."""
    known = await story_ids(two_sources)
    async with two_sources.database.transaction() as tx:
        await tx.run(_TOUCH, known["s3"])
        closing = asyncio.create_task(close(two_sources))
        await asyncio.sleep(0.3)
        opening = asyncio.create_task(clear_policy(two_sources.database, SOURCE))
        await asyncio.sleep(0.3)
        assert not closing.done()
    await asyncio.gather(closing, opening)
    assert len(await seen(two_sources)) == 8


async def test_two_who_say_different_things_of_a_source_are_both_heard(shelf: Shelf) -> None:
    database, clock = shelf.database, shelf.clock
    for number in range(20):
        wanted = bool(number % 2)
        await asyncio.gather(
            set_policy(database, clock, SOURCE, is_public=wanted),
            set_policy(database, clock, SOURCE, rights=f"Right {number}"),
        )
        (policy,) = await list_policies(database.primary)
        assert (policy.is_public, policy.rights) == (wanted, f"Right {number}")
