"""Chapters from sources: the newest counts, once, whoever delivers it how often."""

from datetime import timedelta

import pytest

from tests.rooms.catalogue.incoming import (
    NOW,
    Bodies,
    Shelf,
    at,
    chapter,
    results,
    stored_chapters,
    stored_stories,
    story,
)

pytestmark = pytest.mark.anyio


async def test_a_new_chapter_is_stored_with_its_text_and_announced(one_story: Shelf) -> None:
    outcomes = await one_story.chapters(chapter(1, text="Một ngày  đẹp trời."))
    assert results(outcomes) == ["created"]
    (stored,) = await stored_chapters(one_story.database.primary)
    assert stored.text == "Một ngày  đẹp trời."
    assert stored.word_count == 4
    assert stored.html is None
    assert stored.published_at == NOW
    assert await one_story.news() == [f"ChapterPublished {stored.id}"]


async def test_markup_is_stored_as_sent_and_cleaned_beside_it(one_story: Shelf) -> None:
    sent = "<p onclick=steal()>Hello <script>alert(1)</script>there</p>"
    await one_story.chapters(chapter(1, text=sent))
    (stored,) = await stored_chapters(one_story.database.primary)
    assert stored.text == sent
    assert stored.html == "<p>Hello there</p>"


async def test_the_same_item_again_changes_nothing_and_tells_nobody(one_story: Shelf) -> None:
    await one_story.chapters(chapter(1))
    before = await stored_chapters(one_story.database.primary)
    version = (await stored_stories(one_story.database.primary))["s1"].cache_version
    await one_story.news()
    sent = chapter(1)
    bodies = Bodies([sent])
    assert results(await one_story.chapters_from(bodies, sent)) == ["unchanged"]
    assert bodies.asked == []
    assert await stored_chapters(one_story.database.primary) == before
    assert (await stored_stories(one_story.database.primary))["s1"].cache_version == version
    assert await one_story.news() == []


async def test_the_same_content_with_a_newer_time_moves_only_the_time(one_story: Shelf) -> None:
    await one_story.chapters(chapter(1), chapter(2))
    await one_story.news()
    version = (await stored_stories(one_story.database.primary))["s1"].cache_version
    both = await one_story.chapters(chapter(1, 10), chapter(2, 10))
    assert results(both) == ["unchanged", "unchanged"]
    assert (await stored_stories(one_story.database.primary))["s1"].cache_version == version + 1
    assert results(await one_story.chapters(chapter(1, 5, text="Other"))) == ["stale"]
    found = await stored_chapters(one_story.database.primary)
    assert [one.updated_at_source for one in found] == [at(10), at(10)]
    assert await one_story.news() == []


async def test_an_older_item_is_ignored(one_story: Shelf) -> None:
    await one_story.chapters(chapter(1, 10, text="New"))
    assert results(await one_story.chapters(chapter(1, 5, text="Old"))) == ["stale"]
    (stored,) = await stored_chapters(one_story.database.primary)
    assert stored.text == "New"


async def test_at_the_same_time_the_later_delivery_wins(one_story: Shelf) -> None:
    await one_story.chapters(chapter(1, text="First"))
    assert results(await one_story.chapters(chapter(1, text="Second"))) == ["updated"]
    (stored,) = await stored_chapters(one_story.database.primary)
    assert stored.text == "Second"


async def test_of_two_versions_in_a_batch_the_newest_counts(one_story: Shelf) -> None:
    outcomes = await one_story.chapters(
        chapter(1, 5, text="Middle"), chapter(1, 9, text="New"), chapter(1, 1, text="Old")
    )
    assert results(outcomes) == ["stale", "created", "stale"]
    (stored,) = await stored_chapters(one_story.database.primary)
    assert stored.text == "New"
    assert len(await one_story.news()) == 1


async def test_a_body_with_the_same_hash_is_not_asked_for(one_story: Shelf) -> None:
    await one_story.chapters(chapter(1))
    await one_story.news()
    sent = chapter(1, 1, title="A better title")
    bodies = Bodies([sent])
    assert results(await one_story.chapters_from(bodies, sent)) == ["updated"]
    assert bodies.asked == []
    (stored,) = await stored_chapters(one_story.database.primary)
    assert (stored.title, stored.text) == ("A better title", "Text of 1")
    assert await one_story.news() == [f"ChapterChanged {stored.id}"]


