"""What other rooms are told about stories is the whole truth of one moment."""

from decimal import Decimal
from uuid import UUID

import pytest

from rensai.kit.db import Command
from rensai.rooms.catalogue.door import (
    Genre,
    Term,
    facts_of,
    story_ids_of_source,
    story_ids_of_taxonomy,
    term_names,
    translations_of,
    visible_story_ids,
)
from tests.rooms.catalogue.incoming import SOURCE, Shelf, at, chapter, story, story_ids

pytestmark = pytest.mark.anyio

GROUP = UUID(int=7)

_SET = Command(
    """
    UPDATE stories SET tags = '{slow burn}', hidden_tags = '{spoiler}', age_rating = 'teen'
    WHERE id = $1
    """
)
_TERM = Command(
    """
    WITH term AS (
        INSERT INTO terms (taxonomy_id, slug, name)
        SELECT id, $3, $4 FROM taxonomies WHERE slug = $2
        RETURNING id
    )
    INSERT INTO story_terms (story_id, term_id) SELECT $1, id FROM term
    """
)
_GROUP = Command("UPDATE stories SET translation_group = $2 WHERE id = ANY($1::bigint [])")
_CLOSE = Command("UPDATE stories SET is_public = false WHERE id = $1")


async def test_facts_hold_all_that_can_be_searched(shelf: Shelf) -> None:
    await shelf.stories(
        story(
            *("s1", 5),
            title="Thần Đạo",
            title_original="神道",
            author_name="Ngã Cật",
            status=1,
            cover_url="https://example.com/c.jpg",
            summary="Of gods.",
            language="vi",
            aliases=["The Way", "Divine Path"],
            genres=["Tiên Hiệp", "Action"],
        )
    )
    await shelf.chapters(chapter(1, text="one two"), chapter(2.5, text="three"))
    s1 = (await story_ids(shelf))["s1"]
    async with shelf.database.transaction() as tx:
        await tx.run(_SET, s1)
        await tx.run(_TERM, s1, "warning", "gore", "Gore")
        await tx.run(_TERM, s1, "fandom", "xianxia", "Xianxia")
    (found,) = await facts_of(shelf.database.primary, [s1, 999_999])
    assert (found.id, found.source, found.source_story_id) == (s1, SOURCE, "s1")
    assert (found.title, found.title_original) == ("Thần Đạo", "神道")
    assert found.aliases == ["The Way", "Divine Path"]
    assert (found.authors, found.artists) == (["Ngã Cật"], [])
    assert (found.tags, found.hidden_tags) == (["slow burn"], ["spoiler"])
    assert found.genres == [Genre("action", "Action"), Genre("tien-hiep", "Tiên Hiệp")]
    assert found.terms == [Term("fandom", "xianxia", "Xianxia"), Term("warning", "gore", "Gore")]
    assert (found.kind, found.status, found.is_nsfw, found.age_rating) == (
        *("novel", 1, False),
        "teen",
    )
    assert (found.summary, found.language, found.original_language) == ("Of gods.", "vi", None)
    assert (found.translation_group, found.translation_count) == (None, 0)
    assert found.popularity_score == Decimal(0)
    assert found.updated_at_source == at(5)
    assert found.is_visible


async def test_a_story_without_anything_has_empty_facts_and_nobody_asked_for_has_none(
    shelf: Shelf,
) -> None:
    await shelf.stories(story("s1"))
    (found,) = await facts_of(shelf.database.primary, [(await story_ids(shelf))["s1"]])
    assert (found.aliases, found.genres, found.terms, found.tags) == ([], [], [], [])
    assert await facts_of(shelf.database.primary, []) == []
    assert await translations_of(shelf.database.primary, []) == []


async def test_drafts_the_deleted_and_the_closed_are_facts_but_not_visible(shelf: Shelf) -> None:
    await shelf.stories(
        *(story(f"s{status}", status=status) for status in range(5)),
        story("gone", status=1),
        story("closed", status=1),
    )
    await shelf.stories(story("gone", 1, deleted=True))
    known = await story_ids(shelf)
    async with shelf.database.transaction() as tx:
        await tx.run(_CLOSE, known["closed"])
    reads = shelf.database.primary
    facts = await facts_of(reads, list(known.values()))
    seen = {one.source_story_id for one in facts if one.is_visible}
    assert len(facts) == 7
    assert seen == {"s1", "s2", "s3", "s4"}
    assert await visible_story_ids(reads, after=0, limit=9) == sorted(known[key] for key in seen)
    first = await visible_story_ids(reads, after=0, limit=3)
    assert await visible_story_ids(reads, after=first[-1], limit=9) == [known["s4"]]


async def test_translations_count_the_others_that_can_be_read(shelf: Shelf) -> None:
    await shelf.stories(
        *(story(name, status=1, language=name) for name in ("vi", "en", "ja")),
        story("draft", language="ko", status=0),
    )
    known = await story_ids(shelf)
    async with shelf.database.transaction() as tx:
        await tx.run(_GROUP, list(known.values()), GROUP)
        await tx.run(_CLOSE, known["ja"])
    facts = {
        one.source_story_id: one
        for one in await facts_of(shelf.database.primary, [*known.values()])
    }
    assert {key: one.translation_count for key, one in facts.items()} == {
        "vi": 1,
        "en": 1,
        "ja": 2,
        "draft": 2,
    }
    members = await translations_of(shelf.database.primary, [GROUP, UUID(int=8)])
    assert {(one.story_id, one.language, one.is_visible) for one in members} == {
        (known["vi"], "vi", True),
        (known["en"], "en", True),
        (known["ja"], "ja", False),
        (known["draft"], "ko", False),
    }
    assert {one.group for one in members} == {GROUP}


async def test_stories_are_walked_by_source_and_by_taxonomy_in_steps(shelf: Shelf) -> None:
    await shelf.stories(*(story(f"s{number}") for number in range(5)))
    await shelf.stories(story("other"), source="elsewhere")
    known = await story_ids(shelf)
    reads = shelf.database.primary
    first = await story_ids_of_source(reads, SOURCE, after=0, limit=3)
    rest = await story_ids_of_source(reads, SOURCE, after=first[-1], limit=3)
    assert first + rest == sorted(known[f"s{number}"] for number in range(5))
    async with shelf.database.transaction() as tx:
        for term, names in {"a": ("s1", "s3"), "b": ("s1", "other")}.items():
            for name in names:
                await tx.run(_TERM, known[name], "fandom", f"{term}-{name}", f"{term} {name}")
        await tx.run(_TERM, known["s2"], "warning", "c", "C")
    sorted_in = sorted(known[name] for name in ("s1", "s3", "other"))
    assert await story_ids_of_taxonomy(reads, "fandom", after=0, limit=9) == sorted_in
    assert await story_ids_of_taxonomy(reads, "fandom", after=0, limit=2) == sorted_in[:2]
    assert (
        await story_ids_of_taxonomy(reads, "fandom", after=sorted_in[0], limit=9) == sorted_in[1:]
    )
    assert await story_ids_of_taxonomy(reads, "nothing", after=0, limit=9) == []


async def test_every_term_and_genre_has_a_name(shelf: Shelf) -> None:
    await shelf.stories(story("s1", genres=["Tiên Hiệp"]))
    async with shelf.database.transaction() as tx:
        await tx.run(_TERM, (await story_ids(shelf))["s1"], "fandom", "hp", "Harry Potter")
    assert await term_names(shelf.database.primary) == [
        Term("fandom", "hp", "Harry Potter"),
        Term("genre", "tien-hiep", "Tiên Hiệp"),
    ]
