"""Every way by which something that can be searched is written ends in the index."""

import inspect
from collections.abc import Awaitable, Callable
from datetime import timedelta
from decimal import Decimal
from typing import cast

import pytest

from rensai.rooms.catalogue import door
from tests.rooms.catalogue.incoming import chapter, story
from tests.rooms.search.library import NOVEL, Answer, Library

pytestmark = pytest.mark.anyio

Write = Callable[[Library], Awaitable[object]]

CANNOT_CHANGE_A_STORY = {
    "give_back_recounts": "gives a task back",
    "touch_recount": "asks for a recount",
    "touch_recounts": "asks for recounts",
    "touch_recounts_later": "asks for recounts",
    "touch_source": "asks for recounts",
    "add_term": "no story has it yet",
    "prepare_body": "writes nothing",
}


class Path:
    """One way of writing: who uses which verb, and what can be seen of it afterwards."""

    def __init__(self, verb: str, write: Write, seen: Write) -> None:
        self.verb = verb
        self.write = write
        self.seen = seen


async def first(library: Library, **asked: str) -> Answer:
    """The only story that is found."""
    (item,) = (await library.ask(**asked))["items"]
    return item


async def recount(library: Library) -> None:
    """What came before must have been heard of by itself."""
    await library.settle()
    assert await library.drift() == []
    library.clock.advance(timedelta(minutes=2))
    while await door.recount_due(library.db, library.clock, worker="tests"):
        pass


async def rated(library: Library) -> None:
    ratings = door.Ratings(await library.id_of("s1"), Decimal("8.5"), 2, 3)
    async with library.db.transaction() as tx:
        await door.record_ratings(tx, [ratings])


def received(**fields: object) -> Write:
    async def write(library: Library) -> None:
        await library.shelf.stories(story("s1", 5, **{"status": 1, **fields}))

    return write


def published(**fields: object) -> Write:
    async def write(library: Library) -> None:
        library.clock.advance(timedelta(minutes=5))
        await library.shelf.chapters(chapter(7, 5, text="one two three", **fields))

    return write


def revised(**fields: object) -> Write:
    async def write(library: Library) -> None:
        library.clock.advance(timedelta(minutes=5))
        await library.shelf.chapters(chapter(1, 5, **fields))

    return write


def in_tx(verb: Callable[..., Awaitable[object]], *arguments: object) -> Write:
    async def write(library: Library) -> None:
        ids = {name: await library.id_of(name) for name in ("s1", "s2")}
        given = [_named(one, ids) for one in arguments]
        async with library.db.transaction() as tx:
            await verb(tx, *given)

    return write


def _named(one: object, ids: dict[str, int]) -> object:
    if isinstance(one, tuple):
        return [ids[str(name)] for name in cast("tuple[str, ...]", one)]
    return ids.get(one, one) if isinstance(one, str) else one


def finds(expected: set[str], q: str | None = None, **asked: str) -> Write:
    async def seen(library: Library) -> None:
        assert set(await library.find(q, **asked)) == expected

    return seen


def shows(**expected: object) -> Write:
    async def seen(library: Library) -> None:
        item = await first(library, q="title:first")
        assert {key: item[key] for key in expected} == expected

    return seen


def counts(facet: str, **expected: int) -> Write:
    """By label, in place of the blanks an underscore."""

    async def seen(library: Library) -> None:
        facets = (await library.ask())["facets"]
        values: list[Answer] = facets[facet]["values"] if facet in facets else []
        told = {value["label"].replace(" ", "_"): value["count"] for value in values}
        assert told == expected

    return seen


def then(*writes: Write) -> Write:
    async def do(library: Library) -> None:
        for write in writes:
            await write(library)

    return do


async def settled(library: Library) -> None:
    await library.settle()


async def remove_term(library: Library) -> None:
    await door.remove_term(library.db, "fandom", "hp")


async def rename_term(library: Library) -> None:
    await door.rename_term(library.db, "fandom", "hp", "Harry Potter")


async def remove_taxonomy(library: Library) -> None:
    await door.remove_taxonomy(library.db, "era")


async def close(library: Library) -> None:
    await door.set_policy(library.db, library.clock, "truyen", is_public=False)


async def reopen(library: Library) -> None:
    await door.clear_policy(library.db, "truyen")


async def count_one(library: Library) -> None:
    await library.settle()
    async with library.db.transaction() as tx:
        await door.recount_story(tx, await library.id_of("s1"))


async def novel_list(library: Library) -> None:
    (item,) = (await library.ask("first", NOVEL))["items"]
    assert item["title"] == "First anew"