async def test_a_chapter_whose_story_is_missing_fails_alone_and_may_be_tried_again(
    one_story: Shelf,
) -> None:
    lost, found = await one_story.chapters(chapter(1, story="s9"), chapter(1))
    assert (lost.code, lost.retryable) == ("story_not_found", True)
    assert found.result.value == "created"


async def test_a_deletion_hides_and_only_a_newer_item_brings_back(one_story: Shelf) -> None:
    await one_story.chapters(chapter(1))
    (stored,) = await stored_chapters(one_story.database.primary)
    await one_story.news()
    assert results(await one_story.chapters(chapter(1, 5, deleted=True))) == ["deleted"]
    assert await one_story.news() == [f"ChapterDeleted {stored.id}"]
    assert results(await one_story.chapters(chapter(1, 5, deleted=True))) == ["unchanged"]
    assert results(await one_story.chapters(chapter(1, 5))) == ["stale"]
    assert results(await one_story.chapters(chapter(1, 4))) == ["stale"]
    assert results(await one_story.chapters(chapter(1, 6))) == ["restored"]
    (back,) = await stored_chapters(one_story.database.primary)
    assert (back.id, back.deleted) == (stored.id, False)
    assert await one_story.news() == [f"ChapterChanged {stored.id}"]


@pytest.mark.parametrize("source_id", [None, "x1"])
async def test_a_deletion_that_comes_first_keeps_out_what_is_older(
    one_story: Shelf, source_id: str | None
) -> None:
    gone = chapter(
        1 if source_id is None else None, 5, source_chapter_id=source_id, deleted=True, slug=""
    )
    assert results(await one_story.chapters(gone)) == ["deleted"]
    sent = chapter(1, 4, source_chapter_id=source_id)
    assert results(await one_story.chapters(sent)) == ["stale"]
    assert await one_story.news() == []
    newer = chapter(1, 6, source_chapter_id=source_id)
    assert results(await one_story.chapters(newer)) == ["restored"]
    (stored,) = await stored_chapters(one_story.database.primary)
    assert (stored.slug, stored.text) == ("c-1", "Text of 1")
    assert await one_story.news() == [f"ChapterPublished {stored.id}"]


async def test_a_chapter_is_announced_when_it_can_first_be_read(one_story: Shelf) -> None:
    await one_story.chapters(chapter(1, is_published=False))
    assert await one_story.news() == []
    one_story.clock.advance(timedelta(hours=1))
    await one_story.chapters(chapter(1, 1, is_published=True))
    (stored,) = await stored_chapters(one_story.database.primary)
    assert stored.published_at == NOW + timedelta(hours=1)
    assert await one_story.news() == [f"ChapterPublished {stored.id}"]
    await one_story.chapters(chapter(1, 2, is_published=False))
    await one_story.chapters(chapter(1, 3, is_published=True))
    assert await one_story.news() == [f"ChapterChanged {stored.id}"] * 2


async def test_what_an_item_does_not_say_stays(one_story: Shelf) -> None:
    await one_story.chapters(
        chapter(1, source_chapter_id="x1", is_published=False, published_at=at(3))
    )
    await one_story.chapters(chapter(1, 1, title="Again"))
    (stored,) = await stored_chapters(one_story.database.primary)
    assert (stored.source_chapter_id, stored.is_published) == ("x1", False)
    assert (stored.title, stored.published_at) == ("Again", at(3))


async def test_a_chapter_found_by_number_takes_the_id_that_comes_later(one_story: Shelf) -> None:
    await one_story.chapters(chapter(1))
    assert results(await one_story.chapters(chapter(1, 1, source_chapter_id="x1"))) == ["updated"]
    assert results(await one_story.chapters(chapter(7, 2, source_chapter_id="x1"))) == ["updated"]
    (stored,) = await stored_chapters(one_story.database.primary)
    assert (stored.source_chapter_id, stored.chapter_no) == ("x1", 7)


async def test_two_chapters_trade_numbers_and_slugs_in_one_batch(one_story: Shelf) -> None:
    await one_story.chapters(
        *(chapter(n, source_chapter_id=f"x{n}", text=f"x{n}") for n in (1, 2, 3))
    )
    outcomes = await one_story.chapters(
        chapter(2, 1, source_chapter_id="x1", text="x1"),
        chapter(3, 1, source_chapter_id="x2", text="x2"),
        chapter(1, 1, source_chapter_id="x3", text="x3"),
    )
    assert results(outcomes) == ["updated"] * 3
    stored = await stored_chapters(one_story.database.primary)
    assert [(c.chapter_no, c.slug, c.text) for c in stored] == [
        (1, "c-1", "x3"),
        (2, "c-2", "x1"),
        (3, "c-3", "x2"),
    ]
    assert not any(c.deleted for c in stored)


