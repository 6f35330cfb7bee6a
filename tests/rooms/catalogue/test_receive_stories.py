"""Stories from sources: the newest counts, names are full sets, slugs belong to one at a time."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from rensai.kit.db import Query
from rensai.rooms.catalogue.service.names import genre_slug
from tests.rooms.catalogue.incoming import (
    NOW,
    Shelf,
    at,
    chapter,
    results,
    stored_stories,
    story,
)

pytestmark = pytest.mark.anyio


async def test_a_new_story_is_stored_with_its_defaults(shelf: Shelf) -> None:
    assert results(await shelf.stories(story("s1"))) == ["created"]
    stored = (await stored_stories(shelf.database.primary))["s1"]
    assert (stored.slug, stored.title, stored.status, stored.language) == ("s1", "S1", 0, "vi")
    assert (stored.summary, stored.aliases, stored.genres) == ("", [], [])
    assert stored.updated_at == NOW
    assert await shelf.news() == [f"StoryChanged {stored.id}"]


async def test_everything_that_is_said_is_stored(shelf: Shelf) -> None:
    await shelf.stories(
        story(
            "s1",
            title_original="神道",
            author_name="Tác Giả",
            status=2,
            cover_url="https://example.com/a.jpg",
            summary="Ngày xưa.",
            language="en",
            aliases=["Thần Đạo", "THẦN ĐẠO", "Way of Gods"],
            genres=["Tiên Hiệp", "tien-hiep", "玄幻"],
        )
    )
    stored = (await stored_stories(shelf.database.primary))["s1"]
    assert (stored.title_original, stored.author_name, stored.status) == ("神道", "Tác Giả", 2)
    assert (stored.cover_url, stored.summary) == ("https://example.com/a.jpg", "Ngày xưa.")
    assert stored.language == "en"
    assert stored.aliases == ["Thần Đạo", "Way of Gods"]
    assert stored.genres == sorted([genre_slug("玄幻"), "tien-hiep"])


async def test_what_an_item_does_not_say_stays_and_null_empties(shelf: Shelf) -> None:
    await shelf.stories(
        story("s1", author_name="A", summary="S", status=1, aliases=["x"], genres=["y"])
    )
    await shelf.stories(story("s1", 1, title="New"))
    stored = (await stored_stories(shelf.database.primary))["s1"]
    assert (stored.title, stored.author_name, stored.summary) == ("New", "A", "S")
    assert (stored.status, stored.aliases, stored.genres) == (1, ["x"], ["y"])
    await shelf.stories(
        story("s1", 2, title="New", author_name=None, summary=None, aliases=[], genres=[])
    )
    stored = (await stored_stories(shelf.database.primary))["s1"]
    assert (stored.author_name, stored.summary, stored.aliases) == (None, "", [])
    assert stored.genres == []


async def test_chapters_are_in_the_language_of_their_story(shelf: Shelf) -> None:
    await shelf.stories(story("s1"), story("s2"))
    await shelf.chapters(chapter(1), chapter(2), chapter(1, story="s2"))
    languages = Query("SELECT language FROM chapters ORDER BY story_id, id", str)
    assert await shelf.database.primary.all(languages) == ["vi", "vi", "vi"]
    await shelf.stories(story("s1", 1, language="en"))
    await shelf.chapters(chapter(3))
    assert await shelf.database.primary.all(languages) == ["en", "en", "en", "vi"]


async def test_the_same_item_again_changes_nothing_and_tells_nobody(shelf: Shelf) -> None:
    said: dict[str, Any] = {"aliases": ["A", "B"], "genres": ["x", "y"], "author_name": "Z"}
    await shelf.stories(story("s1", **said))
    await shelf.news()
    before = await stored_stories(shelf.database.primary)
    shelf.clock.advance(timedelta(hours=1))
    assert results(await shelf.stories(story("s1", **said))) == ["unchanged"]
    assert await stored_stories(shelf.database.primary) == before
    said["aliases"].reverse()
    assert results(await shelf.stories(story("s1", **said))) == ["unchanged"]
    assert await stored_stories(shelf.database.primary) == before
    assert await shelf.news() == []


async def test_the_same_with_a_newer_time_moves_that_time_and_is_no_news(shelf: Shelf) -> None:
    """Readers are shown when a source last spoke of a story; nothing about it has changed."""
    await shelf.stories(story("s1"))
    await shelf.news()
    before = (await stored_stories(shelf.database.primary))["s1"]
    shelf.clock.advance(timedelta(hours=1))
    assert results(await shelf.stories(story("s1", 1))) == ["unchanged"]
    after = (await stored_stories(shelf.database.primary))["s1"]
    assert (after.updated_at_source, after.updated_at) == (at(1), before.updated_at)
    assert after.cache_version == before.cache_version + 1
    assert await shelf.news() == []
    await shelf.stories(story("s1", 2, deleted=True))
    await shelf.news()
    assert results(await shelf.stories(story("s1", 3, deleted=True))) == ["unchanged"]
    assert await shelf.news() == []


@pytest.mark.parametrize(
    "change", [{"aliases": ["A", "C"]}, {"genres": ["x"]}, {"aliases": ["a", "B"]}]
)
async def test_other_names_alone_are_a_change(shelf: Shelf, change: dict[str, Any]) -> None:
    said: dict[str, Any] = {"aliases": ["A", "B"], "genres": ["x", "y"]}
    await shelf.stories(story("s1", **said))
    await shelf.news()
    assert results(await shelf.stories(story("s1", 1, **(said | change)))) == ["updated"]
    assert len(await shelf.news()) == 1


async def test_an_older_item_changes_nothing_not_even_names(shelf: Shelf) -> None:
    await shelf.stories(story("s1", 5, genres=["x"]))
    assert results(await shelf.stories(story("s1", 4, genres=["y"], title="Old"))) == ["stale"]
    stored = (await stored_stories(shelf.database.primary))["s1"]
    assert (stored.title, stored.genres) == ("S1", ["x"])


async def test_of_two_versions_in_a_batch_the_newest_counts(shelf: Shelf) -> None:
    outcomes = await shelf.stories(
        story("s1", 1, title="Old", aliases=["old"]), story("s1", 2, title="New")
    )
    assert results(outcomes) == ["stale", "created"]
    stored = (await stored_stories(shelf.database.primary))["s1"]
    assert (stored.title, stored.aliases) == ("New", [])


async def test_at_the_same_time_the_later_delivery_wins(shelf: Shelf) -> None:
    await shelf.stories(story("s1", title="First"))
    assert results(await shelf.stories(story("s1", title="Second"))) == ["updated"]
    outcomes = await shelf.stories(story("s1", title="Third"), story("s1", title="Fourth"))
    assert results(outcomes) == ["stale", "updated"]


async def test_a_deletion_hides_and_only_a_newer_item_brings_back(shelf: Shelf) -> None:
    await shelf.stories(story("s1", aliases=["x"]))
    id_ = (await stored_stories(shelf.database.primary))["s1"].id
    await shelf.news()
    assert results(await shelf.stories(story("s1", 5, deleted=True))) == ["deleted"]
    assert results(await shelf.stories(story("s1", 6, deleted=True))) == ["unchanged"]
    assert await shelf.news() == [f"StoryDeleted {id_}"]
    assert results(await shelf.stories(story("s1", 6))) == ["stale"]
    assert (await stored_stories(shelf.database.primary))["s1"].deleted
    assert results(await shelf.stories(story("s1", 7))) == ["restored"]
    stored = (await stored_stories(shelf.database.primary))["s1"]
    assert (stored.id, stored.deleted, stored.aliases) == (id_, False, ["x"])
    assert await shelf.news() == [f"StoryChanged {id_}"]


async def test_a_deletion_that_comes_first_keeps_out_what_is_older(shelf: Shelf) -> None:
    gone = [story(f"s{n}", 5, deleted=True, slug="", title="") for n in (1, 2)]
    assert results(await shelf.stories(*gone)) == ["deleted"] * 2
    assert await shelf.news() == []
    assert results(await shelf.stories(story("s1", 4), story("s2", 6))) == ["stale", "restored"]
    stored = await stored_stories(shelf.database.primary)
    assert (stored["s1"].deleted, stored["s2"].deleted) == (True, False)


async def test_a_slug_belongs_to_one_story_of_a_source(shelf: Shelf) -> None:
    await shelf.stories(story("s1", slug="one"))
    taken, fine, second = await shelf.stories(
        story("s2", slug="one"), story("s3", slug="two"), story("s4", slug="two")
    )
    assert (taken.code, taken.retryable) == ("slug_conflict", True)
    assert fine.result.value == "created"
    assert second.code == "slug_conflict"
    assert results(await shelf.stories(story("s1", slug="one"), source="other")) == ["created"]


async def test_stories_trade_slugs_in_one_batch(shelf: Shelf) -> None:
    await shelf.stories(*(story(f"s{n}", slug=f"slug-{n}") for n in (1, 2, 3)))
    outcomes = await shelf.stories(
        story("s1", 1, slug="slug-2"),
        story("s2", 1, slug="slug-1"),
        story("s3", 1, slug="slug-4"),
        story("s5", 1, slug="slug-3"),
    )
    assert results(outcomes) == ["updated", "updated", "updated", "created"]
    stored = await stored_stories(shelf.database.primary)
    assert {id_: row.slug for id_, row in stored.items()} == {
        "s1": "slug-2",
        "s2": "slug-1",
        "s3": "slug-4",
        "s5": "slug-3",
    }
    assert not any(row.deleted for row in stored.values())


async def test_a_deleted_story_gives_up_its_slug(shelf: Shelf) -> None:
    await shelf.stories(story("s1", slug="one"))
    outcomes = await shelf.stories(story("s1", 1, deleted=True), story("s2", 1, slug="one"))
    assert results(outcomes) == ["deleted", "created"]
    assert results(await shelf.stories(story("s1", 2, slug="one"))) == ["slug_conflict"]


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Tiên Hiệp", "tien-hiep"),
        ("tien-hiep", "tien-hiep"),
        ("ĐÔ THỊ", "do-thi"),
        ("  Sci-Fi & Fantasy  ", "sci-fi-fantasy"),
        ("Straße", "strasse"),
        ("a" * 200, "a" * 120),
    ],
)
def test_a_genre_has_a_plain_slug(name: str, slug: str) -> None:
    assert genre_slug(name) == slug


def test_genres_in_other_scripts_have_slugs_of_their_own() -> None:
    names = ["玄幻", "都市", "ファンタジー", "판타지", "玄幻 a", "都市 a", "!!!", "???", "Ж" * 120]
    slugs = [genre_slug(name) for name in names]
    assert len(set(slugs)) == len(slugs)
    assert all(0 < len(slug) <= 120 and slug.isascii() for slug in slugs)


async def test_many_who_bring_the_same_new_genres_and_stories_agree(shelf: Shelf) -> None:
    """Each of eight batches has the same stories, in another order, with genres nobody knows."""

    async def push(turn: int) -> list[str]:
        items = [
            story(f"s{n}", turn, title=f"T{turn}", genres=[f"g{n}", f"g{(n + turn) % 20}"])
            for n in range(20)
        ]
        return results(await shelf.stories(*(items[turn:] + items[:turn])))

    found = await asyncio.gather(*(push(turn) for turn in range(8)))
    assert sum(outcomes.count("created") for outcomes in found) == 20
    assert not any(":" in one or "conflict" in one for outcomes in found for one in outcomes)
    stored = await stored_stories(shelf.database.primary)
    assert {row.title for row in stored.values()} == {"T7"}
    assert stored["s3"].genres == ["g10", "g3"]


async def test_sources_that_bring_the_same_new_genres_do_not_lock_each_other_out(
    shelf: Shelf,
) -> None:
    async def push(turn: int) -> None:
        genres = [f"genre-{n}" for n in range(30)]
        rotated = genres[turn * 3 :] + genres[: turn * 3]
        await shelf.stories(story("s1", genres=rotated), source=f"source-{turn}")

    await asyncio.gather(*(push(turn) for turn in range(8)))