PATHS = {
    "a story is created": Path(
        "receive_stories",
        lambda library: library.shelf.stories(story("s3", title="Third", status=1)),
        finds({"s3"}, "third"),
    ),
    "a story is changed": Path(
        "receive_stories",
        received(title="First anew", author_name="Ann", genres=["Action"], aliases=["Uno"]),
        then(
            shows(title="First anew"),
            *(finds({"s1"}, text) for text in ("anew", "author:ann", "uno", "tag:action")),
            counts("genre", Action=1),
            novel_list,
        ),
    ),
    "a story becomes a draft": Path("receive_stories", received(status=0), finds({"s2"})),
    "a story is deleted": Path("receive_stories", received(deleted=True), finds({"s2"})),
    "a story is restored": Path(
        "receive_stories",
        then(
            received(deleted=True),
            settled,
            lambda library: library.shelf.stories(story("s1", 9, title="First", status=1)),
        ),
        finds({"s1"}, "first"),
    ),
    "a chapter is published": Path(
        "receive_chapters",
        then(published(), settled),
        lambda library: in_order(library, "s1", "s2"),
    ),
    "a published chapter is counted": Path(
        "recount_due", then(published(), recount), shows(chapterCount=2, lastChapter=7.0)
    ),
    "a chapter is withdrawn": Path(
        "receive_chapters",
        then(revised(is_published=False), recount),
        shows(chapterCount=0),
    ),
    "a chapter is changed": Path(
        "receive_chapters",
        then(revised(text="a b c d e f"), recount),
        shows(wordCount=6),
    ),
    "a chapter is deleted": Path(
        "receive_chapters",
        then(revised(deleted=True), recount),
        shows(chapterCount=0, lastChapter=None),
    ),
    "a story is recounted": Path("recount_due", then(published(), recount), shows(chapterCount=2)),
    "one story is recounted": Path(
        "recount_story", then(published(), count_one), shows(chapterCount=2)
    ),
    "a story is described": Path(
        "describe_story",
        in_tx(
            door.describe_story,
            "s1",
            door.Description(age_rating="teen", tags=["Slow Burn"], hidden_tags=["Secret"]),
        ),
        then(
            shows(age="teen", tags=["Slow Burn"]),
            finds({"s1"}, "tag:slow"),
            finds({"s1"}, "secret"),
            finds({"s1"}, age="teen"),
            counts("tag", Slow_Burn=1),
        ),
    ),
    "a story gets a term": Path(
        "assign_terms",
        lambda library: library.assign("s1", "fandom", "Naruto"),
        then(
            counts("fandom", HP=1, Naruto=1),
            finds({"s1"}, "naruto"),
            finds({"s1"}, fandom="naruto"),
        ),
    ),
    "a term is renamed": Path(
        "rename_term",
        rename_term,
        then(counts("fandom", Harry_Potter=1), finds({"s2"}, "potter"), finds(set(), "tag:hp")),
    ),
    "a term is removed": Path(
        "remove_term", remove_term, then(counts("fandom"), finds(set(), "hp"))
    ),
    "a taxonomy is defined": Path(
        "define_taxonomy",
        lambda library: library.define("pairing"),
        then(counts("custom:pairing"), finds(set(), **{"custom:pairing": "a"})),
    ),
    "a taxonomy is renamed": Path(
        "rename_taxonomy",
        in_tx(door.rename_taxonomy, "era", "Dynasty"),
        lambda library: labelled(library, "custom:era", "Dynasty"),
    ),
    "a taxonomy that every instance has is renamed": Path(
        "rename_taxonomy",
        in_tx(door.rename_taxonomy, "fandom", "Universe"),
        lambda library: labelled(library, "fandom", "Universe"),
    ),
    "a taxonomy is removed": Path(
        "remove_taxonomy",
        remove_taxonomy,
        then(finds(set(), "tang"), lambda library: labelled(library, "custom:era", None)),
    ),
    "stories are joined": Path(
        "link_translations",
        in_tx(door.link_translations, ("s1", "s2")),
        shows(translationCount=1),
    ),
    "stories are parted": Path(
        "unlink_translation",
        then(
            in_tx(door.link_translations, ("s1", "s2")),
            settled,
            in_tx(door.unlink_translation, "s2"),
        ),
        shows(translationCount=0, translationGroup=None),
    ),
    "a translation is deleted": Path(
        "receive_stories",
        then(
            in_tx(door.link_translations, ("s1", "s2")),
            settled,
            lambda library: library.shelf.stories(story("s2", 5, deleted=True)),
        ),
        shows(translationCount=0),
    ),
    "readers have rated a story": Path(
        "record_ratings", rated, shows(rating=8.5, ratingCount=2, followerCount=3)
    ),
    "a source is closed": Path("set_policy", close, finds(set())),
    "a source is opened again": Path(
        "clear_policy", then(close, settled, reopen), finds({"s1", "s2"})
    ),
}


async def in_order(library: Library, *names: str) -> None:
    """By when they were updated, the last first."""
    assert await library.find(sort="updated") == list(names)


async def labelled(library: Library, facet: str, label: str | None) -> None:
    facets = (await library.ask())["facets"]
    assert facets.get(facet, {"label": None})["label"] == label


@pytest.fixture
async def two(library: Library) -> Library:
    """Two stories; the first has a chapter, the second a fandom and an era."""
    await library.shelf.stories(story("s1", title="First", status=1), story("s2", status=1))
    await library.shelf.chapters(chapter(1))
    await library.define("era")
    await library.assign("s2", "era", "Tang")
    await library.assign("s2", "fandom", "HP")
    await recount(library)
    await library.settle()
    return library


@pytest.mark.parametrize("name", PATHS)
async def test_what_is_written_can_be_searched(two: Library, name: str) -> None:
    path = PATHS[name]
    assert await two.find() == ["s2", "s1"]
    await path.write(two)
    await two.settle()
    await path.seen(two)
    assert await two.drift() == []


def test_every_verb_of_the_catalogue_that_writes_is_looked_at() -> None:
    verbs = {
        name
        for name in door.__all__
        if inspect.iscoroutinefunction(verb := getattr(door, name)) and _writes(verb)
    }
    assert verbs == {path.verb for path in PATHS.values()} | set(CANNOT_CHANGE_A_STORY) & verbs
    assert {"receive_stories", "set_policy", "recount_due"} <= verbs


def _writes(verb: Callable[..., object]) -> bool:
    """Whether it gets something that can be written with."""
    first_parameter = next(iter(inspect.signature(verb).parameters.values()))
    return str(first_parameter.annotation).rpartition(".")[2].rstrip("'>") in {"Tx", "Database"}
