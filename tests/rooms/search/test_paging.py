"""Paging through what was found while it changes: what stays is met exactly once, in order."""

from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rensai.kit.clock import SetClock
from rensai.kit.db import Command, Database
from rensai.rooms.catalogue.door import StoryFacts
from rensai.rooms.search.model import Found, Question, Sort
from rensai.rooms.search.service.finding import find, following
from rensai.rooms.search.service.index import Index
from tests.rooms.search.facts import MORNING, facts, shelve
from tests.rooms.search.library import NOVEL, Library

pytestmark = pytest.mark.anyio

UNDER_WRITES = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NAMES = range(1, 14)
LIMIT = 3
PLACE = st.integers(0, 3)
"""Few places, so that many stories tie and only their ids tell them apart."""

WRITES = st.dictionaries(st.sampled_from(NAMES), PLACE | st.none(), max_size=4)
"""Where stories are put; None takes one away."""


def placed(id_: int, place: int) -> StoryFacts:
    """A story that stands at that place in every order."""
    moment = MORNING + timedelta(minutes=place)
    return facts(
        id_,
        title="Dao",
        popularity_score=Decimal(place),
        rating_avg=Decimal(place),
        chapter_count=place,
        word_count=place,
        published_at=moment,
        updated_at=moment,
    )


async def write(database: Database, clock: SetClock, writes: dict[int, int | None]) -> None:
    told = {id_: None if at is None else placed(id_, at) for id_, at in writes.items()}
    await shelve(database, clock, told)


@pytest.mark.parametrize("sort", Sort)
@UNDER_WRITES
@given(
    start=st.dictionaries(st.sampled_from(NAMES), PLACE, min_size=4),
    between=st.lists(WRITES, max_size=5),
)
async def test_what_stays_where_it_is_is_met_once(
    database: Database,
    clock: SetClock,
    sort: Sort,
    start: dict[int, int],
    between: list[dict[int, int | None]],
) -> None:
    index = Index(fresh_seconds=0)
    await write(database, clock, dict.fromkeys(NAMES) | start)
    question = Question("dao" if sort is Sort.RELEVANCE else "", sort=sort, limit=LIMIT)
    met, touched = list[int](), set[int]()
    pages = list(between)
    while True:
        page: Found = await find(database.primary, index, question)
        met += [hit.card.story_id for hit in page.hits]
        if page.following is None:
            assert not page.has_more
            break
        question = following(question, page.following)
        if pages:
            writes = pages.pop(0)
            touched |= writes.keys()
            await write(database, clock, writes)
    order = sorted(start, key=lambda id_: (-start[id_], -id_))
    still = [id_ for id_ in order if id_ not in touched]
    assert [id_ for id_ in met if id_ in still] == still


_LOSE = Command("DELETE FROM search_a.search_index WHERE story_id <= $1 AND story_id > $1 - 4")


@pytest.mark.parametrize("last", [13, 10, 4])
async def test_a_page_that_has_lost_its_stories_leads_to_the_next(
    database: Database, clock: SetClock, last: int
) -> None:
    """A card may be gone before the picture has heard of it."""
    index = Index()
    await write(database, clock, dict.fromkeys(NAMES, 0))
    question = Question(sort=Sort.WORDS, limit=LIMIT)
    await find(database.primary, index, question)
    async with database.transaction() as tx:
        assert await tx.run(_LOSE, last) == 4
    met = list[int]()
    while True:
        page = await find(database.primary, index, question)
        met += [hit.card.story_id for hit in page.hits]
        if page.following is None:
            break
        question = following(question, page.following)
    assert met == [id_ for id_ in reversed(NAMES) if not last - 4 < id_ <= last]


@pytest.mark.parametrize(
    ("path", "asked", "name"),
    [
        ("/api/v1/search", {"q": "dao"}, "nextCursor"),
        *(("/api/v1/search", {"sort": sort.value, "q": "dao"}, "nextCursor") for sort in Sort),
        (NOVEL, {"q": "dao"}, "next_cursor"),
        (NOVEL, {"q": "dao", "sort": "popular_desc"}, "next_cursor"),
        (NOVEL, {"status": "1"}, "next_cursor"),
    ],
)
async def test_every_page_over_http_leads_to_the_next(
    library: Library, path: str, asked: dict[str, str], name: str
) -> None:
    await write(library.db, library.clock, {id_: id_ % 3 for id_ in NAMES})
    await library.settle()
    whole = await library.ask(path=path, limit="100", **asked)
    assert (len(whole["items"]), whole[name]) == (13, None)
    met = list[str]()
    cursor: dict[str, str] = {}
    while True:
        page = await library.ask(path=path, limit=str(LIMIT), **asked, **cursor)
        met += [item["slug"] for item in page["items"]]
        assert page.get("hasMore", page.get("has_more")) == (page[name] is not None)
        if page[name] is None:
            break
        cursor = {"cursor": page[name]}
    assert met == [item["slug"] for item in whole["items"]]
