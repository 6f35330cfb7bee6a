"""What other rooms show of stories and chapters that they name: only what everybody may read."""

from collections.abc import Collection
from decimal import Decimal

from rensai.kit.db import Reads
from rensai.rooms.catalogue.model import ListedStory
from rensai.rooms.catalogue.model.reading import ChapterCard
from rensai.rooms.catalogue.store import cards as store


async def story_cards(reads: Reads, story_ids: Collection[int]) -> dict[int, ListedStory]:
    """These stories as rows of a list; one that nobody may read is missing."""
    if not story_ids:
        return {}
    return {one.id: one for one in await store.stories(reads, list(story_ids))}


async def chapter_cards(reads: Reads, chapter_ids: Collection[int]) -> dict[int, ChapterCard]:
    """These chapters with the names of their stories; one that nobody may read is missing."""
    if not chapter_ids:
        return {}
    return {one.id: one for one in await store.chapters(reads, list(chapter_ids))}


async def find_stories(
    reads: Reads, addresses: Collection[tuple[str, str]]
) -> dict[tuple[str, str], int]:
    """The stories with these sources and slugs, as far as everybody may read them."""
    if not addresses:
        return {}
    found = await store.at_addresses(reads, list(addresses))
    return {(one.source, one.slug): one.id for one in found}


async def find_chapters(
    reads: Reads, places: Collection[tuple[int, Decimal, str]]
) -> dict[tuple[int, Decimal, str], int]:
    """The chapters of stories by number and language, as far as everybody may read them."""
    if not places:
        return {}
    found = await store.at_places(reads, list(places))
    return {(one.story_id, one.chapter_no, one.language): one.id for one in found}
