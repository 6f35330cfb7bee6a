"""Naming stories and chapters for rooms whose rows are about them."""

from collections.abc import Collection

from rensai.kit.db import Reads
from rensai.rooms.catalogue.model.mentions import ChapterMention, StoryMention
from rensai.rooms.catalogue.store import mentions as store


async def mention_stories(reads: Reads, ids: Collection[int]) -> dict[int, StoryMention]:
    """The names of these stories, also of those that not everybody may read: look before telling.

    One that was erased for good is left out.
    """
    return {row.id: row for row in await store.stories(reads, sorted(ids))} if ids else {}


async def mention_chapters(reads: Reads, ids: Collection[int]) -> dict[int, ChapterMention]:
    """The same for chapters."""
    return {row.id: row for row in await store.chapters(reads, sorted(ids))} if ids else {}
