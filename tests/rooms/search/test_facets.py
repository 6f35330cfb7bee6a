"""What is found and counted is what a walk over all stories would find and count."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Set

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyroaring import BitMap

from rensai.kit.clock import SetClock
from rensai.kit.db import Database
from rensai.kit.errors import InvalidFilter
from rensai.rooms.catalogue.door import Genre, StoryFacts, Term, define_taxonomy
from rensai.rooms.readers.door import Mutes
from rensai.rooms.search.model import Filters, Found, Question, Sort
from rensai.rooms.search.service.finding import find
from rensai.rooms.search.service.index import Index
from rensai.rooms.search.service.mutes import left_out
from rensai.rooms.search.service.tally import Tally
from rensai.rooms.search.service.walks import refresh_taxonomy
from tests.rooms.search.facts import facts, shelve

pytestmark = pytest.mark.anyio

EXAMPLES = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
FEW = ["a", "b", "c"]
SOME = st.sets(st.sampled_from(FEW))
ONE = st.sampled_from(FEW).map(lambda one: {one})
IS = {
    "language": st.sampled_from(["vi", "en"]).map(lambda one: {one}),
    "status": st.sampled_from(["ongoing", "completed", "hiatus"]).map(lambda one: {one}),
    "age": st.sampled_from(["teen", "explicit"]).map(lambda one: {one}) | st.just(set[str]()),
    **dict.fromkeys(["genre", "fandom", "warning", "tag", "author", "custom:many"], SOME),
    "custom:single": ONE | st.just(set[str]()),
    "text": SOME,
    "nsfw": st.sampled_from([set[str](), {"nsfw"}]),
}
STORY = st.fixed_dictionaries(IS)
"""A story of the model: the values of each facet, and the words of its title."""

ALL = {"genre", "fandom", "tag", "custom:many"}
ASKED = {
    facet: ["vi", "en", "xx"]
    if facet == "language"
    else ["ongoing", "completed", "dropped"]
    if facet == "status"
    else ["teen", "mature", "explicit"]
    if facet == "age"
    else [*FEW, "none"]
    for facet in IS
    if facet not in {"text", "nsfw"}
}
CHOICE = st.lists(st.sampled_from(sorted(ASKED)), max_size=3, unique=True).flatmap(
    lambda facets: st.fixed_dictionaries(
        {
            facet: st.lists(st.sampled_from(ASKED[facet]), min_size=1, max_size=3, unique=True).map(
                tuple
            )
            for facet in facets
        }
    )
)
QUESTION = st.builds(
    Question,
    text=st.sampled_from(["", "", "a", "b c", "-a", "a OR b", "zzz"]),
    filters=st.builds(Filters, CHOICE, CHOICE, st.booleans()),
    limit=st.just(50),
    counts=st.just(value=True),
    values=st.sampled_from([1, 2, 30]),
)

MUTED = st.lists(st.sampled_from(["a", "b", "none"]), max_size=2, unique=True)
MUTES = st.none() | st.builds(
    Mutes,
    version=st.just(1),
    tags=MUTED.map(lambda tags: [tag.upper() for tag in tags]),
    genres=MUTED,
    authors=MUTED,
    terms=st.lists(
        st.sampled_from(["fandom:a", "warning:b", "many:c", "single:a", "gone:a", "none"]),
        max_size=2,
        unique=True,
    ),
    hide_adult=st.booleans(),
)

Story = Mapping[str, Set[str]]


def as_facts(id_: int, story: Story) -> StoryFacts:
    return facts(
        id_,
        title=" ".join(["title", *sorted(story["text"])]),
        language=min(story["language"]),
        status=("draft", "ongoing", "completed", "hiatus").index(min(story["status"])),
        age_rating=min(story["age"], default=None),
        is_nsfw=bool(story["nsfw"]),
        genres=[Genre(one, one.upper()) for one in sorted(story["genre"])],
        tags=sorted(story["tag"]),
        authors=[one.upper() for one in sorted(story["author"])],
        terms=[
            Term(facet.removeprefix("custom:"), one, one.upper())
            for facet in ("fandom", "warning", "custom:many", "custom:single")
            for one in sorted(story[facet])
        ],
    )


# --- the model ------------------------------------------------------------------------------


def has_text(story: Story, text: str) -> bool:
    names = story["text"] | story["tag"] | story["author"] | story["genre"] | {"title"}
    names |= story["fandom"] | story["warning"] | story["custom:many"] | story["custom:single"]
    if " OR " in text:
        return any(one in names for one in text.split(" OR "))
    return all(
        (one[1:] not in names) if one.startswith("-") else (one in names) for one in text.split()
    )


def is_muted(story: Story, mutes: Mutes | None) -> bool:
    if mutes is None:
        return False
    terms = {
        f"{facet.removeprefix('custom:')}:{one}"
        for facet in ("fandom", "warning", "custom:many", "custom:single")
        for one in story[facet]
    }
    return bool(
        story["tag"] & {tag.lower() for tag in mutes.tags}
        or story["genre"] & set(mutes.genres)
        or story["author"] & set(mutes.authors)
        or terms & set(mutes.terms)
        or (mutes.hide_adult and (story["nsfw"] or "explicit" in story["age"]))
    )


def fits(story: Story, question: Question, without: str | None = None) -> bool:
    filters = question.filters
    if any(story[facet] & set(values) for facet, values in filters.exclude.items()):
        return False
    for facet, values in filters.include.items():
        if facet == without:
            continue
        met = set(values) & story[facet]
        if not met or (filters.match_all and facet in ALL and len(met) < len(values)):
            return False
    return has_text(story, question.text)


def counted(stories: Mapping[int, Story], question: Question, facet: str) -> Counter[str]:
    strict = question.filters.match_all and facet in ALL
    result = [
        story for story in stories.values() if fits(story, question, None if strict else facet)
    ]
    return Counter(value for story in result for value in story[facet])


# --- and what it is compared with -------------------------------------------------------------


def compare(found: Found, stories: Mapping[int, Story], question: Question) -> None:
    wanted = {id_ for id_, story in stories.items() if fits(story, question)}
    ids = [hit.card.story_id for hit in found.hits]
    assert set(ids) == wanted
    assert (len(ids), found.total) == (len(wanted), len(wanted))
    if found.sort is Sort.UPDATED:
        assert ids == sorted(ids, reverse=True)
    for facet in ASKED:
        told = found.facets[facet]
        right = counted(stories, question, facet)
        chosen = set(question.filters.include.get(facet, ()))
        shown = {value.value: value.count for value in told.values}
        assert shown == {value: right[value] for value in shown}, facet
        assert len(told.values) == len(shown)
        assert {one.value for one in told.values if one.selected} == chosen & set(shown)
        assert chosen & right.keys() <= set(shown)
        first = [value.count for value in told.values][: question.values]
        assert first == sorted(right.values(), reverse=True)[: question.values] or chosen - set(
            right
        )
        assert told.more == len(right) - sum(1 for count in shown.values() if count)
        assert {value.label for value in told.values} == {
            value if facet in {"language", "status", "age", "tag"} else value.upper()
            for value in shown
        }


@pytest.fixture
async def facets(database: Database, clock: SetClock) -> None:
    """Two taxonomies of an operator, known to search."""
    for slug, is_multiple in (("many", True), ("single", False)):
        async with database.transaction() as tx:
            await define_taxonomy(tx, clock, slug, name=slug, is_multiple=is_multiple)
        await refresh_taxonomy(database, clock, slug)


@EXAMPLES
@given(
    rounds=st.lists(
        st.tuples(
            st.dictionaries(st.integers(1, 9), STORY | st.none(), max_size=9),
            st.lists(st.tuples(QUESTION, MUTES), max_size=4),
        ),
        min_size=1,
        max_size=3,
    )
)
async def test_items_total_and_counts_are_those_of_a_walk_over_all_stories(
    database: Database,
    clock: SetClock,
    facets: None,
    rounds: list[tuple[dict[int, Story | None], list[tuple[Question, Mutes | None]]]],
) -> None:
    """One picture throughout, so what the journal tells it is looked at too."""
    del facets
    index = Index()
    stories: dict[int, Story] = {}
    await shelve(database, clock, dict.fromkeys(range(1, 10)))
    for writes, questions in rounds:
        told = {id_: None if one is None else as_facts(id_, one) for id_, one in writes.items()}
        await shelve(database, clock, told)
        for id_, one in writes.items():
            stories.pop(id_, None)
            if one is not None:
                stories[id_] = one
        await asyncio.sleep(0.06)
        for question, mutes in questions:
            asked = msgspec.structs.replace(question, left_out=left_out(mutes))
            left = {id_: one for id_, one in stories.items() if not is_muted(one, mutes)}
            found = await find(database.primary, index, asked)
            compare(found, left, question)
            for hit in found.hits:
                warned = {one.value for one in hit.warnings}
                assert warned == stories[hit.card.story_id]["warning"]


def filtered(match_all: bool = False, **include: str) -> Question:
    wanted = {
        name.replace("custom_", "custom:"): tuple(values.split())
        for name, values in include.items()
    }
    return Question(filters=Filters(wanted, match_all=match_all), counts=True)


@pytest.fixture
async def index(database: Database, clock: SetClock, facets: None) -> Index:
    del facets
    empty: Story = dict.fromkeys(IS, frozenset[str]())
    base = {**empty, "language": {"vi"}, "status": {"ongoing"}}
    for number, has in enumerate(
        [
            {"genre": {"a", "b"}, "custom:many": {"a", "b"}, "custom:single": {"a"}},
            {"genre": {"a"}, "warning": {"a", "b"}, "custom:many": {"a"}, "custom:single": {"b"}},
            {"genre": {"b"}, "warning": {"a"}, "status": {"completed"}, "language": {"en"}},
        ],
        1,
    ):
        await shelve(database, clock, [as_facts(number, {**base, **has})])
    return Index()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (filtered(genre="a b"), {1, 2, 3}),
        (filtered(True, genre="a b"), {1}),
        (filtered(True, custom_many="a b"), {1}),
        (filtered(custom_single="a b"), {1, 2}),
        (filtered(True, custom_single="a b"), {1, 2}),
        (filtered(True, warning="a b"), {2, 3}),
        (filtered(True, status="ongoing completed"), {1, 2, 3}),
        (filtered(True, language="vi en"), {1, 2, 3}),
        (filtered(True, genre="a none"), set[int]()),
        (filtered(genre="a none"), {1, 2}),
        (filtered(genre="a", warning="a"), {2}),
        (Question(filters=Filters({}, {"warning": ("b",)})), {1, 3}),
        (Question(filters=Filters({"warning": ("a",)}, {"warning": ("b",)})), {3}),
        (Question(filters=Filters({}, {"genre": ("a", "b")})), set[int]()),
    ],
)
async def test_values_are_met_by_any_or_by_all_where_a_story_can_have_several(
    database: Database, index: Index, question: Question, expected: set[int]
) -> None:
    found = await find(database.primary, index, question)
    assert {hit.card.story_id for hit in found.hits} == expected


async def test_what_was_asked_for_is_counted_too_and_the_rest_is_more(
    database: Database, clock: SetClock, index: Index
) -> None:
    empty: Story = dict.fromkeys(IS, frozenset[str]())
    fourth = {**empty, "language": {"en"}, "status": {"ongoing"}, "warning": {"c"}}
    await shelve(database, clock, [as_facts(4, fourth)])
    asked = filtered(warning="c", language="vi")
    question = msgspec.structs.replace(asked, values=1)
    told = (await find(database.primary, index, question)).facets["warning"]
    assert [(one.value, one.count, one.selected) for one in told.values] == [
        ("a", 1, False),
        ("c", 0, True),
    ]
    assert told.more == 1


async def test_what_is_no_facet_or_no_value_is_refused(database: Database, index: Index) -> None:
    for include, match in (
        ({"custom:none": ("a",)}, "custom:none"),
        ({"nothing": ("a",)}, "no facet"),
        ({"status": ("draft",)}, "no status"),
        ({"kind": ("film",)}, "no kind"),
        ({"age": ("adult",)}, "no age"),
        ({"genre": ("",)}, "not be empty"),
    ):
        for filters in (Filters(include), Filters({}, include)):
            with pytest.raises(InvalidFilter, match=match):
                await find(database.primary, index, Question(filters=filters))


@given(
    members=st.dictionaries(st.integers(1, 6), st.sets(st.integers(0, 9)), max_size=6),
    moves=st.lists(st.tuples(st.integers(1, 6), st.integers(0, 9), st.booleans())),
    result=st.sets(st.integers(0, 12)),
)
def test_a_facet_of_many_values_is_counted_as_one_of_few(
    members: dict[int, set[int]], moves: list[tuple[int, int, bool]], result: set[int]
) -> None:
    sets = {id_: BitMap(stories) for id_, stories in members.items()}
    tally = Tally(sorted(sets), sets)
    for id_, story, comes in moves:
        if id_ in sets:
            sets[id_].add(story) if comes else sets[id_].discard(story)
            tally.wear(story)
    ids, counts = tally.count(BitMap(result))
    told = dict(zip(np.array(ids).tolist(), np.array(counts).tolist(), strict=True))
    right = {id_: len(set(stories) & result) for id_, stories in sets.items()}
    assert told == {id_: count for id_, count in right.items() if count}