async def test_a_chapter_in_the_middle_moves_the_others_up(one_story: Shelf) -> None:
    await one_story.chapters(*(chapter(n, source_chapter_id=f"x{n}") for n in (1, 2, 3)))
    outcomes = await one_story.chapters(
        chapter(2, 1, source_chapter_id="new"),
        chapter(3, 1, source_chapter_id="x2"),
        chapter(4, 1, source_chapter_id="x3"),
    )
    assert results(outcomes) == ["created", "updated", "updated"]
    stored = await stored_chapters(one_story.database.primary)
    assert [c.source_chapter_id for c in stored] == ["x1", "new", "x2", "x3"]


async def test_a_number_that_another_chapter_keeps_is_refused_singly(one_story: Shelf) -> None:
    await one_story.chapters(*(chapter(n, source_chapter_id=f"x{n}") for n in (1, 2)))
    taken, fine = await one_story.chapters(
        chapter(2, 1, source_chapter_id="x1"), chapter(3, 1, source_chapter_id="x3")
    )
    assert (taken.code, taken.retryable) == ("chapter_no_conflict", True)
    assert fine.result.value == "created"
    stored = await stored_chapters(one_story.database.primary)
    assert [(c.chapter_no, c.source_chapter_id) for c in stored] == [
        (1, "x1"),
        (2, "x2"),
        (3, "x3"),
    ]


async def test_who_counted_on_a_place_that_is_not_given_up_fails_too(one_story: Shelf) -> None:
    await one_story.chapters(*(chapter(n, source_chapter_id=f"x{n}") for n in (1, 2, 3)))
    outcomes = await one_story.chapters(
        chapter(2, 1, source_chapter_id="x1"), chapter(3, 1, source_chapter_id="x2")
    )
    assert results(outcomes) == ["chapter_no_conflict"] * 2


async def test_a_slug_that_another_chapter_keeps_is_refused_singly(one_story: Shelf) -> None:
    await one_story.chapters(chapter(1))
    outcomes = await one_story.chapters(chapter(2, slug="c-1"), chapter(3), chapter(4, slug="c-3"))
    assert results(outcomes) == ["slug_conflict", "created", "slug_conflict"]


async def test_a_deleted_chapter_gives_up_its_number_and_cannot_take_it_back(
    one_story: Shelf,
) -> None:
    await one_story.chapters(chapter(1, source_chapter_id="x1"))
    outcomes = await one_story.chapters(
        chapter(None, 1, source_chapter_id="x1", deleted=True),
        chapter(1, 1, source_chapter_id="x2"),
    )
    assert results(outcomes) == ["deleted", "created"]
    again = await one_story.chapters(chapter(1, 2, source_chapter_id="x1"))
    assert results(again) == ["chapter_no_conflict"]


async def test_items_with_and_without_an_id_for_one_number_are_one_chapter(
    one_story: Shelf,
) -> None:
    outcomes = await one_story.chapters(chapter(1, 2), chapter(1, 1, source_chapter_id="x1"))
    assert results(outcomes) == ["created", "stale"]
    assert len(await stored_chapters(one_story.database.primary)) == 1


async def test_each_change_moves_the_story_and_asks_for_one_recount(one_story: Shelf) -> None:
    before = (await stored_stories(one_story.database.primary))["s1"]
    one_story.clock.advance(timedelta(minutes=5))
    await one_story.chapters(chapter(1), chapter(2))
    after = (await stored_stories(one_story.database.primary))["s1"]
    assert after.cache_version == before.cache_version + 1
    assert after.updated_at == NOW + timedelta(minutes=5)


async def test_an_error_leaves_no_trace_of_the_batch(one_story: Shelf) -> None:
    sent = [chapter(1), chapter(2)]
    with pytest.raises(LookupError):
        await one_story.chapters_from(Bodies(sent[:1]), *sent)
    assert await stored_chapters(one_story.database.primary) == []
    assert await one_story.news() == []


async def test_sources_do_not_see_each_other(one_story: Shelf) -> None:
    await one_story.stories(story("s1", slug="same"), source="other")
    outcomes = await one_story.chapters(chapter(1), source="nobody")
    assert results(outcomes) == ["story_not_found"]
