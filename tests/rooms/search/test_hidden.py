"""What not everybody may read is in no result, no suggestion and no count of search."""

from collections.abc import Awaitable, Callable

import pytest

from rensai.rooms.catalogue.door import link_translations, set_policy
from tests.rooms.catalogue.incoming import story
from tests.rooms.search.library import FACETS, NOVEL, SUGGEST, Library

pytestmark = pytest.mark.anyio

MARK = "zyxw"


async def drafted(library: Library) -> None:
    await library.shelf.stories(story("hidden", 5, title=f"Dao {MARK}", status=0))


async def deleted(library: Library) -> None:
    await library.shelf.stories(story("hidden", 5, deleted=True))


async def closed(library: Library) -> None:
    await set_policy(library.db, library.clock, "other", is_public=False)


async def moved_away(library: Library) -> None:
    await library.shelf.stories(story("hidden", 5, deleted=True), source="other")


HIDE: dict[str, tuple[str, Callable[[Library], Awaitable[None]]]] = {
    "a draft": ("truyen", drafted),
    "deleted": ("truyen", deleted),
    "of a closed source": ("other", closed),
    "deleted elsewhere": ("other", moved_away),
}


@pytest.fixture
async def shelf(library: Library) -> Library:
    await library.add(story("shown", title="Dao One", status=1, author_name="Ann"))
    return library


async def everything(library: Library) -> dict[str, object]:
    """What search says to all kinds of questions."""
    return {
        "all": await library.ask(),
        "text": await library.ask("dao"),
        "name": await library.ask(MARK),
        "author": await library.ask(f"author:{MARK}"),
        "not": await library.ask("-one"),
        "misspelt": await library.ask("zyxv"),
        "source": await library.ask(source="other"),
        "tag": await library.ask(tag=MARK),
        "facets": await library.ask(path=FACETS),
        "suggested": await library.ask(MARK[:2], SUGGEST),
        "suggested title": await library.ask("da", SUGGEST),
        "novel": await library.ask("dao", NOVEL),
        "of status": await library.ask(path=NOVEL, status="1,2,3,4"),
    }


@pytest.mark.parametrize("how", HIDE)
async def test_what_is_hidden_is_as_if_it_had_never_been_found(shelf: Library, how: str) -> None:
    source, hide = HIDE[how]
    before = await everything(shelf)
    await shelf.shelf.stories(
        story(
            "hidden",
            title=f"Dao {MARK}",
            author_name=f"Ann {MARK}",
            aliases=[MARK],
            genres=[f"Genre {MARK}"],
            status=1,
        ),
        source=source,
    )
    ids = [await shelf.id_of(name) for name in ("shown", "hidden")]
    await shelf.describe("hidden", tags=[MARK], age_rating="teen")
    await shelf.assign("hidden", "fandom", MARK)
    async with shelf.db.transaction() as tx:
        await link_translations(tx, ids)
    await shelf.settle()
    between = await everything(shelf)
    seen = {name for name, told in between.items() if MARK in str(told)}
    assert seen >= between.keys() - {"misspelt", "source"}
    (item,) = (await shelf.ask("one"))["items"]
    assert item["translationCount"] == 1
    await hide(shelf)
    await shelf.settle()
    after = await everything(shelf)
    (item,) = (await shelf.ask("one"))["items"]
    assert item["translationCount"] == 0
    for name, told in after.items():
        assert MARK not in str(told).lower(), name
        assert _plain(told) == _plain(before[name]), name
    assert await shelf.drift() == []


def _plain(told: object) -> str:
    """Without the group, in which a story may stay alone."""
    text = str(told)
    if "'translationGroup': '" in text:
        start = text.index("'translationGroup': '")
        end = text.index("',", start)
        text = f"{text[:start]}'translationGroup': None{text[end + 1 :]}"
    return text
