"""Stories as other rooms show them beside what is theirs, such as a reader's ratings.

What nobody may read is missing from every answer, as if it had never been.
"""

from collections.abc import Iterable, Mapping
from uuid import UUID

from rensai.kit.db import Reads
from rensai.kit.lookups import Lookups
from rensai.rooms.catalogue.errors import SeriesNotFound
from rensai.rooms.catalogue.model import ListedStory
from rensai.rooms.catalogue.model.reading import SeenStory
from rensai.rooms.catalogue.service.reading import see_story
from rensai.rooms.catalogue.store import shown as store


async def story_cards(reads: Reads, story_ids: Iterable[int]) -> Mapping[int, ListedStory]:
    """Those of these stories that can be read, by their ids."""
    wanted = sorted(set(story_ids))
    return {one.id: one for one in await store.cards(reads, wanted)} if wanted else {}


async def visible_among(reads: Reads, story_ids: Iterable[int]) -> frozenset[int]:
    """Which of these stories can be read."""
    wanted = sorted(set(story_ids))
    return frozenset(await store.visible_among(reads, wanted)) if wanted else frozenset()


async def find_stories(
    reads: Reads, addresses: Iterable[tuple[str, str]]
) -> Mapping[tuple[str, str], int]:
    """The ids of stories by source and slug; who is not here is missing."""
    wanted = sorted(set(addresses))
    return await store.at_addresses(reads, wanted) if wanted else {}


async def see_story_of_uid(lookups: Lookups, uid: UUID) -> SeenStory:
    """A story by its public id."""
    found = await lookups.ask(store.of_uids, uid)
    if found is None:
        raise SeriesNotFound
    return await see_story(lookups, found)
